import { expect } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isBlobRef, type LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { RecordDraft, SessionDraft, Store } from '../../server/store/port.ts';
import { admission, approvalAsk, command, DONE, id, newSession, NOW, sessionDraft, textRow, usageRow } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, wholeLog } from '../support/store-test.ts';

const KEPT_EVENTS = ['wire-header', 'thinking-off', 'context-cut', 'compacted'];
const BIG = 'x'.repeat(LIMITS.inlineDataBytes + 10);

function forkDraft(sessionId: string, seq: number, more: Partial<SessionDraft> = {}): SessionDraft {
  return sessionDraft({ origin: { sessionId, seq }, payloadHash: `fork at ${seq}`, ...more });
}

/** Opens a turn with these words, seals the rows, settles. Answers its id and the seq it settled at. */
async function turn(store: Store, sessionId: string, words: readonly string[], rows: (turnId: string) => RecordDraft[]) {
  for (const text of words) await store.admit(admission(sessionId, text));
  const turnId = id();
  const opened = await store.openTurn(sessionId, 'runner', turnId, NOW, ({ header, context }) => [
    ...(header ? [] : [{ kind: 'event' as const, type: 'wire-header' as const, turnId, data: { system: 's', tools: [] } }]),
    ...(context === 'it is Monday' ? [] : [systemRow(turnId, 'it is Monday')]),
  ]);
  await store.seal(opened!.claim, rows(turnId), NOW + 5);
  await store.settle(opened!.claim, turnId, DONE, NOW + 9);
  return { turnId, end: ((await store.session(sessionId)) as SessionSummary).head };
}
function systemRow(turnId: string, wire: string): RecordDraft {
  const data = { kind: 'context', text: '', wire };
  return { kind: 'chunk', id: `${turnId}.0.s.7`, turnId, step: 0, role: 'system', type: 'system', data };
}
function callRows(turnId: string, callId: string): RecordDraft[] {
  const at = { kind: 'chunk' as const, turnId, step: 0 };
  return [
    { ...at, id: `${turnId}.0.m.0`, role: 'assistant', type: 'thinking', data: { text: 't', signature: 'sig', source: 'src' } },
    { ...at, id: `${turnId}.0.m.1`, role: 'assistant', type: 'tool_call', data: { callId, name: 'run', args: '{"a": 1}' } },
    usageRow(turnId, 0),
    {
      ...at,
      id: `${turnId}.0.t.0`,
      role: 'tool',
      type: 'tool_result',
      data: { callId, content: [{ type: 'text', text: BIG }], isError: false },
    },
  ];
}

/** Two turns, noise between them, a cut and a repair, and something pending at the end. */
async function origin(store: Store) {
  const session = await newSession(store, { title: 'The garden' });
  const first = await turn(store, session.id, ['one', 'and two'], (turnId) => [
    ...callRows(turnId, 'call_1'),
    textRow(turnId, 1, 0, 'done **it**'),
  ]);
  await store.changeSession(session.id, { pinned: true, mode: 'auto' }, null, command());
  await store.cancelInput(
    session.id,
    (await store.admit(admission(session.id, 'never mind', 'queue', { resume: false }))).receipt.id,
    command(),
  );
  const between = ((await store.session(session.id)) as SessionSummary).head;
  const second = await turn(store, session.id, ['three'], (turnId) => [
    textRow(turnId, 0, 0, 'refused'),
    { kind: 'event', type: 'thinking-off', turnId, data: { to: first.end - 1 } },
    { kind: 'event', type: 'context-cut', turnId, data: { from: between + 1, to: between + 3 } },
    textRow(turnId, 1, 0, 'last words'),
  ]);
  await store.admit(admission(session.id, 'waits', 'queue', { resume: false }));
  return { sessionId: session.id, first, between, second };
}

/** What of a record must be the same in a copy. */
function kept(record: LogRecord) {
  const { kind, type, data, createdAt } = record;
  return record.kind === 'chunk' ? { kind, type, data, createdAt, step: record.step, role: record.role } : { kind, type, createdAt };
}
function isCopied(record: LogRecord): boolean {
  return record.kind === 'chunk' || KEPT_EVENTS.includes(record.type);
}

