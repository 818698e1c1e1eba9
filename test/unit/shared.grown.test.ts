import { describe, expect, test } from 'vitest';
import { growthSince, noteGrowth } from '#shared/chunks/grown.ts';

describe('how a live text grew', () => {
  const next = (before: { text: string }, added: string): { text: string } => noteGrowth({ text: before.text + added }, before, added);
  test('what was added between any two states of one stream is known', () => {
    const states = [{ text: '' }];
    for (let at = 0; at < 50; at++) states.push(next(states.at(-1)!, `${at},`));
    for (const [from, before] of states.entries())
      for (const after of states.slice(from)) expect(growthSince(after, before)).toBe(after.text.slice(before.text.length));
  });
  test('of other states nothing is known: of a state before, of another stream, of what nobody noted', () => {
    const first = { text: '' };
    const one = next(first, 'a');
    const two = next(one, 'b');
    const other = next(one, 'c');
    expect(growthSince(one, two)).toBeNull();
    expect(growthSince(other, first)).toBeNull();
    expect(growthSince(other, one)).toBe('c');
    expect(growthSince(two, { text: 'a' })).toBeNull();
  });
  test('what is long past is forgotten', () => {
    const first = { text: '' };
    let last = first;
    let late = first;
    for (let at = 0; at < 5000; at++) {
      last = next(last, 'x');
      if (at === 4900) late = last;
    }
    expect(growthSince(last, first)).toBeNull();
    expect(growthSince(last, late)).toHaveLength(99);
  });
});
