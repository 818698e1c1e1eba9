/** The simulation itself: the same seed is the same history, and leaving an action out changes no other. */
import { expect, test } from 'vitest';
import { play } from './play.ts';

test.each(['memory', 'indexeddb'] as const)(
  'the same seed twice is the same history to the last byte, on a disk of %s',
  async (disk) => {
    const plan = { seed: 11, disk, steps: 15 };
    const [one, other] = [await play(plan), await play(plan)];
    expect(one).toEqual(other);
    expect(one.told.length).toBeGreaterThan(5);
    expect((await play({ ...plan, seed: 12 })).digest).not.toBe(one.digest);
  },
  60_000,
);

test('an action that is left out leaves the others as they were drawn', async () => {
  const all = await play({ seed: 13, disk: 'memory', steps: 12 });
  const some = await play({ seed: 13, disk: 'memory', steps: 12, only: [0, 1, 2, 3] });
  const acts = (told: readonly string[]): string[] => told.filter((line) => /^\S+ \[[0-3]\]/.test(line));
  expect(acts(some.told)).toEqual(acts(all.told));
  expect(some.told.some((line) => line.includes('[7]'))).toBe(false);
}, 60_000);
