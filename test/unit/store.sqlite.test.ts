import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import {
  admission,
  command,
  DONE,
  id,
  newSession,
  noPreface,
  NOW,
  runningTurn,
  sessionDraft,
  sqliteHarness,
  textRow,
} from '../support/store-harness.ts';
import type { SqliteHarness } from '../support/store-harness.ts';
import { wholeLog } from '../support/store-test.ts';

async function fresh() {
  const harness = await sqliteHarness();
  onTestFinished(() => harness.close());
  const { store, commits, reports } = harness;
  return { harness, store, commits, reports };
}

/** A second connection to the database, as a fault or a curious person would have. */
function beside(harness: SqliteHarness): Database.Database {
  const db = new Database(join(harness.folder, 'cairn.db'));
  onTestFinished(() => void db.close());
  return db;
}

test('I16: a database that fails half-way through a promotion leaves the input pending, and the next wake delivers it', async () => {
  const { harness, store, commits } = await fresh();
  const session = await newSession(store);
  const asked = [admission(session.id, 'one'), admission(session.id, 'two')];
  for (const one of asked) await store.admit(one);
  const before = await store.timeline(session.id, 100);
  commits.length = 0;
  const db = beside(harness);
  // the second prompt's row: the first is written already by then
  db.exec(`CREATE TRIGGER fault BEFORE INSERT ON record WHEN new.id = '${asked[1]!.inputId}' BEGIN SELECT RAISE(ABORT, 'disk fault'); END`);
  await expect(store.openTurn(session.id, 'runner', id(), NOW, noPreface)).rejects.toThrow('disk fault');
  expect(await store.timeline(session.id, 100)).toEqual(before);
  expect(commits).toEqual([]);
  expect(await store.runnableSessions()).toEqual([session.id]);

  db.exec('DROP TRIGGER fault');
  const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
  expect(opened?.prompts.map((prompt) => prompt.id)).toEqual(asked.map((one) => one.inputId));

  // the same at a boundary
  const steer = admission(session.id, 'three');
  await store.admit(steer);
  db.exec(`CREATE TRIGGER fault BEFORE UPDATE ON session_input WHEN new.state = 'promoted' BEGIN SELECT RAISE(ABORT, 'disk fault'); END`);
  await expect(store.promoteSteers(opened!.claim, opened!.turnId, 1, NOW)).rejects.toThrow('disk fault');
  expect(await store.input(session.id, steer.inputId)).toMatchObject({ state: 'pending' });
  expect((await wholeLog(harness, session.id)).some((record) => record.id === steer.inputId)).toBe(false);
  db.exec('DROP TRIGGER fault');
  expect(await store.promoteSteers(opened!.claim, opened!.turnId, 1, NOW)).toHaveLength(1);
});

test('a long fork that a fault or the end of the process cuts off leaves no row behind, and can be asked for again', async () => {
  const { harness, store } = await fresh();
  const session = await newSession(store);
  const { claim, turnId } = await runningTurn(store, session.id);
  const many = Array.from({ length: 3_000 }, (_, at) => textRow(turnId, 0, at, `line ${at}`));
  await store.seal(claim, many, NOW);
  await store.settle(claim, turnId, DONE, NOW);
  const { head } = await store.timeline(session.id, 1);
  const draft = sessionDraft({ origin: { sessionId: session.id, seq: head } });
  const db = beside(harness);
  const left = () =>
    db
      .prepare(
        'SELECT (SELECT count(*) FROM session) AS sessions, (SELECT count(*) FROM record) AS records, (SELECT count(*) FROM turn) AS turns',
      )
      .get();
  const before = left();
  const gone = () => vi.waitFor(() => expect(left()).toEqual(before), { timeout: 10_000, interval: 20 });

  db.exec("CREATE TRIGGER fault BEFORE INSERT ON record WHEN new.seq = 2500 BEGIN SELECT RAISE(ABORT, 'disk fault'); END");
  await expect(store.createSession(draft)).rejects.toThrow('disk fault');
  await gone();
  db.exec('DROP TRIGGER fault');

  const [cut] = await Promise.allSettled([store.createSession(draft), harness.reopen()]);
  expect(cut).toMatchObject({ status: 'rejected', reason: { code: 'shutting-down' } });
  await gone();
  expect((await harness.store.createSession(draft)).outcome).toBe('created');
  expect((await wholeLog(harness, draft.id)).length).toBe(3_001);
});

