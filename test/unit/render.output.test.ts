import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { headLines, Rows, tailLines } from '../../app/render/output.ts';
import { diffOf } from '../../app/render/diff.ts';
import { linesOf, plainOutput } from '../../app/render/terminal.ts';
import { callOf, hitsOf, readLinesOf } from '../../app/render/tool-view.ts';

const piece = fc.constantFrom(
  'a',
  'words here',
  '\n',
  '\n\n',
  '\u001b[31mred\u001b[0m',
  '10 %\r20 %',
  '\t',
  '🙂',
  '\u001b]0;title\u0007',
  '\r\n',
  'x'.repeat(90),
);
const outputs = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));
const shown = (rows: Rows): string[] => Array.from({ length: rows.count }, (_, at) => rows.at(at));
/** 5 MB. */
const big = Array.from({ length: 200_000 }, (_, at) => `line ${at} of the output`).join('\n');

describe('output of any size', () => {
  test('its first and last lines are those of the whole', () => {
    fc.assert(
      fc.property(outputs, fc.integer({ min: 1, max: 20 }), (text, count) => {
        const lines = linesOf(plainOutput(text));
        expect(headLines(text, count)).toEqual(lines.slice(0, count));
        expect(tailLines(text, count)).toEqual(lines.slice(-count));
      }),
    );
  });
  test('its rows are its lines; of a long line several, which are together the line', () => {
    fc.assert(
      fc.property(outputs, (text) => {
        const rows = new Rows();
        rows.take(text);
        const lines = linesOf(plainOutput(text));
        fc.pre(lines.length > 0);
        // Colour that is switched off behind the last line end is a row without words.
        expect([lines.length, lines.length + 1]).toContain(rows.lines);
        expect(rows.at(rows.count - 1) === '' ? lines.length : rows.lines).toBe(lines.length);
        expect(rows.beyond).toBe(0);
        // Where no line is drawn over, every letter of it is in its rows.
        expect(/\r(?!\n)/.test(text) || shown(rows).join('') === lines.join('')).toBe(true);
      }),
    );
  });
  test('rows of a text that grows are those of the text at once', () => {
    fc.assert(
      fc.property(fc.array(outputs, { maxLength: 8 }), (parts) => {
        const growing = new Rows();
        let text = '';
        for (const part of parts) {
          growing.take((text += part));
          const atOnce = new Rows();
          atOnce.take(text);
          expect(shown(growing)).toEqual(shown(atOnce));
          expect(growing.lines).toBe(atOnce.lines);
        }
        growing.take('another text');
        expect(shown(growing)).toEqual(['another text']);
      }),
    );
  });
  test('a long line is cut neither within a character nor within a colour', () => {
    for (let before = 380; before < 402; before++) {
      const rows = new Rows();
      rows.take(`${'x'.repeat(before)}\u001b[38;5;196m🙂🙂${'y'.repeat(900)}`);
      expect(shown(rows).join('')).toBe(`${'x'.repeat(before)}🙂🙂${'y'.repeat(900)}`);
      expect(shown(rows).every((row) => row.isWellFormed() && row.length <= 400)).toBe(true);
    }
  });
  test('5 MB in one line: its beginning and its end, and rows of it', () => {
    const text = `${'ab'.repeat(2_500_000)}end`;
    expect(headLines(text, 12)).toEqual([`${'ab'.repeat(500)}…`]);
    expect(tailLines(text, 12)).toEqual([`…${text.slice(-1000)}`]);
    const rows = new Rows();
    rows.take(text);
    expect(rows.lines).toBe(1);
    expect(rows.count).toBe(12_501);
    expect(rows.at(12_500)).toBe(text.slice(12_500 * 400));
  });
  test('5 MB in 200,000 lines: any of them is found', () => {
    const rows = new Rows();
    rows.take(big);
    expect(rows.count).toBe(200_000);
    expect(rows.at(123_456)).toBe('line 123456 of the output');
    expect(tailLines(big, 2)).toEqual(['line 199998 of the output', 'line 199999 of the output']);
  });
  test('more rows than can be scrolled through: the rest is said', () => {
    const rows = new Rows();
    rows.take('\n'.repeat(600_000));
    expect(rows.count).toBe(500_000);
    expect(rows.beyond).toBe(100_000);
  });
  test('a bar that is drawn over and over in one line shows its last state', () => {
    const line = Array.from({ length: 2000 }, (_, at) => `\r${at} of 2000`).join('');
    expect(headLines(`${line}\nnext`, 2)).toEqual(['1999 of 2000', 'next']);
  });
});

describe('what is too large is not taken apart', () => {
  test('hits, numbered lines, diffs', () => {
    const hits = Array.from({ length: 20_000 }, (_, at) => `src/file.ts:${at}:hit`).join('\n');
    expect(hitsOf(hits)).toBeNull();
    expect(hitsOf(hits.slice(0, hits.lastIndexOf('\n', 100_000)))).not.toBeNull();
    expect(readLinesOf(big, 1)).toBeNull();
    expect(readLinesOf(`${'x\n'.repeat(1000)}[lines 30-1029 of 4000]`, 1)).toMatchObject({ first: 30, total: 4000 });
  });
  test('texts with nothing in common are not compared for long: all of one goes, all of the other comes', () => {
    const text = (of: string): string => Array.from({ length: 4000 }, (_, at) => `${of} ${at}\n`).join('');
    const lines = diffOf(text('before'), text('after'));
    expect(lines).toHaveLength(8000);
    expect(lines.slice(0, 4000).every((line) => line.kind === 'del')).toBe(true);
  });
  test('arguments that are still coming: what they are aimed at is read, and no more of them', () => {
    const args = JSON.stringify({ path: 'big.txt', content: 'y'.repeat(100_000) }).slice(0, -10);
    const chunk = {
      id: 'c',
      turnId: 't',
      step: 0,
      role: 'assistant',
      type: 'tool_call',
      data: { callId: 'x', name: 'write', args },
    } as const;
    const coming = callOf({ ...chunk, open: true });
    expect(coming.args['path']).toBe('big.txt');
    expect(String(coming.args['content']).length).toBeLessThan(9000);
    expect(coming.cut).toBe(true);
    expect(String(callOf(chunk).args['content'])).toHaveLength(100_000 - 8);
  });
});
