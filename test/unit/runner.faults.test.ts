/** Faults around a turn that are nobody's answer: the session is deleted under it, the store refuses, the server ends meanwhile. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openBench, tool, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await bench.close();
});
const remove = async (session: string): Promise<void> => {
  const { turnId } = await bench.store.deleteSession(session, { id: null, now: Date.now() });
  bench.runner.abort(session, turnId);
};

test.each(['while it streams', 'while a tool runs', 'while it waits for the user'])(
  'a session deleted %s ends its turn at once, with nothing tried again',
  async (when) => {
    const session = await bench.session(when === 'while it waits for the user' ? 'ask' : 'auto');
    let reached = false;
    bench.tools = [
      tool('one', 'run', (_args, context) => {
        reached = true;
        return new Promise((resolve) => context.signal.addEventListener('abort', () => resolve({ isError: true })));
      }),
    ];
    bench.script = (to) => {
      if (when === 'while it streams') {
        to.emit({ type: 'text-delta', i: 0, text: 'half' });
        reached = true;
        return to.hang();
      }
      to.call('one', {});
      return to.end('tool_use');
    };
    await bench.send(session, 'go');
    await bench.until(async () => reached || (await bench.summary(session)).status === 'waiting');
    await remove(session);
    await bench.runner.idle();
    expect(bench.reports).toEqual([]);
    expect(bench.runner.snapshot(session)).toBeNull();
  },
);

test('a turn whose reading fails right after it was opened is not left running: it fails in sight, and Resume works', async () => {
  const session = await bench.session();
  vi.spyOn(bench.store, 'history').mockRejectedValueOnce(new Error('disk I/O error'));
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', turnId: null, paused: { reason: 'failed' } });
  expect((await bench.log(session)).find((record) => record.type === 'error')?.data).toMatchObject({ message: 'disk I/O error' });
  await bench.store.resume(session, null, { id: null, now: Date.now() });
  bench.runner.wake(session);
  await bench.runner.idle();
  expect((await bench.log(session)).at(-1)).toMatchObject({ type: 'turn-settled', data: { reason: 'done' } });
});

test('a server that ends does not wait for a store that refuses: the turn is left for the next start', async () => {
  const session = await bench.session();
  vi.spyOn(bench.store, 'seal').mockRejectedValue(new Error('database or disk is full'));
  vi.spyOn(bench.store, 'settle').mockRejectedValue(new Error('database or disk is full'));
  bench.holdsWaits = true;
  await bench.send(session, 'go');
  await bench.until(() => bench.reports.includes('turn.not-settled'));
  await bench.runner.close();
  vi.restoreAllMocks();
  bench.holdsWaits = false;
  await bench.restart();
  await bench.runner.idle();
  expect(await bench.summary(session)).toMatchObject({ status: 'idle', turnId: null });
});
