import { afterEach, beforeEach, expect, test } from 'vitest';
import { chunksOf, openBench, tool, words, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const promptsIn = (n: number): string[] =>
  chunksOf(bench.requests[n]!.records, 'prompt').map((chunk) => (chunk.data as { content: { text: string }[] }).content[0]!.text);
/** A step that calls a tool which waits until it is let go. */
function gate(): { open: () => void; passed: Promise<void> } {
  let open = (): void => {};
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { open, passed };
}

test('I5: ten admissions in one tick make one drain and ten promotions in order', async () => {
  const session = await bench.session();
  let running = 0;
  let most = 0;
  bench.script = async (to) => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setTimeout(resolve, 2));
    running -= 1;
    to.text('ok');
    return to.end();
  };
  await Promise.all(Array.from({ length: 10 }, (_, n) => bench.send(session, `p${n}`, 'queue')));
  await bench.runner.idle();
  const said = chunksOf(await bench.log(session), 'prompt').map(
    (chunk) => (chunk.data as { content: { text: string }[] }).content[0]!.text,
  );
  expect(said).toEqual(Array.from({ length: 10 }, (_, n) => `p${n}`));
  expect(most).toBe(1);
  expect(bench.requests).toHaveLength(10);
});

test('I7, I9, I11: at a boundary both steers join in admission order, after the step’s results; the queued one waits for its own turn', async () => {
  const session = await bench.session();
  const { open, passed } = gate();
  bench.tools = [
    tool('wait', 'run', async (_args, context) => {
      await passed;
      context.output('result', 'waited');
      return { isError: false };
    }),
  ];
  bench.script = (to, n) => {
    if (n > 0) return (to.text(`answer ${n}`), to.end());
    to.call('wait', {});
    return to.end('tool_use');
  };
  await bench.send(session, 'first');
  await bench.until(() => bench.runner.snapshot(session)?.phase === 'tools');
  await bench.send(session, 'steer a');
  await bench.send(session, 'queued', 'queue');
  await bench.send(session, 'steer b');
  expect(promptsIn(0)).toEqual(['first']);
  open();
  await bench.runner.idle();
  expect(promptsIn(1)).toEqual(['first', 'steer a', 'steer b']);
  expect(promptsIn(2)).toEqual(['first', 'steer a', 'steer b', 'queued']);
  const trail = (await bench.trail(session)).filter((line) => line[0] !== '#');
  expect(trail).toEqual([
    'prompt:first',
    'tool_call:wait',
    'tool_result:waited',
    'prompt:steer a',
    'prompt:steer b',
    'text:answer 1',
    'prompt:queued',
    'text:answer 2',
  ]);
  const turns = new Set(chunksOf(await bench.log(session), 'prompt').map((chunk) => chunk.turnId));
  expect(turns.size).toBe(2);
});

test('I8: two queued run one a turn, oldest first, and steers of the first’s turn go before the second', async () => {
  const session = await bench.session();
  const { open, passed } = gate();
  bench.script = async (to, n) => {
    if (n === 0) await passed;
    if (n === 1) await bench.send(session, 'steer in one');
    to.text('ok');
    return to.end();
  };
  await bench.send(session, 'start');
  await bench.until(() => bench.requests.length === 1);
  await bench.send(session, 'one', 'queue');
  await bench.send(session, 'two', 'queue');
  open();
  await bench.runner.idle();
  const prompts = chunksOf(await bench.log(session), 'prompt');
  expect(prompts.map((chunk) => (chunk.data as { content: { text: string }[] }).content[0]!.text)).toEqual([
    'start',
    'one',
    'steer in one',
    'two',
  ]);
  expect(prompts[1]!.turnId).toBe(prompts[2]!.turnId);
  expect(new Set(prompts.map((chunk) => chunk.turnId)).size).toBe(3);
});

test('I10: a steer during the last step makes one more step of the same turn, and loses nothing of that step', async () => {
  const session = await bench.session();
  bench.script = async (to, n) => {
    if (n === 0) await bench.send(session, 'and this');
    to.text(`answer ${n}`);
    return to.end();
  };
  await bench.send(session, 'first');
  await bench.runner.idle();
  const log = await bench.log(session);
  expect((await bench.trail(session)).filter((line) => line[0] !== '#')).toEqual([
    'prompt:first',
    'text:answer 0',
    'prompt:and this',
    'text:answer 1',
  ]);
  expect(new Set(chunksOf(log, 'prompt').map((chunk) => chunk.turnId)).size).toBe(1);
  expect(log.filter((record) => record.type === 'turn-settled')).toHaveLength(1);
});

test('I14: Stop leaves a steer and a queued input pending and visibly paused; Resume runs them, the steer first', async () => {
  const session = await bench.session();
  bench.script = async (to, n) => {
    if (n === 0) return to.hang();
    to.text(`answer ${n}`);
    return to.end();
  };
  await bench.send(session, 'first');
  await bench.until(() => bench.requests.length === 1);
  await bench.send(session, 'queued', 'queue');
  await bench.send(session, 'steer');
  await bench.stop(session);
  await bench.runner.idle();
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', turnId: null, paused: { reason: 'stopped' } });
  expect((await bench.store.timeline(session, 100)).pendingInputs.map((receipt) => receipt.content)).toEqual(
    expect.arrayContaining([words('queued'), words('steer')]),
  );
  expect(bench.requests).toHaveLength(1);
  const { wake } = await bench.store.resume(session, null, { id: null, now: Date.now() });
  expect(wake).toBe(true);
  bench.runner.wake(session);
  await bench.runner.idle();
  expect(promptsIn(1)).toEqual(['first', 'steer']);
  expect(promptsIn(2)).toEqual(['first', 'steer', 'queued']);
  expect((await bench.summary(session)).status).toBe('idle');
});

test('I17: an after-commit listener that throws changes nothing for the turn', async () => {
  const session = await bench.session();
  bench.store.onCommit(() => {
    throw new Error('a listener failed');
  });
  await bench.send(session, 'first');
  await bench.runner.idle();
  expect((await bench.trail(session)).at(-1)).toBe('#turn-settled');
  expect(bench.reports.length).toBeGreaterThan(0);
});

test('I20: pending input without a turn wakes after a start', async () => {
  const session = await bench.session();
  await bench.runner.close();
  await bench.send(session, 'written before the restart');
  expect(bench.requests).toHaveLength(0);
  await bench.restart();
  await bench.runner.idle();
  expect(promptsIn(0)).toEqual(['written before the restart']);
});

test('I37: a step that ends because the context is full promotes nothing; then the steers, then the queue', async () => {
  const session = await bench.session();
  bench.script = async (to, n) => {
    if (n > 0) return (to.text('fin'), to.end());
    await bench.send(session, 'queued', 'queue');
    await bench.send(session, 'steer');
    to.text('half');
    return to.end('window_exceeded');
  };
  await bench.send(session, 'first');
  await bench.runner.idle();
  expect(bench.requests).toHaveLength(1);
  expect((await bench.trail(session)).filter((line) => line.startsWith('prompt'))).toEqual(['prompt:first']);
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', paused: { reason: 'failed' } });
  await bench.store.resume(session, null, { id: null, now: Date.now() });
  bench.runner.wake(session);
  await bench.runner.idle();
  expect(promptsIn(1)).toEqual(['first', 'steer']);
  expect(promptsIn(2)).toEqual(['first', 'steer', 'queued']);
});
