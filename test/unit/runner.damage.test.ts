/** A session with unreadable rows goes on: nothing of them is on the wire, no half of a call stays alone, the next turn runs. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildWire } from '../../server/agent/wire.ts';
import type { WireMessage } from '../../server/agent/wire-types.ts';
import { chunksOf, openBench, tool, type Bench } from '../support/runner/scripted.ts';

let bench: Bench;
let db: Database.Database;
beforeEach(async () => {
  bench = await openBench();
  db = new Database(join(bench.folder, 'cairn.db'));
  bench.tools = [
    tool('one', 'run', (_args, context) => {
      context.output('result', 'the result');
      return Promise.resolve({ isError: false });
    }),
  ];
});
afterEach(async () => {
  db.close();
  await bench.close();
});

/** A turn of one step with two calls, and a last word. */
async function played(): Promise<string> {
  const session = await bench.session();
  bench.script = (to, n) => {
    if (n > 0) return (to.text('fin'), to.end());
    to.text('I look.');
    to.call('one', { n: 1 });
    to.call('one', { n: 2 });
    return to.end('tool_use');
  };
  await bench.send(session, 'the first prompt');
  await bench.runner.idle();
  return session;
}
const damage = (id: string): void => void db.prepare(`UPDATE record SET data = '{"cut' WHERE id = ?`).run(id);
/** What the model would be sent, checked against laws 11's and 12's rules of form. */
function messages(): WireMessage[] {
  const { messages: sent } = buildWire(bench.requests.at(-1)!.records, { profile: 'plain', source: 's', thinking: true });
  expect(sent[0]!.role).toBe('user');
  for (const [at, message] of sent.entries()) {
    const calls = message.content.filter((block) => block.type === 'tool_use').map((block) => block['id']);
    const results = (sent[at + 1]?.content ?? []).filter((block) => block.type === 'tool_result').map((block) => block['tool_use_id']);
    expect(results).toEqual(calls);
    expect(message.content.length).toBeGreaterThan(0);
    expect(sent[at + 1]?.role).not.toBe(message.role);
  }
  return sent;
}

test.each([
  ['a call', 'tool_call', 1],
  ['a result', 'tool_result', 1],
  ['an answer', 'text', 2],
  ['the first prompt', 'prompt', 2],
] as const)('%s that cannot be read leaves the rest of the session working', async (_what, type, calls) => {
  const session = await played();
  const hurt = chunksOf(await bench.log(session), type)[0]!;
  damage(hurt.id);
  await bench.restart();
  await bench.send(session, 'go on');
  await bench.runner.idle();
  expect((await bench.summary(session)).status).toBe('idle');
  const sent = messages();
  expect(sent.flatMap((message) => message.content).filter((block) => block.type === 'tool_use')).toHaveLength(calls);
  expect(JSON.stringify(sent)).toContain('go on');
  expect(JSON.stringify(sent)).not.toContain('{"cut');
  expect(bench.reports.filter((event) => event === 'unreadable-record')).toHaveLength(1);
});

test('all of a session’s first words gone: the wire still begins with the user', async () => {
  const session = await played();
  const log = await bench.log(session);
  for (const row of [...chunksOf(log, 'prompt'), ...chunksOf(log, 'system')]) damage(row.id);
  await bench.restart();
  await bench.send(session, 'go on');
  await bench.runner.idle();
  expect(messages()[0]!.content).toEqual([{ type: 'text', text: '[What stood here first can no longer be read.]' }]);
});

test('the head of the wire gone: it is written anew, and the next turns keep it', async () => {
  const session = await played();
  damage((await bench.log(session)).find((record) => record.type === 'wire-header')!.id);
  await bench.restart();
  for (const words of ['go on', 'and on']) {
    await bench.send(session, words);
    await bench.runner.idle();
  }
  expect((await bench.log(session)).filter((record) => record.type === 'wire-header')).toHaveLength(1);
  messages();
});

test.each(['tool_call', 'tool_result'])(
  'law 12: a %s damaged in a turn that a dead process left is no reason for it not to end',
  async (type) => {
    const session = await bench.session();
    bench.script = (to, n) => {
      if (n > 0) return to.hang();
      to.call('one', {});
      to.call('one', {});
      return to.end('tool_use');
    };
    await bench.send(session, 'go');
    await bench.until(() => bench.requests.length === 2);
    await bench.runner.close();
    damage(chunksOf(await bench.log(session), type)[0]!.id);
    bench.script = (to) => (to.text('fin'), to.end());
    await bench.restart();
    await bench.runner.idle();
    expect((await bench.summary(session)).status).toBe('idle');
    expect(chunksOf(await bench.log(session), 'tool_result')).toHaveLength(type === 'tool_result' ? 1 : 2);
    messages();
  },
);
