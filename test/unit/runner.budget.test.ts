/** A cut turn is resumed unasked a bounded number of times, over restarts; then it stops visibly, and the user's Resume begins the count anew. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isEvent } from '#shared/protocol/records.ts';
import { BUDGET } from '../../server/runner/turn-state.ts';
import { openBench, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
  bench.script = (to) => to.hang();
});
afterEach(() => bench.close());

/** Restarts once the turn streams again; answers whether it does afterwards. */
async function cut(session: string): Promise<boolean> {
  await bench.until(() => bench.runner.snapshot(session) !== null);
  const before = bench.requests.length;
  await bench.restart();
  await bench.until(async () => bench.requests.length > before || (await bench.summary(session)).turnId === null);
  return bench.requests.length > before;
}

test('law 13, B43: resumes are counted over restarts, then the turn is settled and the session visibly paused', async () => {
  const session = await bench.session();
  await bench.send(session, 'go');
  await bench.send(session, 'waits', 'queue');
  for (let resume = 0; resume < BUDGET.resumes; resume++) expect(await cut(session)).toBe(true);
  expect(await cut(session)).toBe(false);
  await bench.runner.idle();

  expect(await bench.summary(session)).toMatchObject({ status: 'paused', paused: { reason: 'budget' }, turnId: null });
  expect((await bench.trail(session)).slice(-3)).toEqual(['system:interrupted', '#turn-settled', '#paused']);
  const log = await bench.log(session);
  expect(log.filter((record) => isEvent(record, 'turn-started') && record.data.resumes !== undefined)).toHaveLength(BUDGET.resumes);
  expect(log.findLast((record) => isEvent(record, 'turn-settled'))?.data).toMatchObject({ reason: 'cut' });
  // The queue waits for the user, and another restart changes nothing.
  await bench.restart();
  await bench.runner.idle();
  expect(await bench.log(session)).toEqual(log);

  // Resume goes on with what was cut, before anything queued, and with a whole budget.
  await bench.until(() => bench.runner.snapshot(session) === null);
  expect((await bench.store.resume(session, null, { id: null, now: 0 })).wake).toBe(true);
  bench.runner.wake(session);
  for (let resume = 0; resume < BUDGET.resumes; resume++) expect(await cut(session)).toBe(true);
  bench.script = (to) => (to.text('fin'), to.end());
  await bench.restart();
  await bench.runner.idle();
  expect((await bench.summary(session)).paused).toMatchObject({ reason: 'budget' });
});