test('a deleted session leaves nothing of its words in any table, only its tombstone, and takes no blob that another still needs', async () => {
  const { harness, store } = await fresh();
  const big = (words: string) => ({ text: words.repeat(LIMITS.inlineDataBytes) });
  const sessions = [await newSession(store), await newSession(store)];
  for (const session of sessions) {
    const { claim, turnId } = await runningTurn(store, session.id, 'open sesame');
    const many = Array.from({ length: 800 }, (_, at) => textRow(turnId, 0, at, 'sesame'));
    await store.seal(claim, many, NOW);
    const own = { ...textRow(turnId, 1, 0, ''), data: big(session.id.slice(-1)) } as ReturnType<typeof textRow>;
    const shared = { ...textRow(turnId, 1, 1, ''), data: big('s') } as ReturnType<typeof textRow>;
    await store.seal(claim, [own, shared], NOW);
    await store.admit(admission(session.id, 'sesame later', 'queue'));
  }
  const [gone, kept] = [sessions[0]!, sessions[1]!];
  const before = await wholeLog(harness, kept.id);
  await store.deleteSession(gone.id, command());
  const db = beside(harness);
  const left = () => db.prepare('SELECT count(*) FROM record JOIN session ON key = session_key WHERE session.id = ?').pluck().get(gone.id);
  // the rows are many: a restart half-way goes on where it stopped
  expect(left()).not.toBe(0);
  await harness.reopen();
  await expect.poll(left, { timeout: 10_000 }).toBe(0);
  await expect.poll(() => db.prepare('SELECT purge FROM session WHERE id = ?').pluck().get(gone.id)).toBe(0);

  const tables = ['record', 'session_input', 'approval', 'turn', 'command'];
  const words = tables
    .flatMap((table) => db.prepare(`SELECT * FROM ${table}`).all())
    .filter((row) => JSON.stringify(row).includes('sesame'));

  expect(words.length).toBeGreaterThan(0);
  const key = db.prepare('SELECT key FROM session WHERE id = ?').pluck().get(kept.id);
  for (const row of words as { session?: string; session_key?: number }[]) expect([kept.id, key]).toContain(row.session ?? row.session_key);

  expect(await wholeLog(harness, kept.id)).toEqual(before);
  expect(db.prepare('SELECT count(*) FROM blob').pluck().get()).toBe(2);
  expect(await harness.store.history(kept.id, 0)).toHaveLength(before.length);
  expect(db.pragma('foreign_key_check')).toEqual([]);
});

test('a seal is one commit, and a page of chunks walks the smaller index', async () => {
  const { harness, store } = await fresh();
  const session = await newSession(store);
  const { claim, turnId } = await runningTurn(store, session.id);
  const db = beside(harness);
  const dataVersion = () => db.pragma('data_version', { simple: true }) as number;
  const before = dataVersion();
  await store.seal(claim, [textRow(turnId, 0, 0, 'a'), textRow(turnId, 0, 1, 'b'), textRow(turnId, 0, 2, 'c')], NOW);
  expect(dataVersion()).toBe(before + 1);
  expect(await store.promoteSteers(claim, turnId, 1, NOW)).toEqual([]);
  expect(dataVersion()).toBe(before + 1);
  const plan = db
    .prepare<[], { detail: string }>(
      `EXPLAIN QUERY PLAN SELECT seq FROM record WHERE session_key = 1 AND kind = 'chunk' AND seq < 9 ORDER BY seq DESC LIMIT 5`,
    )
    .all();
  expect(plan.map((row) => row.detail).join()).toContain('record_chunk');
});
