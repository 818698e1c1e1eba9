/** What broke a law once holds now. */
import { expect, test } from 'vitest';
import { replayOf } from './lab/shrink.ts';
import { play } from './play.ts';
import { REGRESSIONS } from './regressions.ts';

test.each(REGRESSIONS.map(({ plan, caught }) => [replayOf(plan), caught, plan] as const))('%s (%s)', async (_replay, _caught, plan) => {
  const { fault } = await play(plan);
  expect(fault).toBeNull();
});

test('each is named by what it caught, and stands once', () => {
  const replays = REGRESSIONS.map(({ plan }) => replayOf(plan));
  expect(new Set(replays).size).toBe(replays.length);
  expect(REGRESSIONS.filter(({ caught }) => caught.length < 10)).toEqual([]);
});
