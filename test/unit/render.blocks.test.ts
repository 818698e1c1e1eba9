import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBlocks, type Block, type Parsed } from '../../app/render/blocks.ts';

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

function oneShot(text: string, final: boolean): readonly Block[] {
  return parseBlocks(text, final, null).blocks;
}
/** Prefixes at which the text, fed piece by piece up to each of `cuts`, gives other blocks than the same text parsed at once. */
function differences(text: string, cuts: readonly number[]): string[] {
  const found: string[] = [];
  let parsed: Parsed | null = null;
  const compare = (prefix: string, final: boolean): void => {
    parsed = parseBlocks(prefix, final, parsed);
    if (!isDeepStrictEqual(parsed.blocks, oneShot(prefix, final))) found.push(prefix);
  };
  for (const end of cuts) compare(text.slice(0, end), false);
  compare(text, true);
  return found;
}

describe('markdown while it is written', () => {
  test.each(CORPUS.map((text) => [text]))('every prefix, fed one character at a time, equals the same text at once: %j', (text) => {
    expect(
      differences(
        text,
        Array.from({ length: text.length }, (_, at) => at + 1),
      ),
    ).toEqual([]);
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
        expect(differences(pieces.join(''), cuts)).toEqual([]);
      }),
      { numRuns: 1500 },
    );
  });

  test('R13: at every prefix an open fence shows its text verbatim, and the closing fence as the last bytes closes it', () => {
    const code = 'const a = 1\n\n# not a head\n* not a list <b>\n``\n[x]: y\n';
    const text = `Words.\n\n\`\`\`ts\n${code}\`\`\``;
    const begins = text.indexOf(code);
    let parsed: Parsed | null = null;
    for (let end = begins; end < text.length; end++) {
      parsed = parseBlocks(text.slice(0, end), false, parsed);
      const last = parsed.blocks.at(-1);
      if (last?.kind !== 'code') throw new Error('no code block');
      expect(last).toMatchObject({ lang: 'ts', closed: false });
      // Verbatim but for the line end that no visible text follows yet.
      expect([text.slice(begins, end), text.slice(begins, end).replace(/\n$/, '')]).toContain(last.text);
    }
    parsed = parseBlocks(text, false, parsed);
    expect(parsed.blocks.at(-1)).toEqual({ kind: 'code', lang: 'ts', text: code.replace(/\n$/, ''), closed: true });
  });

  test('a finished block is the same object at every later delta, and only the end of the text is read again', () => {
    const text = Array.from({ length: 40 }, (_, at) => `Paragraph ${at} with *words*.\n\n`).join('');
    let parsed: Parsed | null = null;
    for (let end = 1; end <= text.length; end++) {
      const next = parseBlocks(text.slice(0, end), false, parsed);
      const done = parsed === null ? 0 : parsed.settledBlocks;
      for (let at = 0; at < done; at++) expect(next.blocks[at]).toBe(parsed!.blocks[at]);
      expect(next.source.length - next.settledAt).toBeLessThan(100);
      parsed = next;
    }
  });

  test('a link that is defined later becomes a link in the blocks before it', () => {
    const first = parseBlocks('See [one].\n\nmore\n\nand more\n\n', false, null);
    expect(first.blocks[0]).toEqual({ kind: 'html', html: '<p>See [one].</p>\n' });
    const next = parseBlocks('See [one].\n\nmore\n\nand more\n\n[one]: https://a.test\n', false, first);
    expect(next.blocks[0]).toEqual({ kind: 'html', html: '<p>See <a href="https://a.test">one</a>.</p>\n' });
    expect(next.blocks[1]).toBe(first.blocks[1]);
  });
});
