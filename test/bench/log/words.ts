/** Made-up words: prose, Markdown and code of any length, the same for the same seed. */
import { chanceOf, type Chance } from '../kit/chance.ts';

const WORDS =
  'the stone path over a cold ridge where wind has worn every mark and each cairn keeps its own small record of who went by which way they chose when snow lay deep before spring water came down between grey walls to fill that long quiet lake with light'.split(
    ' ',
  );

export function sentence(chance: Chance, words: number): string {
  const parts = Array.from({ length: words }, () => chance.pick(WORDS));
  if (words > 6) parts[chance.between(1, words - 2)] = `**${chance.pick(WORDS)}**`;
  if (words > 9) parts[chance.between(2, words - 2)] = `\`${chance.pick(WORDS)}()\``;
  const text = parts.join(' ');
  return `${text[0]!.toUpperCase()}${text.slice(1)}.`;
}
export function paragraph(chance: Chance): string {
  return Array.from({ length: chance.between(3, 6) }, () => sentence(chance, chance.between(7, 16))).join(' ');
}
function list(chance: Chance): string {
  return Array.from({ length: chance.between(3, 7) }, () => `- ${sentence(chance, chance.between(5, 12))}`).join('\n');
}
function table(chance: Chance): string {
  const row = (): string => `| ${Array.from({ length: 3 }, () => `${chance.pick(WORDS)} ${chance.pick(WORDS)}`).join(' | ')} |`;
  return [row(), '|---|---|---|', ...Array.from({ length: chance.between(3, 6) }, row)].join('\n');
}
export function codeBlock(chance: Chance, lines: number): string {
  const line = (): string =>
    `  const ${chance.pick(WORDS)}${chance.between(0, 99)} = ${chance.pick(WORDS)}('${chance.pick(WORDS)}', ${chance.between(0, 999)}); // ${chance.pick(WORDS)}`;
  return `\`\`\`ts\nexport function ${chance.pick(WORDS)}() {\n${Array.from({ length: lines }, line).join('\n')}\n}\n\`\`\``;
}

/** Markdown of `length` characters, with `blocks` fenced blocks at even distances. */
export function markdown(seed: number, length: number, blocks: number): string {
  const chance = chanceOf(seed);
  const parts: string[] = [];
  let size = 0;
  let coded = 0;
  const add = (part: string): void => {
    parts.push(part);
    size += part.length + 2;
  };
  while (size < length) {
    if (coded < blocks && size >= ((coded + 0.5) * length) / blocks) {
      add(codeBlock(chance, 40));
      coded++;
      continue;
    }
    const kind = chance.unit();
    if (kind < 0.1) add(`## ${sentence(chance, 4)}`);
    else if (kind < 0.25) add(list(chance));
    else if (kind < 0.3) add(table(chance));
    else add(paragraph(chance));
  }
  return parts.join('\n\n').slice(0, length);
}

/** Cut into `count` pieces of like size. */
export function cut(text: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    text.slice(Math.floor((at * text.length) / count), Math.floor(((at + 1) * text.length) / count)),
  );
}

/** As many pieces of Markdown, each with its own number in it: `t00000 `, `t00001 `, … in paragraphs, lists and code. */
export function numbered(seed: number, count: number): string[] {
  const chance = chanceOf(seed);
  const pieces: string[] = [];
  while (pieces.length < count) {
    const kind = chance.unit();
    const length = Math.min(count - pieces.length, chance.between(30, 90));
    const line = chance.between(6, 14);
    for (let n = 0; n < length; n++) {
      const word = `t${String(pieces.length).padStart(5, '0')} `;
      const starts = n % line === 0;
      const last = n === length - 1;
      if (kind < 0.1) pieces.push(`${n === 0 ? '```ts\n' : starts ? '\n' : ''}${word}${last ? '\n```\n\n' : ''}`);
      else if (kind < 0.25) pieces.push(`${starts ? `${n === 0 ? '' : '\n'}- ` : ''}${word}${last ? '\n\n' : ''}`);
      else pieces.push(`${word}${last ? '\n\n' : ''}`);
    }
  }
  return pieces;
}
