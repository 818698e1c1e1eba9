/** Inputs known to be in the transcript: the newest of them, whatever history is read. */
import { expect, test } from 'vitest';
import { Promoted } from '../../app/sync/promoted.ts';

/** The id of the n-th input: ids rise with time. */
const id = (n: number): string => `0192${n.toString(16).padStart(4, '0')}-0000-7000-8000-000000000000`;

test('history that is read or copied, newest first, pushes no input of late out', () => {
  const promoted = new Promoted();
  const late = Array.from({ length: 200 }, (_, at) => id(60_000 + at));
  promoted.note(late);
  for (let n = 59_999; n > 0; n--) promoted.note([id(n)]);
  expect(late.every((one) => promoted.has(one))).toBe(true);
});
test('what is too old is not kept, and changes nothing', () => {
  const promoted = new Promoted();
  for (let n = 1; n <= 5_000; n++) promoted.note([id(n)]);
  const held = Array.from({ length: 5_000 }, (_, at) => promoted.has(id(at + 1)));
  expect(held.filter(Boolean).length).toBeLessThanOrEqual(512);
  expect(held.slice(-256).every(Boolean)).toBe(true);
  const before = promoted.changes();
  promoted.note([id(1), id(5_000)]);
  expect(promoted.changes()).toBe(before);
  expect(promoted.has(id(1))).toBe(false);
});
test('another history begins with none, and takes old ids again', () => {
  const promoted = new Promoted();
  for (let n = 1; n <= 1_000; n++) promoted.note([id(n)]);
  promoted.clear();
  expect(promoted.has(id(1_000))).toBe(false);
  promoted.note([id(1)]);
  expect(promoted.has(id(1))).toBe(true);
});
