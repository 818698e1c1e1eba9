/** Law 13: runnable pending input always has a wake; no session is "running" without a run; every fault ends visibly. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBench, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

test('input that arrives at any moment of a turn is run without another ring', async () => {
  const session = await bench.session();
  let sent = 0;
  bench.script = async (to, n) => {
    if (n < 12) await bench.send(session, `next ${++sent}`, n % 2 === 0 ? 'steer' : 'queue');
    to.text('ok');
    return to.end();
  };
  await bench.send(session, 'start');
  await bench.runner.idle();
  const timeline = await bench.store.timeline(session, 1);
  expect(timeline.pendingInputs).toEqual([]);
  expect(timeline.session).toMatchObject({ status: 'idle', turnId: null });
  expect((await bench.trail(session)).filter((line) => line.startsWith('prompt:'))).toHaveLength(13);
});

test('whatever a provider or our own code does wrong, the session ends idle or paused, never running', async () => {
  const faults: ((n: number) => never)[] = [
    () => {
      throw new RangeError('ours');
    },
    () => {
      throw 'not even an error';
    },
  ];
  for (const fault of faults) {
    const session = await bench.session();
    bench.script = (_to, n) => fault(n);
    await bench.send(session, 'go');
    await bench.runner.idle();
    expect(await bench.summary(session)).toMatchObject({ status: 'paused', turnId: null });
  }
});

test('a turn that a closing server left goes on after the next start, and never runs without a run', async () => {
  const session = await bench.session();
  bench.script = (to, n) => {
    if (n === 0) {
      to.emit({ type: 'text-delta', i: 0, text: 'half' });
      return to.hang();
    }
    to.text('the rest');
    return to.end();
  };
  await bench.send(session, 'go');
  await bench.until(() => (bench.runner.snapshot(session)?.chunks.length ?? 0) > 0);
  await bench.restart();
  await bench.runner.idle();
  expect((await bench.trail(session)).filter((line) => line[0] !== '#')).toEqual([
    'prompt:go',
    'text:half',
    'system:interrupted',
    'text:the rest',
  ]);
  expect(await bench.summary(session)).toMatchObject({ status: 'idle', turnId: null });
});

test('a turn that is cut again and again stops at its budget, visibly, and Resume goes on', async () => {
  const session = await bench.session();
  bench.script = (to) => to.hang();
  await bench.send(session, 'go');
  for (let cut = 0; cut < 4; cut++) {
    const before = bench.requests.length;
    await bench.until(() => bench.requests.length > before || cut === 0);
    await bench.restart();
  }
  await bench.runner.idle();
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', paused: { reason: 'budget' }, turnId: null });
  bench.script = (to) => {
    to.text('at last');
    return to.end();
  };
  expect((await bench.store.resume(session, null, { id: null, now: Date.now() })).wake).toBe(true);
  bench.runner.wake(session);
  await bench.runner.idle();
  expect((await bench.summary(session)).status).toBe('idle');
});

test('B43: the resume of a cut turn is counted before its records are read: what fails there again and again ends at the budget too', async () => {
  const session = await bench.session();
  bench.script = (to) => to.hang();
  await bench.send(session, 'go');
  await bench.until(() => bench.requests.length === 1);
  const read = bench.store.turnRecords;
  bench.store.turnRecords = () => Promise.reject(new Error('this takes the server down'));
  for (let resumes = 1; resumes <= 3; resumes++) {
    await bench.restart();
    await bench.until(async () => (await bench.store.openTurns())[0]?.resumes === resumes);
  }
  bench.store.turnRecords = read;
  await bench.restart();
  await bench.runner.idle();
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', paused: { reason: 'budget' }, turnId: null });
  expect(bench.requests).toHaveLength(1);
});