export function forkContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('a fork is the origin up to there: dense from 1, data and times as they were, ids anew, of its events what the wire needs', async ({
    harness,
    store,
    commits,
  }) => {
    const { sessionId, second } = await origin(store);
    const before = { log: await wholeLog(harness, sessionId), summary: await store.session(sessionId) };
    commits.length = 0;
    const draft = forkDraft(sessionId, second.end, { now: NOW + 50 });
    const { outcome, session } = await store.createSession(draft);
    const log = await wholeLog(harness, draft.id);
    const source = before.log.filter((record) => record.seq <= second.end && isCopied(record));
    expect(outcome).toBe('created');
    expect(log.map(kept)).toEqual(source.map(kept));
    expect(log.map(({ seq }) => seq)).toEqual(source.map((_, at) => at + 1));
    expect(log.every((record) => record.sessionId === draft.id)).toBe(true);

    const old = new Set(before.log.flatMap((record) => [record.id, record.turnId]));
    expect(log.filter((record) => old.has(record.id) || (record.turnId !== null && old.has(record.turnId)))).toEqual([]);
    expect(new Set(log.map((record) => record.id)).size).toBe(log.length);
    // a chunk stays where it was in its turn, and the chunks of one turn are of one turn
    const turns = new Map(source.map((record, at) => [record.turnId, log[at]!.turnId]));
    expect(turns.size).toBe(2);
    for (const [at, record] of source.entries()) {
      expect(log[at]!.turnId).toBe(turns.get(record.turnId));
      if (record.id.startsWith(`${record.turnId}.`))
        expect(log[at]!.id).toBe(`${log[at]!.turnId}${record.id.slice(record.turnId!.length)}`);
    }

    expect(session).toEqual(await store.session(draft.id));
    expect(session).toMatchObject({
      title: 'The garden (fork)',
      status: 'idle',
      turnId: null,
      paused: null,
      head: log.length,
      total: log.filter((record) => record.kind === 'chunk' && record.type !== 'usage').length,
      lastWords: 'last words',
      pinned: false,
      mode: 'ask',
      createdAt: NOW + 50,
      updatedAt: NOW + 50,
      origin: { sessionId, seq: second.end },
    });
    expect(commits).toEqual([{ sessionId: draft.id, records: [], receipts: [], session }]);
    // a fork is never a mutation
    expect({ log: await wholeLog(harness, sessionId), summary: await store.session(sessionId) }).toEqual(before);
  });

  test('seqs that its events name are those of the copies', async ({ harness, store }) => {
    const { sessionId, first, between, second } = await origin(store);
    const draft = forkDraft(sessionId, second.end);
    await store.createSession(draft);
    const source = (await wholeLog(harness, sessionId)).filter((record) => record.seq <= second.end && isCopied(record));
    const countTo = (seq: number): number => source.filter((record) => record.seq <= seq).length;
    const log = await wholeLog(harness, draft.id);
    expect(log.find((record) => record.type === 'thinking-off')!.data).toEqual({ to: countTo(first.end - 1) });
    expect(log.find((record) => record.type === 'context-cut')!.data).toEqual({ from: countTo(between) + 1, to: countTo(between + 3) });
    expect(countTo(first.end - 1)).toBeLessThan(first.end - 1);
  });

  test('marks, pages and large data of a fork are as of any session, also once its origin is gone', async ({ harness }) => {
    const { sessionId, second } = await origin(harness.store);
    const draft = forkDraft(sessionId, second.end);
    await harness.store.createSession(draft);
    await harness.store.deleteSession(sessionId, command());
    const store = await harness.reopen();
    const log = await wholeLog(harness, draft.id);
    const prompts = log.filter((record) => record.type === 'prompt');
    expect((await store.turns(draft.id, null, 10)).map(({ seq, words, turnId }) => [seq, words, turnId])).toEqual([
      [1, 'one', prompts[0]!.turnId],
      [prompts[2]!.seq, 'three', prompts[2]!.turnId],
    ]);
    const page = await store.chunks(draft.id, null, 3);
    expect(page.chunks.map(({ id: own }) => own)).toEqual(
      log
        .filter(({ kind }) => kind === 'chunk')
        .slice(-3)
        .map(({ id: own }) => own),
    );
    const large = log.find((record) => record.type === 'tool_result')!.data;
    if (!isBlobRef(large)) throw new Error('large data is held by reference');
    expect((await store.blob(large.blob.sha256))!.size).toBe(large.blob.size);
    const whole = (await store.history(draft.id, 0)).find((record) => record.type === 'tool_result')!.data;
    expect(whole).toEqual({ callId: 'call_1', content: [{ type: 'text', text: BIG }], isError: false });
    expect(await store.session(draft.id)).toMatchObject({ origin: { sessionId, seq: second.end } });
  });

  test('a fork may be cut wherever no turn is open, and nowhere else', async ({ harness, store, commits }) => {
    const { sessionId, first, between, second } = await origin(store);
    await store.resume(sessionId, null, command());
    const running = await store.openTurn(sessionId, 'runner', id(), NOW, () => []);
    const log = await wholeLog(harness, sessionId);
    const opens = log.filter((record) => record.type === 'prompt').map(({ seq }) => seq);
    // turns from their first prompt to before their settling; the last one still runs
    const inTurn = (seq: number): boolean =>
      (seq >= opens[0]! && seq < first.end) || (seq > between && seq >= opens[2]! && seq < second.end) || seq >= opens[3]!;
    expect(running).not.toBeNull();
    const version = await store.version();
    commits.length = 0;
    for (const { seq } of log.filter((record) => inTurn(record.seq))) {
      const draft = forkDraft(sessionId, seq);
      await expect(store.createSession(draft), `cut at ${seq}`).rejects.toMatchObject({ code: 'conflict' });
      expect(await store.session(draft.id)).toBeNull();
    }
    await expect(store.createSession(forkDraft(sessionId, log.length + 1))).rejects.toMatchObject({
      code: 'conflict',
      details: { head: log.length },
    });
    expect([await store.version(), commits]).toEqual([version, []]);
    for (const seq of [0, ...log.map((record) => record.seq).filter((one) => !inTurn(one))]) {
      const draft = forkDraft(sessionId, seq);
      await store.createSession(draft);
      expect((await wholeLog(harness, draft.id)).map(kept), `cut at ${seq}`).toEqual(
        log.filter((record) => record.seq <= seq && isCopied(record)).map((record) => ({ ...kept(record), ...mapped(record) })),
      );
    }
    /** Of the two events that name seqs only their being there is looked at here. */
    function mapped(record: LogRecord): object {
      return record.kind === 'chunk' ? { data: record.data } : {};
    }
  });

  test('an origin that nobody knows is not found, a deleted one is gone, and nothing is made', async ({ store }) => {
    const { sessionId, second } = await origin(store);
    const lost = forkDraft(id(), 0);
    await expect(store.createSession(lost)).rejects.toMatchObject({ code: 'not-found' });
    const made = forkDraft(sessionId, second.end);
    const { session } = await store.createSession(made);
    await store.deleteSession(sessionId, command());
    const late = forkDraft(sessionId, second.end);
    await expect(store.createSession(late)).rejects.toMatchObject({ code: 'gone' });
    expect([await store.session(lost.id), await store.session(late.id)]).toEqual([null, null]);

    // the same again is the same, whatever became of the origin
    expect(await store.createSession(made)).toEqual({ outcome: 'same', session });
    await expect(store.createSession({ ...made, payloadHash: 'another' })).rejects.toMatchObject({ code: 'id-conflict' });
    await store.deleteSession(made.id, command());
    await expect(store.createSession(made)).rejects.toMatchObject({ code: 'session-deleted' });
  });

  test('what waits, asks or pauses in the origin does not in the fork, which runs turns of its own', async ({ harness, store }) => {
    const { sessionId, second } = await origin(store);
    await store.resume(sessionId, null, command());
    const open = await store.openTurn(sessionId, 'runner', id(), NOW, () => []);
    await store.askApproval(open!.claim, approvalAsk(open!.turnId), NOW);
    await store.admit(admission(sessionId, 'more', 'queue'));
    await store.stop(sessionId, null, command());

    const draft = forkDraft(sessionId, second.end);
    await store.createSession(draft);
    const { session, pendingInputs, approvals } = await store.timeline(draft.id, 50);
    expect([session.status, session.paused, pendingInputs, approvals]).toEqual(['idle', null, [], []]);
    expect(await store.runnableSessions()).not.toContain(draft.id);

    const head = session.head;
    await store.admit(admission(draft.id, 'go on'));
    const seen: unknown[] = [];
    const opened = await store.openTurn(draft.id, 'runner', id(), NOW, ({ header, context }) => {
      seen.push({ header, context });
      return [];
    });
    expect(seen).toEqual([{ header: true, context: 'it is Monday' }]);
    await store.settle(opened!.claim, opened!.turnId, DONE, NOW);
    expect((await wholeLog(harness, draft.id)).slice(head).map(({ type }) => type)).toEqual([
      'admitted',
      'prompt',
      'turn-started',
      'turn-settled',
    ]);
    // and it is an origin itself: in its copied part, too
    const again = forkDraft(draft.id, head, { title: 'By name' });
    expect((await store.createSession(again)).session).toMatchObject({
      head,
      title: 'By name',
      origin: { sessionId: draft.id, seq: head },
    });
    expect((await wholeLog(harness, again.id)).map(({ data, createdAt }) => [data, createdAt])).toEqual(
      (await wholeLog(harness, draft.id)).slice(0, head).map(({ data, createdAt }) => [data, createdAt]),
    );
    await expect(store.createSession(forkDraft(draft.id, 3))).rejects.toMatchObject({ code: 'conflict' });
    expect((await store.createSession(forkDraft(draft.id, head + 4))).session.title).toBe('The garden (fork 2)');
  });

  test('in another folder the model is told of it anew', async ({ store }) => {
    const { sessionId, second } = await origin(store);
    const draft = forkDraft(sessionId, second.end, { workspace: '/home/anna/elsewhere' });
    await store.createSession(draft);
    await store.admit(admission(draft.id, 'go on'));
    let told: boolean | null = null;
    await store.openTurn(draft.id, 'runner', id(), NOW, ({ header }) => {
      told = header;
      return [];
    });
    expect(told).toBe(false);
  });
}

