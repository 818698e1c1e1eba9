/** Documents as models write them, and a little worse: for property tests of what is rendered at every prefix of them. */
import fc from 'fast-check';

export interface Fence {
  /** Where its code begins and ends in the text: behind the opening line, before the closing one. */
  readonly begins: number;
  readonly ends: number;
  readonly code: string;
  readonly lang: string;
  readonly marks: string;
}
export interface Document {
  readonly text: string;
  /** Fences at the top level, all closed. */
  readonly fences: readonly Fence[];
}
interface Part {
  readonly text: string;
  readonly code?: string;
  readonly lang?: string;
  readonly marks?: string;
}

const WORDS = [
  'tide',
  'berth',
  'a',
  '**bold**',
  '*em*',
  '`code`',
  '[x](https://a.test/?a=1&b=2)',
  '[one]',
  '[^1]',
  '[Two][two]',
  '<b>',
  '&mdash;',
  '5 * 3',
  'a_b_c',
  '~~no~~',
  '$x$',
  '|',
  '\\*',
  'https://b.test',
  '![p](https://a.test/p.png)',
  'ünï',
  '🙂',
  '#',
  '1.',
  '-',
];
const words = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 }).map((found) => found.join(' '));
const line = words.map((text) => `Said: ${text}`);
const paragraph = fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => `${lines.join('\n')}\n`);
const gap = fc.constantFrom('\n', '\n\n', '\n  \n');

const CODE = [
  'const a = 1;',
  '',
  '  indented',
  '# not a head',
  '* not a list',
  '| not | a table |',
  '|---|---|',
  '``',
  '> no quote',
  '[x]: y',
  '<b>',
  '---',
  '~~',
  '1. no',
];
const codeLines = fc.array(fc.constantFrom(...CODE), { minLength: 1, maxLength: 6 }).map((lines) => `${lines.join('\n')}\n`);
const lang = fc.constantFrom('', 'ts', 'sh', 'json');
const fence = fc.tuple(codeLines, lang, fc.constantFrom('```', '~~~', '````')).map(([code, name, marks]): Part => ({
  text: `${marks}${name}\n${code}${marks}\n`,
  code,
  lang: name,
  marks,
}));

const bullets = fc.constantFrom('- ', '* ', '1. ');
const indent = (text: string, by: string): string => text.replace(/\n(?=.)/g, `\n${by}`);
const list = fc
  .tuple(
    bullets,
    fc.array(
      fc.tuple(
        line,
        fc.option(
          fc.oneof(
            codeLines.map((code) => `\`\`\`\n${code}\`\`\``),
            line,
            words.map((text) => `- nested ${text}\n- more`),
          ),
        ),
      ),
      { minLength: 1, maxLength: 4 },
    ),
    fc.boolean(),
  )
  .map(([bullet, items, loose]) => {
    const by = ' '.repeat(bullet.length);
    return (
      items
        .map(([text, more]) => bullet + text + (more === null ? '' : `\n${loose ? '\n' : ''}${by}${indent(more, by)}`))
        .join(loose ? '\n\n' : '\n') + '\n'
    );
  });
const quote = fc
  .oneof(
    paragraph,
    list,
    fence.map(({ text }) => text),
  )
  .map((text) => text.trimEnd().replace(/^/gm, '> ') + '\n');
const cell = fc.constantFrom('a', '**b**', '`c`', '-', '1', '', 'x y');
const table = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.array(fc.array(cell, { minLength: 1, maxLength: 3 }), { maxLength: 4 }), fc.boolean())
  .map(([columns, rows, edges]) => {
    const row = (cells: readonly string[]): string => (edges || columns === 1 ? `| ${cells.join(' | ')} |` : `x ${cells.join(' | ')}`);
    const full = (cells: readonly string[]): string[] => Array.from({ length: columns }, (_, at) => cells[at] ?? '');
    const border = edges || columns === 1 ? `|${' --- |'.repeat(columns)}` : Array.from({ length: columns }, () => ':--').join('|');
    return [row(full(['head', 'other', 'third'])), border, ...rows.map((cells) => row(full(cells)))].join('\n') + '\n';
  });
const other = fc.constantFrom(
  '# Head\n',
  '### Head ###\n',
  'Head\n====\n',
  'Head\n---\n',
  '---\n',
  '* * *\n',
  '    indented code\n',
  '<div>\nraw\n</div>\n',
  '<!-- note -->\n',
  '- [ ] todo\n- [x] done\n',
  '[one]: https://one.test "title"\n',
  '[two]: <https://two.test>\n',
  '[^1]: A note.\n',
  '[one]: https://again.test\n',
);
const open = fc.constantFrom(
  '',
  '```ts\nopen',
  '~~~\nopen\n',
  '- item\n  ```\n  open',
  '> ```\n> open',
  '| a | b |\n|---|--',
  '**bold',
  '[x](https://a',
  '1. a\n   - b',
  '<div',
  '[one]: https://o',
);

export const documents: fc.Arbitrary<Document> = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.oneof(
          { weight: 3, arbitrary: paragraph.map((text): Part => ({ text })) },
          { weight: 2, arbitrary: fence },
          { weight: 2, arbitrary: list.map((text): Part => ({ text })) },
          { weight: 1, arbitrary: quote.map((text): Part => ({ text })) },
          { weight: 2, arbitrary: table.map((text): Part => ({ text })) },
          { weight: 2, arbitrary: other.map((text): Part => ({ text })) },
        ),
        gap,
      ),
      { maxLength: 7 },
    ),
    open,
    fc.boolean(),
  )
  .map(([parts, end, crlf]) => {
    let text = '';
    const fences: Fence[] = [];
    for (const [part, space] of parts) {
      if (part.code !== undefined && !crlf) {
        const begins = text.length + part.text.indexOf('\n') + 1;
        fences.push({ begins, ends: begins + part.code.length, code: part.code, lang: part.lang ?? '', marks: part.marks ?? '' });
      }
      text += part.text + space;
    }
    text += end;
    return { text: crlf ? text.replaceAll('\n', '\r\n') : text, fences };
  });
