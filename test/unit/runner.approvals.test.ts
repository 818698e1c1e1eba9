import { afterEach, beforeEach, expect, test } from 'vitest';
import { openBench, tool, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
let ran: unknown[];
beforeEach(async () => {
  bench = await openBench();
  ran = [];
  bench.tools = [
    tool('run', 'run', (args) => {
      ran.push(args['command']);
      return Promise.resolve({ isError: false });
    }),
  ];
  bench.script = (to, n) => {
    if (n % 2 === 1) return (to.text('fin'), to.end());
    to.call('run', { command: 'make' });
    return to.end('tool_use');
  };
});
afterEach(() => bench.close());

const open = async (session: string): Promise<string> => {
  await bench.until(async () => (await bench.store.timeline(session, 1)).approvals.length === 1);
  return (await bench.store.timeline(session, 1)).approvals[0]!.id;
};
async function decide(session: string, id: string, decision: 'allow' | 'deny', remember = false): Promise<void> {
  await bench.store.decideApproval(session, id, { decision, remember, by: null }, { id: null, now: Date.now() });
  bench.runner.decided(session, id, decision);
}
const shown = async (session: string): Promise<string[]> => (await bench.trail(session)).filter((line) => line[0] !== '#');

test('the session waits for the user, and a yes runs the tool once', async () => {
  const session = await bench.session('ask');
  await bench.send(session, 'go');
  const id = await open(session);
  expect((await bench.summary(session)).status).toBe('waiting');
  expect(ran).toEqual([]);
  await decide(session, id, 'allow');
  await expect(decide(session, id, 'deny')).rejects.toMatchObject({ code: 'gone' });
  await bench.runner.idle();
  expect(ran).toEqual(['make']);
  expect((await bench.summary(session)).status).toBe('idle');
});

test('a no is the call’s result, and the turn goes on', async () => {
  const session = await bench.session('ask');
  await bench.send(session, 'go');
  await decide(session, await open(session), 'deny');
  await bench.runner.idle();
  expect(ran).toEqual([]);
  expect(await shown(session)).toEqual(['prompt:go', 'tool_call:run', 'tool_result:denied', 'text:fin']);
});

test('"always in this session" outlives a restart of the runner', async () => {
  const session = await bench.session('ask');
  await bench.send(session, 'go');
  await decide(session, await open(session), 'allow', true);
  await bench.runner.idle();
  await bench.restart();
  await bench.send(session, 'again');
  await bench.runner.idle();
  expect(ran).toEqual(['make', 'make']);
});

test('plan mode refuses what writes or runs, and asks nobody', async () => {
  const session = await bench.session('plan');
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(ran).toEqual([]);
  expect(await shown(session)).toEqual(['prompt:go', 'tool_call:run', 'tool_result:denied', 'text:fin']);
});

test('B36c: a Stop at the question closes it, and the call was certainly not run', async () => {
  const session = await bench.session('ask');
  await bench.send(session, 'go');
  const id = await open(session);
  await bench.stop(session);
  await bench.runner.idle();
  expect(ran).toEqual([]);
  expect(await shown(session)).toEqual(['prompt:go', 'tool_call:run', 'tool_result:not-run', 'system:interrupted']);
  await expect(decide(session, id, 'allow')).rejects.toMatchObject({ code: 'gone' });
  expect(await bench.summary(session)).toMatchObject({ status: 'paused' });
});

test('a result that is ready is sealed while another call waits for the user', async () => {
  const session = await bench.session('ask');
  bench.tools.push(
    tool('list', 'read', (_args, context) => {
      context.output('result', 'files');
      return Promise.resolve({ isError: false });
    }),
  );
  bench.script = (to, n) => {
    if (n === 1) return (to.text('fin'), to.end());
    to.call('list', {});
    to.call('run', { command: 'make' });
    return to.end('tool_use');
  };
  await bench.send(session, 'go');
  const id = await open(session);
  await bench.until(async () => (await shown(session)).includes('tool_result:files'));
  expect(bench.runner.snapshot(session)?.chunks.some((chunk) => chunk.id.endsWith('.t.0'))).toBe(false);
  await decide(session, id, 'allow');
  await bench.runner.idle();
  expect((await shown(session)).filter((line) => line.startsWith('tool_result'))).toHaveLength(2);
});