/** Forks that are too long for one transaction. */
export function longForkContract(make: MakeHarness): void {
  const test = storeTest(make);
  const ROWS = 5_000;

  async function long(store: Store) {
    const session = await newSession(store, { title: 'Long' });
    const { end } = await turn(store, session.id, ['begin'], (turnId) =>
      Array.from({ length: ROWS }, (_, at) => textRow(turnId, 0, at, `line ${at}`)),
    );
    const draft = forkDraft(session.id, end);
    return { sessionId: session.id, end, draft };
  }

  test('nobody sees a part of it, others write meanwhile, and asking twice makes one', async ({ harness, store, commits }) => {
    const { sessionId, draft } = await long(store);
    const other = await newSession(store);
    commits.length = 0;
    const first = store.createSession(draft);
    const second = store.createSession(draft);
    await expect(store.createSession({ ...draft, payloadHash: 'another' })).rejects.toMatchObject({ code: 'id-conflict' });
    expect(await store.session(draft.id)).toBeNull();
    expect(await store.sessionsSince(0, 10)).toMatchObject({ sessions: [{ id: sessionId }, { id: other.id }] });
    await store.changeSession(other.id, { title: 'meanwhile' }, null, command());
    expect(commits.map((commit) => commit.sessionId)).toEqual([other.id]);
    expect([(await first).outcome, (await second).outcome]).toEqual(['created', 'same']);
    expect(commits.map((commit) => commit.sessionId)).toEqual([other.id, draft.id]);
    const copy = await wholeLog(harness, draft.id);
    const source = (await wholeLog(harness, sessionId)).filter(isCopied);
    expect(copy.map(kept)).toEqual(source.map(kept));
    expect(copy.map(({ seq }) => seq)).toEqual(source.map((_, at) => at + 1));
    expect(await store.session(draft.id)).toMatchObject({ head: source.length, total: ROWS + 2, lastWords: `line ${ROWS - 1}` });
  });

  test('an origin deleted in the middle ends it, and nothing of it is left', async ({ harness, store }) => {
    const { sessionId, draft } = await long(store);
    const made = store.createSession(draft);
    await store.deleteSession(sessionId, command());
    await expect(made).rejects.toMatchObject({ code: 'gone' });
    expect(await store.session(draft.id)).toBeNull();
    const again = await harness.reopen();
    expect(await again.session(draft.id)).toBeNull();
    expect((await again.sessionsSince(0, 10)).sessions.map((entry) => entry.id)).toEqual([sessionId]);
  });

  test('deleted before it was there, it stays deleted', async ({ store }) => {
    const { draft } = await long(store);
    const made = store.createSession(draft);
    await store.deleteSession(draft.id, command());
    await expect(made).rejects.toMatchObject({ code: 'session-deleted' });
    expect(await store.session(draft.id)).toMatchObject({ deleted: true });
  });

  test('a server that ends in the middle leaves nothing, and the next try makes it', async ({ harness }) => {
    const { sessionId, draft } = await long(harness.store);
    const [made, reopened] = await Promise.allSettled([harness.store.createSession(draft), harness.reopen()]);
    expect([made, reopened.status]).toMatchObject([{ status: 'rejected', reason: { code: 'shutting-down' } }, 'fulfilled']);
    const { store } = harness;
    expect(await store.session(draft.id)).toBeNull();
    expect((await store.createSession(draft)).outcome).toBe('created');
    expect((await wholeLog(harness, draft.id)).map(kept)).toEqual((await wholeLog(harness, sessionId)).filter(isCopied).map(kept));
  });
}
