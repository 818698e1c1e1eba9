import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Blocks, blocksOf, type Block } from '../../app/render/blocks.ts';
import type { CodePiece, Piece } from '../../app/render/pieces.ts';
import { documents } from '../support/markdown.ts';

const CORPUS = [
  'Plain words, *some* **strong**, `code`.\n\nA second paragraph\nwith two lines.\n',
  '# Head\n\ntext\n---\nmore\n\n* one\n* two\n\n  still two\n- other list\n',
  'para\n```js\nconst a = `x`\n\n<b>no</b>\n```\nafter\n',
  'para\n```a`b``` tail\n\nnext',
  '1. a\n\n2. b\n\n   ```sh\n   ls\n   ```\n\n3. c\n',
  '> quote\nlazy\n\n> ```\nx\n> y\n',
  '| a | b |\n|---|:-:|\n| 1 | `x` |\n\nend',
  'See [one] and [two][b].\n\ntext\n\n[one]: https://a.test "t"\n\n[b]: https://b.test\n"title\nlong"\n\nlast [one]\n',
  '[a]: /u\n"t\nb"\n\n[a] is a link',
  '    indented\n\n    more\n\n  not\n',
  '<div>\n<img src=x onerror=alert(1)>\n\nx <!-- a\n\nb --> c <br> d\n',
  '~~~\nopen tilde\n``` inside\n',
  'a\r\nb\r\n\r\n```\r\nc\r\n```\r\n',
  '- [ ] todo\n- [x] done\n\n***\n',
  '![alt](https://x.test/p.png) [x](javascript:alert(1)) <https://auto.test>\n',
  '````md\n```\ninner\n```\n````\nend\n',
];

/**
 * What is wrong while the text is fed up to each of `cuts`: prefixes with other blocks than the same text at once, and settled
 * blocks that changed without a link that was defined further down.
 */
function faults(text: string, cuts: readonly number[]): string[] {
  const found: string[] = [];
  const blocks = new Blocks();
  let settled: readonly Block[] = [];
  const step = (prefix: string, final: boolean): void => {
    const before = [...blocks.all];
    const first = blocks.take(prefix, final);
    if (!isDeepStrictEqual(blocks.all, blocksOf(prefix, final))) found.push(`not as at once: ${prefix}`);
    const kept = before.slice(0, first);
    if (!kept.every((block, at) => block === blocks.all[at])) found.push(`another object before the first that was named: ${prefix}`);
    if (!/\]:/.test(prefix) && !settled.every((block, at) => block === blocks.all[at])) found.push(`a settled block changed: ${prefix}`);
    settled = blocks.all.slice(0, blocks.settled);
  };
  for (const end of cuts) step(text.slice(0, end), false);
  step(text, true);
  return found;
}
const each = (text: string): number[] => Array.from({ length: text.length }, (_, at) => at + 1);

