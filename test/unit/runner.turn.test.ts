import { afterEach, beforeEach, expect, test } from 'vitest';
import { chunksOf, openBench, tool, type Bench } from '../support/runner/scripted.ts';
import { BUDGET } from '../../server/runner/turn-state.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await openBench();
});
afterEach(() => bench.close());

const shown = async (session: string): Promise<string[]> => (await bench.trail(session)).filter((line) => line[0] !== '#');
const settled = async (session: string): Promise<unknown[]> =>
  (await bench.log(session)).filter((record) => record.type === 'turn-settled').map((record) => (record.data as { reason: string }).reason);

test('a step costs two commits when its tools end within a second', async () => {
  const session = await bench.session();
  bench.tools = [
    tool('one', 'run', (_args, context) => {
      context.output('result', 'r');
      return Promise.resolve({ isError: false });
    }),
  ];
  bench.script = (to, n) => {
    to.text(`t${n}`);
    if (n < 3) to.call('one', {});
    return to.end(n < 3 ? 'tool_use' : 'end_turn');
  };
  let commits = 0;
  await bench.send(session, 'go', 'steer');
  bench.store.onCommit(() => (commits += 1));
  await bench.runner.idle();
  // Opening may have been committed before the listener came: three steps of two, then the last message with its settling.
  expect(commits - 3 * 2 - 1).toBeLessThanOrEqual(1);
  expect(await settled(session)).toEqual(['done']);
});

