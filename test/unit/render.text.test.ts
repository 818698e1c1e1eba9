import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addedLines, countsOf, diffOf, readUnified } from '../../app/render/diff.ts';
import { highlight, knownLanguage, languageOfPath, segmentsOf } from '../../app/render/highlight.ts';
import { readPartial, readPartialObject } from '../../app/render/partial-json.ts';
import { linesOf, plainOutput } from '../../app/render/terminal.ts';

describe('JSON that is still coming', () => {
  test('whole text is read exactly as JSON.parse reads it', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(readPartial(text)).toEqual({ value: JSON.parse(text) as unknown, whole: true });
      }),
    );
  });
  test('every prefix of an object of strings gives a prefix of its fields, and never throws', () => {
    fc.assert(
      fc.property(fc.record({ path: fc.string({ unit: 'grapheme' }), content: fc.string({ unit: 'grapheme' }) }), (value) => {
        const text = JSON.stringify(value);
        for (let end = 0; end < text.length; end++) {
          const seen = readPartialObject(text.slice(0, end));
          for (const [key, part] of Object.entries(seen)) expect(value[key as keyof typeof value].startsWith(part as string)).toBe(true);
        }
      }),
    );
  });
  test('any text at all gives an answer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(readPartialObject(text)).toBeTypeOf('object');
      }),
    );
    expect(readPartialObject('[1')).toEqual({});
    expect(readPartialObject('{"a":{"b":[1,2,{"c":"d')).toEqual({ a: { b: [1, 2, { c: 'd' }] } });
    expect(readPartialObject(`${'['.repeat(100_000)}`)).toEqual({});
    expect(readPartialObject('{"__proto__":{"x":1},"a"').constructor).toBe(Object);
  });
});

describe('terminal output as text', () => {
  test('colours, cursor moves and titles go, words stay', () => {
    expect(plainOutput('\u001b[1;32m✓\u001b[0m ok\u001b]0;title\u0007\n')).toBe('✓ ok\n');
    expect(plainOutput('\u001b[2K\u001b[1Gdone\u001b')).toBe('done');
  });
  test('a progress line shows its last state only', () => {
    expect(plainOutput('10 %\r50 %\r100 %\nnext\r\n')).toBe('100 %\nnext\n');
    expect(plainOutput('half\r')).toBe('half');
  });
  test('a line end at the end makes no empty line', () => {
    expect(linesOf('a\nb\n')).toEqual(['a', 'b']);
    expect(linesOf('a\n\n')).toEqual(['a', '']);
    expect(linesOf('')).toEqual([]);
  });
});

describe('diffs', () => {
  test('an edit shows what went and what came, with the words that changed', () => {
    const lines = diffOf("const rows = text.split('\\n')\nend", 'const rows = text.split(/x/)\nend');
    expect(lines.map((line) => line.kind)).toEqual(['del', 'add', 'same']);
    const [gone, come] = lines;
    expect(gone!.marks.map((mark) => gone!.text.slice(mark.from, mark.to)).join('')).toContain("'\\n'");
    expect(come!.marks.map((mark) => come!.text.slice(mark.from, mark.to)).join('')).toContain('/x/');
    expect(countsOf(lines)).toEqual({ added: 1, removed: 1 });
  });
  test('the lines that stay and come are the new text, those that stay and go are the old', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'const x = 1', 'const x = 2', ''))
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffOf(before, after);
        const join = (kind: string): string =>
          lines
            .filter((l) => l.kind === 'same' || l.kind === kind)
            .map((l) => `${l.text}\n`)
            .join('');
        expect(join('del')).toBe(before);
        expect(join('add')).toBe(after);
      }),
    );
  });
  test('a unified diff keeps its line numbers; other text is not one', () => {
    const lines = readUnified('--- a/f\n+++ b/f\n@@ -58,2 +58,3 @@ head\n same\n-old\n+new\n+more\n')!;
    expect(lines.map((line) => [line.kind, line.n])).toEqual([
      ['hunk', 58],
      ['same', 58],
      ['del', 59],
      ['add', 59],
      ['add', 60],
    ]);
    expect(readUnified('nothing of the kind')).toBeNull();
    expect(addedLines('a\nb\n').map((line) => line.n)).toEqual([1, 2]);
  });
});

describe('colour for code', () => {
  test('segments put together are the code, byte for byte, and hold no markup', async () => {
    const code = `// <b>&amp;\nconst a: string = "x" + '<img onerror=1>' + \`\${1}\``;
    const [segments] = (await highlight([code], 'ts'))!;
    expect(segments!.map((segment) => segment.text).join('')).toBe(code);
    expect(segments!.some((segment) => segment.look === 'k')).toBe(true);
    expect(segments!.some((segment) => segment.look === 'm')).toBe(true);
  });
  test('a crafted language names nothing, and nothing is ever guessed', async () => {
    expect(knownLanguage('__proto__')).toBeNull();
    expect(knownLanguage('constructor')).toBeNull();
    expect(await highlight(['x'], '"><img src=x onerror=alert(1)>')).toBeNull();
    expect(await highlight(['x'], '')).toBeNull();
    expect(languageOfPath('src/a.test.ts')).toBe('typescript');
    expect(languageOfPath('Makefile')).toBeNull();
  });
  test('long code stays plain', async () => expect(await highlight(['x'.repeat(40_000)], 'ts')).toBeNull());
  test('entities are read back', () =>
    expect(segmentsOf('a &lt;<span class="hljs-string">&quot;&#x27;&amp;</span>')).toEqual([
      { text: 'a <', look: '' },
      { text: `"'&`, look: 's' },
    ]));
});