describe('markdown while it is written', () => {
  test.each(CORPUS.map((text) => [text]))('every prefix, fed one character at a time, equals the same text at once: %j', (text) => {
    expect(faults(text, each(text))).toEqual([]);
  });

  const PIECES =
    'a¦ ¦\n¦\n\n¦`¦```¦~~~¦- ¦1¦1. ¦2.¦# ¦> ¦    ¦---¦===¦|¦|---|¦[a]¦[a]: /u¦[b]: /v\n¦"t¦"¦<div>¦<!--¦-->¦</div>¦*¦**¦\\¦\r\n¦\t¦[x](¦)¦' +
    '&lt;¦<¦>¦  ¦***¦- [ ] ¦_¦\r¦[¦]: /w¦(¦<pre>¦</pre>¦<?¦?>';
  const piece = fc.constantFrom(...PIECES.split('¦'));
  test('any soup of markup in any split equals the same text at once', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        let end = 0;
        const cuts = pieces.map((part) => (end += part.length));
        expect(faults(pieces.join(''), cuts)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test('B28: any document of paragraphs, lists, quotes, fences, tables and links, fed in any batches, equals the same text at once', () => {
    fc.assert(
      fc.property(documents, fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }), ({ text }, steps) => {
        const cuts: number[] = [];
        for (let end = 0; end < text.length;) cuts.push((end = Math.min(text.length, end + steps[cuts.length % steps.length]!)));
        expect(faults(text, cuts)).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
  test('B28: and at every single prefix', () => {
    fc.assert(
      fc.property(documents, ({ text }) => {
        fc.pre(text.length < 600);
        expect(faults(text, each(text))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('R13: at every prefix of any document an open fence shows its text verbatim, and its closing fence as the last bytes closes it', () => {
    fc.assert(
      fc.property(documents, ({ text, fences }) => {
        const blocks = new Blocks();
        let from = 0;
        for (const { begins, ends, code, lang, marks } of fences) {
          for (let end = Math.max(begins, from); end < ends; end++) {
            blocks.take(text.slice(0, end), false);
            const shown = lastCode(blocks.all);
            expect(shown).toMatchObject({ lang, closed: false });
            // Verbatim, but for the line end that no visible text follows yet.
            const here = code.slice(0, end - begins);
            expect([here, here.replace(/\n$/, '')]).toContain(shown!.code);
          }
          blocks.take(text.slice(0, ends + marks.length), false);
          expect(lastCode(blocks.all)).toMatchObject({ closed: true });
          expect([code, code.replace(/\n$/, '')]).toContain(lastCode(blocks.all)!.code);
          from = ends;
        }
      }),
      { numRuns: 150 },
    );
  });

  test('an open table is its source or a table, and never goes back to its source', () => {
    fc.assert(
      fc.property(documents, ({ text }) => {
        const blocks = new Blocks();
        let tables = 0;
        for (let end = 1; end <= text.length; end++) {
          blocks.take(text.slice(0, end), false);
          const now = count(blocks.all, (piece) => typeof piece === 'object' && 'tag' in piece && piece.tag === 'table');
          expect(now, text.slice(0, end)).toBeGreaterThanOrEqual(tables);
          tables = now;
        }
      }),
      { numRuns: 100 },
    );
  });
  test.each([
    ['a | b\n--- | ---\n1 | 2\n', ['p', 'div']],
    ['| a | b |\n| --- | --: |\n| 1 | - |\n', ['p', 'div']],
    ['Head\n===\n', ['p', 'h3']],
    ['Head\n---\n', ['p', 'h3']],
    ['---\n\n', ['hr']],
    ['- a\n- b\n1. c\n', ['ul', 'ul ol']],
    ['**b** c\n', ['p']],
    ['1. a\n2. b\n', ['ol']],
    ['```ts\nx\n```\n', ['pre']],
    ['# Head\n', ['h3']],
  ])('a line of marks is shown as what it becomes, and as nothing else before: %j', (text, states) => {
    const seen: string[] = [];
    const blocks = new Blocks();
    for (let end = 1; end <= text.length; end++) {
      blocks.take(text.slice(0, end), false);
      const names = blocks.all.map((block) => (block.kind === 'code' ? 'pre' : tagOf(block.parts[0]!))).join(' ');
      if (names !== '' && names !== seen.at(-1)) seen.push(names);
    }
    expect(seen).toEqual(states);
  });

  test('B28: what is read again at a delta is what is open, not what is settled', () => {
    const blocks = new Blocks();
    const text = Array.from({ length: 400 }, (_, at) => `Paragraph ${at} with *words* and [a link](https://a.test).\n\n`).join('');
    const halves = [0, 0];
    for (let end = 1; end <= text.length; end++) {
      const before = blocks.read;
      blocks.take(text.slice(0, end), false);
      halves[end * 2 <= text.length ? 0 : 1]! += blocks.read - before;
    }
    expect(blocks.settled).toBeGreaterThan(397);
    expect(halves[1]! / halves[0]!).toBeLessThan(1.05);
    expect(blocks.read / text.length).toBeLessThan(70);
  });
  test('B28: code that is open costs a delta what the delta brings', () => {
    const blocks = new Blocks();
    let text = 'Words before.\n```ts\n';
    blocks.take(text, false);
    const before = blocks.read;
    for (let line = 0; line < 3000; line++) blocks.take((text += `const x${line} = "\`\`\`"; // ${line}\n`), false);
    expect(blocks.read - before).toBeLessThan(text.length);
    blocks.take((text += '```\nAfter.'), false);
    expect(blocks.all.map((block) => block.kind)).toEqual(['words', 'code', 'words']);
  });

  test('a link that is defined later becomes a link in the blocks before it, once its line has ended; others stay the same objects', () => {
    const blocks = new Blocks();
    let text = 'See [one] and [two].\n\nmore [here](https://b.test)\n\nand more\n\n';
    blocks.take(text, false);
    const before = [...blocks.all];
    blocks.take((text += '[one]: https://a.te'), false);
    expect(blocks.all).toEqual(before);
    blocks.take((text += 'st\n\n'), false);
    expect(blocks.all[0]).toMatchObject({
      parts: [{ tag: 'p', parts: ['See ', { tag: 'a', attrs: { href: 'https://a.test' } }, ' and [two].'] }],
    });
    expect(blocks.all.slice(1)).toEqual(before.slice(1));
    expect(blocks.all[1]).toBe(before[1]);
  });
  test('a footnote is the text that it is: never a link, never gone', () => {
    const text = 'It is so[^1].\n\n[^1]: Cairn\n\n[^2]: A longer note.\n';
    const shown = each(text).map((end) => JSON.stringify(blocksOf(text.slice(0, end), false)));
    expect(shown.filter((at) => at.includes('href'))).toEqual([]);
    const whole = shown.slice(text.indexOf('Cairn') + 4);
    expect(whole.filter((at) => !at.includes('[^1]: Cairn'))).toEqual([]);
  });

  test('another text in place of one that it does not go on from is read from its beginning', () => {
    const blocks = new Blocks();
    blocks.take('First **attempt**.\n\n```ts\nopen', false);
    blocks.take('Second attempt, which is longer than the first one was.\n\nWith two paragraphs.', false);
    expect(blocks.all).toEqual(blocksOf('Second attempt, which is longer than the first one was.\n\nWith two paragraphs.', false));
    blocks.take('Third', true);
    expect(blocks.all).toEqual(blocksOf('Third', true));
  });
  test('what stopped and then goes on is one text', () => {
    const blocks = new Blocks();
    const text = 'Words.\n\n```ts\nconst a = 1\n```\n\n- a\n- b\n';
    for (let end = 1; end < text.length; end++) {
      blocks.take(text.slice(0, end), true);
      expect(blocks.all).toEqual(blocksOf(text.slice(0, end), true));
      blocks.take(text.slice(0, end), false);
      expect(blocks.all).toEqual(blocksOf(text.slice(0, end), false));
    }
  });
});

/** Code that stands last, in a list or a quote too. */
function lastCode(blocks: readonly Block[]): CodePiece | null {
  const last = blocks.at(-1);
  if (last === undefined) return null;
  let piece: Piece | undefined = last.kind === 'code' ? last : last.parts.at(-1);
  while (typeof piece === 'object' && 'parts' in piece) piece = piece.parts.at(-1);
  return typeof piece === 'object' ? piece : null;
}
function count(blocks: readonly Block[], what: (piece: Piece) => boolean): number {
  const within = (pieces: readonly Piece[]): number =>
    pieces.reduce<number>(
      (sum, piece) => sum + (what(piece) ? 1 : 0) + (typeof piece === 'object' && 'parts' in piece ? within(piece.parts) : 0),
      0,
    );
  return blocks.reduce((sum, block) => sum + (block.kind === 'words' ? within(block.parts) : 0), 0);
}
const tagOf = (piece: Piece): string => (typeof piece === 'string' ? 'text' : 'code' in piece ? 'pre' : piece.tag);
