/**
 * `kill -9` of the real server, in the middle of things, with the real SDK talking to a strict double. What was acknowledged
 * is there after the next start, every call has its result, nothing runs twice, the cut turn says so and goes on (laws 2, 5, 12, 13).
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ChunkRecord, LogRecord } from '#shared/protocol/records.ts';
import type { Timeline } from '#shared/protocol/summaries.ts';
import { CairnServer } from '../e2e/harness/server.ts';
import { uuid } from '../support/runner/scripted.ts';
import { doubleModel, startDouble, type Double } from '../wire/double.ts';

let double: Double;
let server: CairnServer;
beforeEach(async () => {
  double = await startDouble();
  server = await CairnServer.create({
    env: { ANTHROPIC_BASE_URL: double.url, ANTHROPIC_API_KEY: 'sk-test', CAIRN_WIRE: 'anthropic', CAIRN_MODEL: doubleModel().id },
  });
  await server.start();
});
afterEach(async () => {
  await server.dispose();
  await double.close();
});

async function call<T>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
  const answer = await fetch(`${server.url}/api${path}`, {
    method,
    headers: { authorization: `Bearer ${server.token}`, origin: server.url, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as T };
}
async function newSession(mode = 'auto'): Promise<string> {
  const id = uuid();
  expect((await call('PUT', `/sessions/${id}`, { workspace: server.workspace, mode })).status).toBe(201);
  return id;
}
async function send(session: string, text: string, delivery = 'steer', id = uuid()): Promise<string> {
  const answer = await call('PUT', `/sessions/${session}/inputs/${id}`, {
    content: [{ type: 'text', text }],
    delivery,
    composedAt: Date.now(),
  });
  expect(answer.status).toBe(201);
  return id;
}
const timeline = async (session: string): Promise<Timeline> =>
  (await call<Timeline>('GET', `/sessions/${session}/timeline?limit=1000`)).body;
async function until<T>(what: () => Promise<T | null>): Promise<T> {
  const deadline = Date.now() + 30_000;
  for (;;) {
    const found = await what();
    if (found !== null) return found;
    if (Date.now() > deadline) throw new Error('it never came to be');
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}
const ended = (session: string): Promise<Timeline> =>
  until(async () => {
    const now = await timeline(session);
    return now.session.turnId === null && now.pendingInputs.length === 0 ? now : null;
  });
const chunks = (records: readonly LogRecord[], type: string): ChunkRecord[] =>
  records.filter((record): record is ChunkRecord => record.kind === 'chunk' && record.type === type);
const textOf = (chunk: ChunkRecord): string => (chunk.data as { text: string }).text;

function expectLaws(now: Timeline): void {
  expect(now.records.map((record) => record.seq)).toEqual(Array.from({ length: now.head }, (_, n) => n + 1));
  const calls = chunks(now.records, 'tool_call').map((chunk) => (chunk.data as { callId: string }).callId);
  const results = chunks(now.records, 'tool_result').map((chunk) => (chunk.data as { callId: string }).callId);
  expect(results.toSorted()).toEqual(calls.toSorted());
  const prompts = chunks(now.records, 'prompt').map((chunk) => chunk.id);
  expect(new Set(prompts).size).toBe(prompts.length);
  expect(double.log.flatMap((entry) => entry.breaches)).toEqual([]);
}

test('B43: killed while text streams: what was sealed stands, the cut is said, the turn goes on, the next prompt runs', async () => {
  double.script = async (request, reply) => {
    if (request.n === 0) return reply.text('sealed before the kill');
    if (request.n === 1) {
      await reply.text('lost words '.repeat(400), { wait: 20 });
      return;
    }
    await reply.text(`answer ${request.n}`);
  };
  const session = await newSession();
  await send(session, 'one');
  const before = await ended(session);
  await send(session, 'two');
  await until(async () => ((await timeline(session)).live?.chunks.length ?? 0) > 0 || null);
  await send(session, 'queued during it', 'queue');
  await server.kill9();
  await server.start();
  const after = await ended(session);
  expect(after.records.slice(0, before.head)).toEqual(before.records);
  expect(chunks(after.records, 'system').some((chunk) => (chunk.data as { kind: string }).kind === 'interrupted')).toBe(true);
  expect(chunks(after.records, 'prompt').map((chunk) => (chunk.data as { content: { text: string }[] }).content[0]!.text)).toEqual([
    'one',
    'two',
    'queued during it',
  ]);
  expect(chunks(after.records, 'text').map(textOf)).toEqual(['sealed before the kill', 'answer 2', 'answer 3']);
  expectLaws(after);
  await send(session, 'and then');
  expect(
    chunks((await ended(session)).records, 'text')
      .map(textOf)
      .at(-1),
  ).toBe('answer 4');
});

test('I18: killed while a tool runs: its call gets "may have run" and it is not run again', async () => {
  double.script = async (request, reply) => {
    if (request.n === 0) return reply.tool('run', { command: 'echo ran >> ran.txt; sleep 30' });
    await reply.text(request.results.map((result) => result.text).join());
  };
  const session = await newSession();
  await send(session, 'go');
  await until(async () => (existsSync(join(server.workspace, 'ran.txt')) ? true : null));
  await server.kill9();
  await server.start();
  const after = await ended(session);
  expect(readFileSync(join(server.workspace, 'ran.txt'), 'utf8')).toBe('ran\n');
  expect(chunks(after.records, 'tool_result').map((chunk) => (chunk.data as { outcome: string }).outcome)).toEqual(['interrupted']);
  expect(textOf(chunks(after.records, 'text').at(-1)!)).toMatch(/may have run/);
  expectLaws(after);
});

test('killed at the question: the undecided call was certainly not run, and the old question is gone', async () => {
  double.script = async (request, reply) => {
    if (request.n === 0) return reply.tool('run', { command: 'touch asked.txt' });
    await reply.text('fin');
  };
  const session = await newSession('ask');
  await send(session, 'go');
  const question = await until(async () => (await timeline(session)).approvals[0] ?? null);
  await server.kill9();
  await server.start();
  const after = await ended(session);
  expect(existsSync(join(server.workspace, 'asked.txt'))).toBe(false);
  expect(after.approvals).toEqual([]);
  expect(chunks(after.records, 'tool_result').map((chunk) => (chunk.data as { outcome: string }).outcome)).toEqual(['not-run']);
  expect((await call('PUT', `/sessions/${session}/approvals/${question.id}`, { decision: 'allow' })).status).toBe(410);
  expectLaws(after);
});

test('law 2: every receipt that was answered survives a kill in the same instant, and runs once', async () => {
  double.script = (_request, reply) => reply.text('ok');
  const session = await newSession();
  const ids: string[] = [];
  for (let n = 0; n < 5; n++) {
    ids.push(await send(session, `p${n}`, 'queue'));
    await server.kill9();
    await server.start();
    // A retry after the restart gets the receipt it had, and no second run.
    const again = await call<{ id: string }>('PUT', `/sessions/${session}/inputs/${ids.at(-1)}`, {
      content: [{ type: 'text', text: `p${n}` }],
      delivery: 'queue',
    });
    expect(again).toMatchObject({ status: 200, body: { id: ids.at(-1) } });
  }
  const after = await ended(session);
  expect(chunks(after.records, 'prompt').map((chunk) => chunk.id)).toEqual(ids);
  expectLaws(after);
}, 120_000);
