/** The step limit: the last step is told so at the tail of the wire, runs no tools, and the turn ends visibly. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildWire } from '../../server/agent/wire.ts';
import { WORDS } from '../../server/runner/notes.ts';
import { openBench, tool, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
let ran: number;
beforeEach(async () => {
  bench = await openBench();
  ran = 0;
  bench.tools = [tool('one', 'run', () => Promise.resolve({ isError: false }).finally(() => (ran += 1)))];
});
afterEach(() => bench.close());

const limitTo = (stepLimit: number): Promise<unknown> => bench.store.changeSettings({ stepLimit }, { id: null, now: 0 });
const shown = async (session: string): Promise<string[]> => (await bench.trail(session)).filter((line) => line[0] !== '#');
const settled = async (session: string): Promise<unknown[]> =>
  (await bench.log(session)).filter((record) => record.type === 'turn-settled').map((record) => (record.data as { reason: string }).reason);
/** Every request's messages as lines, tools and system before them. */
const wires = (): string[][] =>
  bench.requests.map(({ records }) => {
    const { system, tools, messages } = buildWire(records, { profile: 'plain', source: 's', thinking: true });
    return [
      JSON.stringify([system, tools]),
      ...messages.flatMap(({ role, content }) => content.map((block) => JSON.stringify([role, block]))),
    ];
  });
const last = JSON.stringify(['user', { type: 'text', text: WORDS.lastStep.wire }]);

test('the last step is told that it can use no tools; what it calls all the same is not run, and the turn settles as `limit`', async () => {
  const session = await bench.session();
  await limitTo(3);
  bench.script = (to, n) => {
    to.text(`t${n}`);
    to.call('one', {});
    return to.end('tool_use');
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(bench.requests).toHaveLength(3);
  expect(ran).toBe(2);
  expect((await shown(session)).slice(-5)).toEqual(['system:notice', 'text:t2', 'tool_call:one', 'tool_result:not-run', 'system:limit']);
  expect(await settled(session)).toEqual(['limit']);
  expect((await bench.summary(session)).status).toBe('idle');

  const sent = wires();
  expect(sent.map((lines) => lines.indexOf(last))).toEqual([-1, -1, sent[2]!.length - 1]);
  // The definitions stay, and each request goes on where the one before ended (law 11).
  for (const at of [1, 2]) expect(sent[at]!.slice(0, sent[at - 1]!.length)).toEqual(sent[at - 1]);

  // The user sends it on: the log that was left makes a valid request.
  bench.script = (to) => (to.text('fin'), to.end());
  await bench.send(session, 'go on');
  await bench.runner.idle();
  expect(await settled(session)).toEqual(['limit', 'done']);
  const after = wires().at(-1)!;
  expect(after.slice(0, sent[2]!.length)).toEqual(sent[2]);
});

test('a limit of one step works, and a turn that ends on its last step has simply ended', async () => {
  const session = await bench.session();
  await limitTo(1);
  bench.script = (to) => (to.text('short'), to.end());
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(wires()).toEqual([expect.arrayContaining([last])]);
  expect(await shown(session)).toEqual(['prompt:go', 'system:notice', 'text:short']);
  expect(await settled(session)).toEqual(['done']);
});

test('a steer that comes during the last step opens the next turn', async () => {
  const session = await bench.session();
  await limitTo(1);
  bench.script = async (to, n) => {
    if (n === 0) await bench.send(session, 'and this');
    to.text(`t${n}`);
    return to.end();
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(await settled(session)).toEqual(['done', 'done']);
  expect((await shown(session)).filter((line) => !line.startsWith('system'))).toEqual([
    'prompt:go',
    'text:t0',
    'prompt:and this',
    'text:t1',
  ]);
});

test.each(['max_tokens', 'pause_turn', 'end_turn'] as const)('a last answer that would go on after %s says so and ends', async (stop) => {
  const session = await bench.session();
  await limitTo(1);
  bench.script = (to) => {
    if (stop !== 'end_turn') to.text('half');
    return to.end(stop);
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(bench.requests).toHaveLength(1);
  expect((await shown(session)).at(-1)).toBe('system:limit');
  expect(await settled(session)).toEqual(['limit']);
  for (const record of await bench.log(session)) expect(JSON.stringify(record.data)).not.toContain('goes on below');
});

test('a step that a fault cut is made again: it does not count, and the words of the last step are said once', async () => {
  const session = await bench.session();
  await limitTo(1);
  bench.script = (to, n) => {
    to.emit({ type: 'text-delta', i: 0, text: `part ${n}` });
    if (n === 0) to.fail('overloaded_error');
    to.emit({ type: 'text-end', i: 0 });
    return to.end();
  };
  await bench.send(session, 'go');
  await bench.runner.idle();
  expect(await shown(session)).toEqual(['prompt:go', 'system:notice', 'text:part 0', 'system:interrupted', 'text:part 1']);
  expect(await settled(session)).toEqual(['done']);
});

test('steps made before a restart count', async () => {
  const session = await bench.session();
  await limitTo(4);
  bench.script = (to, n) => {
    if (n === 2) return to.hang();
    to.call('one', {});
    return to.end('tool_use');
  };
  await bench.send(session, 'go');
  await bench.until(() => bench.requests.length === 3);
  await bench.restart();
  await bench.runner.idle();
  // Two before, the one that was cut is made again, and one more.
  expect(bench.requests).toHaveLength(5);
  expect(await settled(session)).toEqual(['limit']);
});