test('the live view equals the sealed rows (law 14) and nothing stays live after', async () => {
  const session = await bench.session();
  const seen = new Map<string, unknown>();
  bench.runner.onFrame(() => {
    for (const chunk of bench.runner.snapshot(session)?.chunks ?? []) seen.set(chunk.id, chunk.data);
  });
  bench.tools = [
    tool('one', 'run', async (_args, context) => {
      context.output('stdout', 'a\n');
      context.output('stderr', 'b\n');
      context.output('result', 'a\nb\nexit 0');
      await new Promise((resolve) => setTimeout(resolve, 60));
      return { isError: false, exitCode: 0 };
    }),
  ];
  bench.script = async (to, n) => {
    if (n === 0) {
      to.emit({ type: 'thinking-delta', i: 0, text: 'hm' });
      to.emit({ type: 'thinking-end', i: 0, signature: 'sig' });
      to.call('one', {}, 1);
      await new Promise((resolve) => setTimeout(resolve, 60));
      return to.end('tool_use');
    }
    to.text('fin');
    return to.end();
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  const log = await bench.log(session);
  const thinking = chunksOf(log, 'thinking')[0]!;
  expect(seen.get(thinking.id)).toEqual(thinking.data);
  expect(thinking.data).toEqual({ text: 'hm', signature: 'sig', source: 'scripted-source' });
  expect(chunksOf(log, 'tool_result')[0]!.data).toEqual({
    callId: expect.any(String),
    content: [{ type: 'text', text: 'a\nb\nexit 0' }],
    isError: false,
    shell: { stdout: 'a\n', stderr: 'b\n', exitCode: 0 },
  });
  expect(bench.runner.snapshot(session)).toBeNull();
});

test('I21, B36: a Stop while tool 1 of 2 runs gives each call one result and one settled event', async () => {
  const session = await bench.session();
  bench.tools = [
    tool('slow', 'run', (_args, context) => {
      context.output('stdout', 'half ');
      return new Promise((resolve) =>
        context.signal.addEventListener('abort', () => {
          context.output('result', 'killed');
          resolve({ isError: true, exitCode: null, outcome: 'interrupted' });
        }),
      );
    }),
  ];
  bench.script = (to) => {
    to.call('slow', {});
    to.call('slow', {});
    return to.end('tool_use');
  };
  await bench.send(session, 'go');
  await bench.until(() => (bench.runner.snapshot(session)?.chunks.length ?? 0) > 0 && bench.runner.snapshot(session)?.phase === 'tools');
  await bench.stop(session);
  await bench.runner.idle();
  expect((await shown(session)).filter((line) => line.startsWith('tool_result'))).toEqual([
    'tool_result:interrupted',
    'tool_result:not-run',
  ]);
  expect(await settled(session)).toEqual(['stopped']);
  expect(bench.requests).toHaveLength(1);
});

test('a Stop in the middle of text keeps what was shown, marks it, and promotes nothing', async () => {
  const session = await bench.session();
  bench.script = (to) => {
    to.emit({ type: 'text-delta', i: 0, text: 'half a sen' });
    to.emit({ type: 'tool-call-start', i: 1, callId: 'c', name: 'slow' });
    to.emit({ type: 'tool-call-args', i: 1, text: '{"comm' });
    return to.hang();
  };
  await bench.send(session, 'go');
  await bench.until(() => (bench.runner.snapshot(session)?.chunks.length ?? 0) === 2);
  await bench.stop(session);
  await bench.runner.idle();
  expect(await shown(session)).toEqual(['prompt:go', 'text:half a sen', 'system:interrupted']);
});

test('I22: a Stop during a retry’s wait makes no further attempt', async () => {
  const session = await bench.session();
  bench.script = (to) => to.fail('overloaded_error', { retryAfter: 60_000 });
  bench.runner.onFrame((frame) => {
    if (frame.events.some((event) => event.type === 'retry')) void bench.stop(session);
  });
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(bench.requests).toHaveLength(1);
  expect(bench.waits).toContain(60_000);
  expect(await settled(session)).toEqual(['stopped']);
});

test('a wait longer than the system’s timers can is not taken for none', async () => {
  const session = await bench.session();
  bench.script = (to, n) => {
    if (n === 0) to.fail('rate_limit_error', { retryAfter: 40 * 24 * 3_600_000 });
    return (to.text('fin'), to.end());
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(bench.waits).toEqual([2 ** 31 - 1]);
  expect(await settled(session)).toEqual(['done']);
});

test('I23: the second interrupt changes nothing; one of an idle session changes nothing', async () => {
  const session = await bench.session();
  await bench.stop(session);
  expect((await bench.log(session)).length).toBe(0);
  bench.script = (to) => to.hang();
  await bench.send(session, 'go');
  await bench.until(() => bench.requests.length === 1);
  await bench.stop(session);
  await bench.stop(session);
  await bench.runner.idle();
  expect((await bench.trail(session)).filter((line) => line === '#paused')).toHaveLength(1);
  expect(await settled(session)).toEqual(['stopped']);
});

test('I25, B24a: a fault before any output is retried unseen; after the last attempt the turn fails visibly and pauses', async () => {
  const session = await bench.session();
  bench.script = (to, n) => {
    if (n < 2) to.fail('overloaded_error');
    to.text('at last');
    return to.end();
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(await shown(session)).toEqual(['prompt:go', 'text:at last']);
  expect(bench.requests.map((request) => request.attempt)).toEqual([0, 1, 2]);

  bench.requests.length = 0;
  bench.script = (to) => to.fail('overloaded_error', { status: 529 });
  await bench.send(session, 'again');
  await bench.send(session, 'waits', 'queue');
  await bench.runner.idle();
  expect(bench.requests).toHaveLength(BUDGET.tries);
  expect((await shown(session)).slice(-2)).toEqual(['prompt:again', 'error:overloaded_error']);
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', paused: { reason: 'failed' } });
});

test('a failed turn goes on when it is resumed, with no prompt of its own', async () => {
  const session = await bench.session();
  bench.script = (to) => to.fail('invalid_request_error', { retryable: false, status: 400 });
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect((await bench.summary(session)).status).toBe('paused');
  bench.script = (to) => {
    to.text('now it works');
    return to.end();
  };
  expect((await bench.store.resume(session, null, { id: null, now: Date.now() })).wake).toBe(true);
  bench.runner.wake(session);
  await bench.runner.idle();
  expect(await shown(session)).toEqual(['prompt:go', 'error:invalid_request_error', 'text:now it works']);
  expect((await bench.summary(session)).status).toBe('idle');
});

test('I26, B24b: a fault after some text keeps it, marks it, and goes on within the same budget', async () => {
  const session = await bench.session();
  bench.script = (to, n) => {
    to.emit({ type: 'text-delta', i: 0, text: `part ${n}` });
    if (n < 2) to.fail('overloaded_error');
    to.emit({ type: 'text-end', i: 0 });
    return to.end();
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(await shown(session)).toEqual([
    'prompt:go',
    'text:part 0',
    'system:interrupted',
    'text:part 1',
    'system:interrupted',
    'text:part 2',
  ]);
  bench.requests.length = 0;
  bench.script = (to) => {
    to.emit({ type: 'text-delta', i: 0, text: 'x' });
    return to.fail('overloaded_error');
  };
  await bench.send(session, 'for ever?');
  await bench.runner.idle();
  expect(bench.requests).toHaveLength(BUDGET.tries);
  expect(await settled(session)).toEqual(['done', 'failed']);
});

test('B24c: no tool of an unfinished message runs, and its call has a result', async () => {
  const session = await bench.session();
  let ran = 0;
  bench.tools = [tool('touch', 'run', () => Promise.resolve({ isError: false }).finally(() => (ran += 1)))];
  bench.script = (to, n) => {
    if (n > 0) return (to.text('fin'), to.end());
    to.call('touch', {});
    return to.fail('overloaded_error');
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(ran).toBe(0);
  expect(await shown(session)).toEqual(['prompt:go', 'tool_call:touch', 'tool_result:not-run', 'system:interrupted', 'text:fin']);
});

test('B27: arguments cut by the token limit touch nothing and the model is told', async () => {
  const session = await bench.session();
  let ran = 0;
  bench.tools = [tool('touch', 'run', () => Promise.resolve({ isError: false }).finally(() => (ran += 1)))];
  bench.script = (to, n) => {
    if (n > 0) return (to.text('fin'), to.end());
    to.emit({ type: 'tool-call-start', i: 0, callId: 'c', name: 'touch' });
    to.emit({ type: 'tool-call-args', i: 0, text: '{"command":"rm -rf build' });
    to.emit({ type: 'tool-call-end', i: 0 });
    return to.end('max_tokens');
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(ran).toBe(0);
  expect(await shown(session)).toEqual(['prompt:go', 'tool_call:touch', 'tool_result:not-run', 'system:cut-off', 'text:fin']);
});

test('a bug in our own parts ends in a visible, recoverable state (law 13)', async () => {
  const session = await bench.session();
  bench.script = () => {
    throw new TypeError('a bug');
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(await bench.summary(session)).toMatchObject({ status: 'paused', turnId: null });
  expect((await shown(session)).at(-1)).toBe('error:internal');
});

test('law 8: what was live is until its rows are committed: in between it is seen once, never not at all', async () => {
  const session = await bench.session();
  bench.tools = [
    tool('one', 'run', (_args, context) => {
      context.output('result', 'r');
      return Promise.resolve({ isError: false });
    }),
  ];
  bench.script = (to, n) => {
    to.text(`t${n}`);
    if (n === 0) to.call('one', {}, 1);
    return to.end(n === 0 ? 'tool_use' : 'end_turn');
  };
  const looks: { live: string[]; sealed: string[] }[] = [];
  const look = async (): Promise<void> => {
    const live = (bench.runner.snapshot(session)?.chunks ?? []).map(({ id }) => id);
    const sealed = (await bench.log(session)).filter(({ kind }) => kind === 'chunk').map(({ id }) => id);
    looks.push({ live, sealed });
  };
  const { seal, settle } = bench.store;
  bench.store.seal = async (...given) => {
    await look();
    return seal(...given);
  };
  bench.store.settle = async (...given) => {
    await look();
    return settle(...given);
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  const ends = looks.map(({ live, sealed }) => [live.map((id) => id.replace(/^.{36}\./, '')), live.some((id) => sealed.includes(id))]);
  expect(ends).toEqual([
    [['0.m.0', '0.m.1'], false],
    [['0.t.0'], false],
    [['1.m.0'], false],
  ]);
  expect(bench.runner.snapshot(session)).toBeNull();
});
