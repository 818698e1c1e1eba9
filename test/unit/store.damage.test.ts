/** Rows of a real database that a fault or a hand has damaged: told once, shown as unreadable, and in nobody's way. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isSound } from '../../server/store/sqlite/sound.ts';
import { toldOnce } from '../../server/store/sqlite/damage.ts';
import {
  admission,
  approvalAsk,
  command,
  id,
  newSession,
  noPreface,
  NOW,
  runningTurn,
  sqliteHarness,
  textRow,
} from '../support/store-harness.ts';
import { wholeLog } from '../support/store-test.ts';

async function fresh() {
  const harness = await sqliteHarness();
  onTestFinished(() => harness.close());
  const db = new Database(join(harness.folder, 'cairn.db'));
  onTestFinished(() => void db.close());
  const { store, reports } = harness;
  return { harness, store, reports, db };
}

test.each([
  ['cut in the middle', `{"text":"dama`],
  ['of another shape', `{"words":"fine"}`],
  ['no object', `null`],
  ['empty', ``],
])('a row whose data is %s is told once, however often it is read', async (_how, data) => {
  const { harness, store, reports, db } = await fresh();
  const session = await newSession(store);
  const { claim, turnId } = await runningTurn(store, session.id);
  const [hurt] = await store.seal(claim, [textRow(turnId, 0, 0, 'damaged')], NOW);
  db.prepare('UPDATE record SET data = ? WHERE id = ?').run(data, hurt!.id);
  const opaque = { ...hurt!, type: 'unreadable', data: { unreadable: true, type: 'text' } };
  for (let round = 0; round < 3; round++) {
    expect((await wholeLog(harness, session.id)).at(-1)).toEqual(opaque);
    expect((await store.history(session.id, 0)).at(-1)).toEqual(opaque);
    expect((await store.turnRecords(session.id, turnId)).at(-1)).toEqual(opaque);
    expect((await store.timeline(session.id, 5)).records.at(-1)).toEqual(opaque);
    expect((await store.chunks(session.id, null, 5)).chunks.at(-1)).toEqual(opaque);
  }
  expect(reports).toEqual([{ event: 'unreadable-record', facts: { sessionId: session.id, seq: hurt!.seq, type: 'text' } }]);
});

test('a row whose blob is gone is unreadable where the whole is needed, and keeps its reference elsewhere', async () => {
  const { harness, store, reports, db } = await fresh();
  const session = await newSession(store);
  const { claim, turnId } = await runningTurn(store, session.id);
  const [large] = await store.seal(claim, [textRow(turnId, 0, 0, 'x'.repeat(LIMITS.inlineDataBytes))], NOW);
  db.pragma('foreign_keys = OFF');
  db.exec('DELETE FROM blob');
  expect((await store.history(session.id, 0)).at(-1)).toEqual({ ...large!, type: 'unreadable', data: { unreadable: true, type: 'text' } });
  expect((await wholeLog(harness, session.id)).at(-1)).toEqual(large);
  expect(reports).toHaveLength(1);
});

test('a prompt that waits and cannot be read holds nothing up: lists, receipts, edits, and its promotion in its place', async () => {
  const { harness, store, reports, db } = await fresh();
  const session = await newSession(store);
  const asked = [admission(session.id, 'lost'), admission(session.id, 'kept'), admission(session.id, 'later', 'queue')];
  for (const one of asked) await store.admit(one);
  db.prepare(`UPDATE session_input SET parts = '[{"type":"text"' WHERE id = ?`).run(asked[0]!.inputId);
  db.prepare(`UPDATE session_input SET delivery = 'sideways' WHERE id = ?`).run(asked[2]!.inputId);
  const placeholder = [{ type: 'text', text: '[The words of this prompt can no longer be read on the server.]' }];

  const again = await harness.reopen();
  expect(await again.runnableSessions()).toEqual([session.id]);
  const { pendingInputs } = await again.timeline(session.id, 10);
  expect(pendingInputs.map(({ content, delivery }) => [content, delivery])).toEqual([
    [placeholder, 'steer'],
    [asked[1]!.content, 'steer'],
    [asked[2]!.content, 'queue'],
  ]);
  expect((await again.admit(asked[0]!)).outcome).toBe('same');
  await again.editInput(session.id, asked[1]!.inputId, { content: [{ type: 'text', text: 'kept, edited' }] }, null, command());

  const opened = await again.openTurn(session.id, 'runner', id(), NOW, noPreface);
  expect(opened?.prompts.map(({ id: own, data }) => [own, data])).toEqual([
    [asked[0]!.inputId, { content: placeholder }],
    [asked[1]!.inputId, { content: [{ type: 'text', text: 'kept, edited' }] }],
  ]);
  // What is left on the disk stays there.
  expect(db.prepare('SELECT parts FROM session_input WHERE id = ?').pluck().get(asked[0]!.inputId)).toBe('[{"type":"text"');
  expect(reports.filter(({ event }) => event === 'unreadable-input')).toHaveLength(1);
  await again.settle(opened!.claim, opened!.turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, NOW);
  expect((await again.openTurn(session.id, 'runner', id(), NOW, noPreface))?.prompts.map((prompt) => prompt.id)).toEqual([
    asked[2]!.inputId,
  ]);
});

test('a question with a damaged row is still asked, and can be answered', async () => {
  const { harness, store, db } = await fresh();
  const session = await newSession(store);
  const { claim, turnId } = await runningTurn(store, session.id);
  const ask = approvalAsk(turnId, { effect: 'read' });
  await store.askApproval(claim, ask, NOW);
  db.prepare(`UPDATE approval SET effect = '?', summary = '' WHERE id = ?`).run(ask.id);
  const again = await harness.reopen();
  // What nobody can tell apart is shown as what can do most.
  expect((await again.timeline(session.id, 10)).approvals).toMatchObject([{ id: ask.id, effect: 'run', state: 'open' }]);
  const verdict = { decision: 'deny', remember: false, by: null } as const;
  expect((await again.decideApproval(session.id, ask.id, verdict, command())).outcome).toBe('decided');
});

test('a setting and a first answer that cannot be read: the default, and a plain refusal', async () => {
  const { store, reports, db } = await fresh();
  await store.changeSettings({ stepLimit: 7, model: 'm' }, command());
  db.exec(`UPDATE setting SET value = '7x' WHERE key = 'stepLimit'`);
  for (let round = 0; round < 3; round++) expect(await store.settings()).toMatchObject({ stepLimit: 100, model: 'm' });
  expect(reports.map(({ event }) => event)).toEqual(['unreadable-setting']);

  const session = await newSession(store);
  const rename = { id: id(), now: NOW };
  await store.changeSession(session.id, { title: 'once' }, null, rename);
  db.prepare(`UPDATE command SET result = '{' WHERE id = ?`).run(rename.id);
  await expect(store.changeSession(session.id, { title: 'once' }, null, rename)).rejects.toMatchObject({ code: 'gone' });
  expect((await store.timeline(session.id, 5)).records.map((record) => record.type)).toEqual(['renamed']);
});

test('shapes: what Cairn writes is sound, what is cut is not, and what it does not know may be anything', () => {
  const result = { callId: 'c', content: [{ type: 'text', text: '' }], isError: false };
  expect(isSound('chunk', 'tool_result', { ...result, shell: { stdout: '', stderr: '', exitCode: null } })).toBe(true);
  expect(isSound('chunk', 'tool_result', { ...result, content: 'text' })).toBe(false);
  expect(isSound('chunk', 'prompt', { content: [{ type: 'attachment', sha256: '', name: '', mime: '' }] })).toBe(true);
  expect(isSound('chunk', 'prompt', { content: [{ type: 'attachment' }] })).toBe(false);
  expect(isSound('chunk', 'of-tomorrow', 5)).toBe(true);
  expect(isSound('chunk', 'toString', 5)).toBe(true);
  expect(isSound('event', 'resumed', {})).toBe(true);
  expect(isSound('event', 'of-tomorrow', {})).toBe(true);
  expect(isSound('event', 'resumed', null)).toBe(false);
});

test('what is remembered as told is bounded', () => {
  let told = 0;
  const report = toldOnce(() => (told += 1));
  for (let round = 0; round < 2; round++) for (let seq = 0; seq < 9_000; seq++) report('e', { seq });
  expect(told).toBe(9_000);
  for (let seq = 0; seq < 12_000; seq++) report('e', { seq });
  expect(told).toBe(12_000);
  report('e', { seq: 0 });
  expect(told).toBe(12_001);
});
