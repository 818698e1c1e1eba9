import { forkTitle } from '#shared/fork-title.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backoff } from '#shared/backoff.ts';
import { chunkId, isUuid7, newId } from '#shared/ids.ts';
import type { Random } from '#shared/ports.ts';
import { wordsOf } from '#shared/protocol/content.ts';
import { cut, isBlank, oneLine, plainLine, utf8Length } from '#shared/text.ts';

const anyText = fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'é', 'a', ' ', '\n') }));
const bytesOf = (fill: (n: number) => Uint8Array): Random => ({ unit: () => 0.5, bytes: fill });

describe('ids', () => {
  it('are UUIDv7 of their time, for any clock and any chance', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 48 - 1 }), fc.uint8Array({ minLength: 10, maxLength: 10 }), (now, bytes) => {
        const id = newId(
          { now: () => now },
          bytesOf(() => bytes),
        );
        expect(isUuid7(id)).toBe(true);
        expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(now);
      }),
    );
  });
  it('differ when chance differs, and are in order when time is', () => {
    let count = 0;
    const random = bytesOf((n) => Uint8Array.from({ length: n }, () => (count = (count * 31 + 7) % 251)));
    const ids = Array.from({ length: 500 }, (_, n) => newId({ now: () => 1_000 + n }, random));
    expect(new Set(ids).size).toBe(500);
    expect(ids.toSorted()).toEqual(ids);
    expect(isUuid7(newId({ now: () => -5 }, random))).toBe(true);
  });
  it.each([
    '',
    'x',
    '0189b2f4-7c1a-7b2e-9d3f-0123456789AB',
    '0189b2f4-7c1a-4b2e-9d3f-0123456789ab',
    '0189b2f4-7c1a-7b2e-0d3f-0123456789ab',
  ])('%j is none', (id) => expect(isUuid7(id)).toBe(false));
  it('a chunk is named by its place', () => expect(chunkId('t', 2, 'm', 3)).toBe('t.2.m.3'));
});

describe('text', () => {
  it('is as long as its UTF-8 form', () => {
    fc.assert(fc.property(anyText, (text) => utf8Length(text) === new TextEncoder().encode(text).length));
  });
  it('is cut to its bound and never within a character', () => {
    fc.assert(
      fc.property(anyText, fc.nat(12), (text, chars) => {
        const short = cut(text, chars);
        expect(short.length).toBeLessThanOrEqual(chars);
        expect(text.startsWith(short)).toBe(true);
        expect(short.length).toBeGreaterThanOrEqual(Math.min(text.length, chars) - 1);
        expect(!text.isWellFormed() || short.isWellFormed()).toBe(true);
      }),
    );
  });
  it('fits in one line, with all its words or an ellipsis', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 12 }), (text, chars) => {
        const line = oneLine(text, chars);
        const whole = text.replace(/\s+/g, ' ').trim();
        expect(line.length).toBeLessThanOrEqual(chars);
        expect(line).not.toMatch(/[\n\r]/);
        expect(line === whole || (whole.length > chars && line.endsWith('…'))).toBe(true);
      }),
    );
    expect(oneLine(`${' '.repeat(10_000)}words far in`, 20)).toBe('words far in');
    expect(oneLine(`a${' '.repeat(10_000)}b`, 20)).toBe('a b');
  });
  it('is blank when a provider would refuse it', () => {
    expect(['', ' \n\t\u00a0'].every(isBlank)).toBe(true);
    expect(isBlank(' x ')).toBe(false);
  });
  it('words of content are its parts', () => {
    const file = { type: 'attachment' as const, sha256: 'a', name: 'photo.png', mime: 'image/png' };
    expect(wordsOf([file, { type: 'text', text: 'look' }])).toBe('[photo.png]\nlook');
  });
});

describe('R12: backoff', () => {
  it('doubles from base to cap, within the upper three quarters, for any chance', () => {
    fc.assert(
      fc.property(fc.nat(2_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, unit) => {
        const ms = backoff(attempt, { base: 100, cap: 5_000 }, { unit: () => unit, bytes: () => new Uint8Array() });
        const full = Math.min(5_000, 100 * 2 ** attempt);
        expect(ms).toBeGreaterThanOrEqual(Math.floor(full / 4));
        expect(ms).toBeLessThanOrEqual(full);
      }),
    );
  });
  it('a hundred that failed together come back over far more than half of the delay', () => {
    const waits = Array.from({ length: 100 }, (_, n) =>
      backoff(20, { base: 100, cap: 10_000 }, { unit: () => n / 100, bytes: () => new Uint8Array() }),
    );
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(7_000);
  });
});

it.each([
  ["I am Cairn's built-in **demo model**: a *small* program", "I am Cairn's built-in demo model: a small program"],
  ['This folder holds `a.txt` and\n\n- `b.txt`\n- c', 'This folder holds a.txt and b.txt c'],
  ['```text\nhello\n```', 'hello'],
  ['# Title\n> said [here](https://example.net/x)', 'Title said here'],
  ['2 * 3 * 4 and snake_case_name and a*b*c', '2 * 3 * 4 and snake_case_name and a*b*c'],
  ['```', '```'],
])('a list shows the words of %j', (markdown, line) => {
  expect(plainLine(markdown, 120)).toBe(line);
});

it.each([
  ['The garden', 'The garden (fork)'],
  ['The garden (fork)', 'The garden (fork 2)'],
  ['The garden (fork 2)', 'The garden (fork 3)'],
  ['(fork)', '(fork) (fork)'],
  ['A (fork) in the road', 'A (fork) in the road (fork)'],
  ['  ', ''],
  ['', ''],
])('a fork of "%s" is called "%s"', (title, called) => {
  expect(forkTitle(title)).toBe(called);
});
it('a title of a fork is within the limit, and never ends in half a character', () => {
  const long = forkTitle('🪨'.repeat(LIMITS.titleChars / 2));
  expect(long.length).toBeLessThanOrEqual(LIMITS.titleChars);
  expect(long.endsWith(' (fork)')).toBe(true);
  expect(long.isWellFormed()).toBe(true);
  expect(long).not.toContain('\ufffd');
});
