/** Each route's answers, as DESIGN 5 has them. */
import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { LiveSnapshot, Receipt, SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import { ProviderError } from '../../server/agent/port.ts';
import { type Answered, clock, type HttpStand, openStand, uuid } from '../support/http-stand.ts';

let stand: HttpStand;
beforeEach(async () => {
  stand = await openStand();
});
afterEach(() => stand.close());
const words = (text: string, delivery = 'steer', more: object = {}) => ({
  content: [{ type: 'text', text }],
  delivery,
  composedAt: 1000,
  ...more,
});
const code = (answer: Answered): string => (answer.json as ErrorBody).error?.code;

describe('GET /health', () => {
  it('says what it is, to anybody, and nothing else', async () => {
    const answer = await stand.raw({ path: '/api/health' });
    expect(answer.json).toEqual({ ok: true, version: '0.0.0-test', protocol: 1, epoch: stand.store.epoch });
  });
});

describe('sessions', () => {
  it('B9: made once: 201, the same again 200 also after a rename, another payload 409, after a delete 410', async () => {
    const id = uuid();
    const made = { workspace: stand.workspace, title: 'First', mode: 'plan' };
    const first = await stand.call('PUT', `/sessions/${id}`, made);
    expect(first.status).toBe(201);
    expect(first.json).toMatchObject({ id, title: 'First', mode: 'plan', model: null, status: 'idle', head: 0 });
    await stand.call('PATCH', `/sessions/${id}`, { title: 'Renamed' });
    const again = await stand.call('PUT', `/sessions/${id}`, { mode: 'plan', title: 'First', workspace: stand.workspace });
    expect([again.status, (again.json as SessionSummary).title]).toEqual([200, 'Renamed']);
    expect(code(await stand.call('PUT', `/sessions/${id}`, { ...made, mode: 'auto' }))).toBe('id-conflict');
    await stand.call('DELETE', `/sessions/${id}`);
    const late = await stand.call('PUT', `/sessions/${id}`, made);
    expect([late.status, code(late)]).toEqual([410, 'session-deleted']);
  });

  it('a retry gets its answer although the folder is gone meanwhile', async () => {
    const id = uuid();
    await stand.call('PUT', `/sessions/${id}`, { workspace: stand.workspace });
    rmSync(stand.workspace, { recursive: true });
    expect((await stand.call('PUT', `/sessions/${id}`, { workspace: stand.workspace })).status).toBe(200);
  });

  it('a fork before the turn that runs: made once, the same again 200 also after its origin was deleted', async () => {
    const origin = await stand.session();
    const { claim, turnId } = await stand.turn(origin);
    await stand.seal(claim, turnId, 0, ['a', 'b']);
    await stand.store.settle(claim, turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, clock.now());
    const cut = (await stand.logOf(origin)).length;
    await stand.turn(origin);
    const id = uuid();
    const body = { workspace: stand.workspace, mode: 'plan', origin: { sessionId: origin, seq: cut } };
    const first = await stand.call('PUT', `/sessions/${id}`, body);
    expect([first.status, first.json]).toEqual([
      201,
      expect.objectContaining({ id, origin: body.origin, title: 'go (fork)', total: 3, mode: 'plan' }),
    ]);
    await stand.call('DELETE', `/sessions/${origin}`);
    const again = await stand.call('PUT', `/sessions/${id}`, {
      origin: { seq: cut, sessionId: origin },
      mode: 'plan',
      workspace: stand.workspace,
    });
    expect([again.status, again.json]).toEqual([200, first.json]);
    const log = (await stand.call('GET', `/sessions/${id}/log`)).json as { records: LogRecord[]; head: number };
    expect(log.records.map(({ type }) => type)).toEqual(['prompt', 'text', 'text']);
    expect(stand.runner.told.filter((line) => line.includes(id))).toEqual([]);
    const plain = (await stand.call('PUT', `/sessions/${uuid()}`, { workspace: stand.workspace })).json;
    expect(plain).toMatchObject({ origin: null });
  });

  it('start with the mode of the settings', async () => {
    await stand.call('PATCH', '/settings', { mode: 'accept-edits' });
    const made = await stand.call('PUT', `/sessions/${uuid()}`, { workspace: stand.workspace });
    expect(made.json).toMatchObject({ mode: 'accept-edits', model: null });
  });

  it('B4: are listed since a version, tombstones too; another epoch or a version from the future is a reset', async () => {
    const [a, b] = [await stand.session(), await stand.session()];
    const { version } = (await stand.call('GET', '/sessions')).json as { version: number };
    await stand.call('DELETE', `/sessions/${a}`);
    const since = await stand.call('GET', `/sessions?since=${version}&epoch=${stand.store.epoch}`);
    expect(since.json).toMatchObject({ sessions: [{ id: a, deleted: true }], more: false });
    const page = (await stand.call('GET', '/sessions?limit=1')).json as { sessions: { id: string }[]; more: boolean };
    expect([page.sessions.map(({ id }) => id), page.more]).toEqual([[b], true]);
    const now = await stand.store.version();
    const reset = { reset: true, epoch: stand.store.epoch, version: now };
    expect((await stand.call('GET', '/sessions?since=1&epoch=other')).json).toEqual(reset);
    expect((await stand.call('GET', `/sessions?since=${now + 1}`)).json).toEqual(reset);
    expect((await stand.call('GET', `/sessions?since=${now}&epoch=`)).json).toMatchObject({ sessions: [] });
  });

  it('a change with a command id is made once; one from a stale state is 409 with the state as it is', async () => {
    const id = await stand.session();
    const rev = ((await stand.store.session(id)) as SessionSummary).rev;
    const command = { title: 'A', commandId: uuid(), baseRev: rev };
    expect((await stand.call('PATCH', `/sessions/${id}`, command)).json).toMatchObject({ title: 'A', rev: rev + 1 });
    expect((await stand.call('PATCH', `/sessions/${id}`, command)).json).toMatchObject({ title: 'A', rev: rev + 1 });
    const stale = await stand.call('PATCH', `/sessions/${id}`, { title: 'B', baseRev: rev });
    expect([stale.status, code(stale)]).toEqual([409, 'stale-edit']);
    expect((stale.json as ErrorBody).error.details).toMatchObject({ current: { title: 'A' } });
  });

  it('deleted, also one never seen, leave a tombstone, and what runs is aborted', async () => {
    const id = await stand.session();
    const { turnId } = await stand.turn(id);
    const gone = await stand.call('DELETE', `/sessions/${id}`);
    expect([gone.status, gone.json]).toEqual([200, { id, deleted: true, version: expect.any(Number) }]);
    expect(stand.runner.told).toContain(`abort ${id} ${turnId}`);
    expect((await stand.call('GET', `/sessions/${id}/timeline`)).status).toBe(410);
    const never = uuid();
    expect((await stand.call('DELETE', `/sessions/${never}`)).json).toMatchObject({ id: never, deleted: true });
    expect((await stand.call('PUT', `/sessions/${never}`, { workspace: stand.workspace })).status).toBe(410);
  });
});

describe('history', () => {
  it('the timeline is the newest records, what is pending, and what is live', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    for (let step = 0; step < 5; step++) await stand.seal(claim, turnId, step, ['a', 'b']);
    const input = await stand.admit(id);
    const live: LiveSnapshot = { turnId, step: 5, attempt: 0, phase: 'message', n: 1, afterSeq: 13, chunks: [] };
    stand.runner.snapshots.set(id, live);
    const timeline = (await stand.call('GET', `/sessions/${id}/timeline?limit=3`)).json as Timeline;
    expect(timeline.records.map(({ seq }) => seq)).toEqual([timeline.head - 2, timeline.head - 1, timeline.head]);
    expect(timeline.pendingInputs.map((receipt) => receipt.id)).toEqual([input]);
    expect(timeline).toMatchObject({ session: { id, status: 'running' }, approvals: [], live, epoch: stand.store.epoch });
  });

  it('I27: the log is dense from after + 1, and stops early at its bytes', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    for (let step = 0; step < 12; step++) await stand.seal(claim, turnId, step, ['x'.repeat(50_000)]);
    const all: LogRecord[] = [];
    let pages = 0;
    for (let head = 1; all.length < head; pages++) {
      const page = (await stand.call('GET', `/sessions/${id}/log?after=${all.length}`)).json as { records: LogRecord[]; head: number };
      expect(JSON.stringify(page.records).length).toBeLessThan(LIMITS.logPageBytes + 70_000);
      expect(page.records[0]?.seq).toBe(all.length + 1);
      all.push(...page.records);
      head = page.head;
    }
    expect(pages).toBeGreaterThan(1);
    expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1));
  });

  it('chunks page backwards to the true start, and turns are marked', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    await stand.seal(claim, turnId, 0, ['a', 'b', 'c']);
    const newest = (await stand.call('GET', `/sessions/${id}/chunks?limit=2`)).json as {
      chunks: { seq: number }[];
      oldestSeq: number;
      from: number;
    };
    const before = await stand.call('GET', `/sessions/${id}/chunks?limit=9&before=${newest.from}`);
    expect(newest.chunks).toHaveLength(2);
    expect(newest.from).toBeGreaterThan(1);
    expect(before.json).toMatchObject({ from: 1, total: 4 });
    expect((before.json as { chunks: unknown[] }).chunks).toHaveLength(2);
    expect((await stand.call('GET', `/sessions/${id}/turns`)).json).toMatchObject({ turns: [{ turnId, words: 'go' }] });
  });

  it('data kept as a blob is fetched by its hash, as a download that nothing runs', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    const text = '<script>alert(1)</script>'.repeat(4000);
    const [sealed] = await stand.seal(claim, turnId, 0, [text]);
    const { blob } = sealed!.data as { blob: { sha256: string } };
    const answer = await stand.call('GET', `/blobs/${blob.sha256}`);
    expect(answer.json).toEqual({ text });
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': `attachment; filename="${blob.sha256}"`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    });
    expect(answer.headers['content-security-policy']).toMatch(/sandbox/);
    expect((await stand.call('GET', `/blobs/${'0'.repeat(64)}`)).status).toBe(404);
    const head = await stand.raw({ method: 'HEAD', path: `/api/blobs/${blob.sha256}`, headers: stand.bearer });
    expect([head.status, head.text]).toEqual([200, '']);
  });
});

describe('inputs', () => {
  it('I1: 201 first, 200 the same again, one event and one wake a promise', async () => {
    const id = await stand.session();
    const path = `/sessions/${id}/inputs/${uuid()}`;
    const answers = await Promise.all([
      stand.call('PUT', path, words('hi')),
      stand.call('PUT', path, words('hi', 'steer', { composedAt: 2, seenSeq: 0 })),
    ]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 201]);
    expect(answers[0]!.json).toEqual(answers[1]!.json);
    expect(answers[0]!.json).toMatchObject({ sessionId: id, state: 'pending', delivery: 'steer', seq: 1, promotedSeq: null });
    expect((await stand.logOf(id)).map(({ type }) => type)).toEqual(['admitted']);
    expect(stand.runner.told).toContain(`wake ${id}`);
  });

  it('I2: the same id with other words, another delivery or another session is 409, and changes nothing', async () => {
    const [id, other] = [await stand.session(), await stand.session()];
    const input = uuid();
    await stand.call('PUT', `/sessions/${id}/inputs/${input}`, words('hi'));
    for (const [session, body] of [
      [id, words('ho')],
      [id, words('hi', 'queue')],
      [other, words('hi')],
    ] as const)
      expect((await stand.call('PUT', `/sessions/${session}/inputs/${input}`, body)).status).toBe(409);
    expect(await stand.logOf(id)).toHaveLength(1);
    expect(await stand.logOf(other)).toEqual([]);
  });

  it('are looked up, edited, moved and cancelled; cancelled stays cancelled', async () => {
    const id = await stand.session();
    const [a, b] = [await stand.admit(id, 'a'), await stand.admit(id, 'b')];
    const at = (input: string): string => `/sessions/${id}/inputs/${input}`;
    const edited = await stand.call('PATCH', at(a), { content: [{ type: 'text', text: 'better' }], baseRev: 1, commandId: uuid() });
    expect(edited.json).toMatchObject({ id: a, rev: 2, content: [{ text: 'better' }] });
    expect((await stand.call('GET', at(a))).json).toEqual(edited.json);
    expect(code(await stand.call('PATCH', at(a), { content: [{ type: 'text', text: 'worse' }], baseRev: 1 }))).toBe('stale-edit');
    expect((await stand.call('PATCH', at(b), { after: null })).status).toBe(200);
    const order = ((await stand.call('GET', `/sessions/${id}/timeline`)).json as Timeline).pendingInputs;
    expect(order.toSorted((x, y) => x.rank - y.rank).map((receipt) => receipt.id)).toEqual([b, a]);
    stand.runner.told.length = 0;
    expect((await stand.call('PATCH', at(b), { delivery: 'steer' })).json).toMatchObject({ delivery: 'steer' });
    expect(stand.runner.told).toEqual([`wake ${id}`]);
    for (let time = 0; time < 2; time++) expect((await stand.call('DELETE', at(b))).json).toMatchObject({ id: b, state: 'cancelled' });
    const early = uuid();
    expect((await stand.call('DELETE', at(early))).json).toMatchObject({ id: early, state: 'cancelled', seq: 0 });
    expect((await stand.call('PUT', at(early), words('late'))).json).toMatchObject({ state: 'cancelled' });
  });

  it('I12: cancelled after promotion is 409', async () => {
    const id = await stand.session();
    await stand.turn(id);
    const prompt = (await stand.logOf(id)).find(({ type }) => type === 'prompt')!;
    const late = await stand.call('DELETE', `/sessions/${id}/inputs/${prompt.id}`);
    expect([late.status, code(late)]).toEqual([409, 'already-promoted']);
  });
});

describe('controls', () => {
  it('I23: interrupt commits the pause before the runner is told; twice, or of an idle session, it changes nothing', async () => {
    const id = await stand.session();
    expect((await stand.call('POST', `/sessions/${id}/interrupt`)).json).toEqual({ turnId: null });
    expect(stand.runner.told).toEqual([]);
    const { turnId } = await stand.turn(id);
    stand.runner.abort = (session, turn) => void stand.runner.told.push(`abort ${session} ${turn}`);
    expect((await stand.call('POST', `/sessions/${id}/interrupt`, { turnId: uuid() })).json).toEqual({ turnId: null });
    expect((await stand.call('POST', `/sessions/${id}/interrupt`, { turnId })).json).toEqual({ turnId });
    expect(stand.runner.told).toEqual([`abort ${id} ${turnId}`]);
    expect((await stand.call('POST', `/sessions/${id}/interrupt`, {})).status).toBe(200);
    expect((await stand.logOf(id)).filter(({ type }) => type === 'paused')).toHaveLength(1);
  });

  it('resume ends a pause and wakes; of a pause that is over it does nothing', async () => {
    const id = await stand.session();
    await stand.turn(id);
    await stand.admit(id);
    await stand.call('POST', `/sessions/${id}/interrupt`);
    const { seq } = ((await stand.store.session(id)) as SessionSummary).paused!;
    expect((await stand.call('POST', `/sessions/${id}/resume`, { pausedSeq: seq + 1 })).json).toEqual({ resumed: false });
    expect((await stand.call('POST', `/sessions/${id}/resume`, { pausedSeq: seq })).json).toEqual({ resumed: true });
    expect(stand.runner.told.at(-1)).toBe(`wake ${id}`);
    expect((await stand.call('POST', `/sessions/${id}/resume`, { pausedSeq: seq })).json).toEqual({ resumed: false });
  });

  it('B8: the first decision wins; the same again is 200, another or too late 410 gone', async () => {
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    const ask = { id: uuid(), turnId, step: 0, callId: 'c1', name: 'run', effect: 'run' as const, summary: 'ls' };
    await stand.store.askApproval(claim, ask, clock.now());
    const path = `/sessions/${id}/approvals/${ask.id}`;
    expect(((await stand.call('GET', `/sessions/${id}/timeline`)).json as Timeline).approvals).toMatchObject([
      { id: ask.id, state: 'open' },
    ]);
    const device = await stand.device();
    const headers = { cookie: device.cookie, origin: stand.origin, 'content-type': 'application/json' };
    const first = await stand.raw({
      method: 'PUT',
      path: `/api${path}`,
      headers,
      body: JSON.stringify({ decision: 'allow', remember: true }),
    });
    expect([first.status, first.json]).toMatchObject([200, { id: ask.id, state: 'allow' }]);
    expect((await stand.call('PUT', path, { decision: 'allow' })).status).toBe(200);
    expect(stand.runner.told.filter((line) => line.startsWith('decided'))).toEqual([`decided ${id} ${ask.id} allow`]);
    const other = await stand.call('PUT', path, { decision: 'deny' });
    expect([other.status, code(other)]).toEqual([410, 'gone']);
    const event = (await stand.logOf(id)).find(({ type }) => type === 'approval-decided');
    expect(event?.data).toMatchObject({ by: device.id, remember: true });
  });
});

describe('what can be chosen', () => {
  it('folders, with the workspaces used lately, newest first and each once', async () => {
    const folders = [`${stand.folder}/work`, `${stand.folder}/b`, `${stand.folder}/c`];
    for (const workspace of [...folders, folders[0]!]) await stand.call('PUT', `/sessions/${uuid()}`, { workspace });
    for (let at = 0; at < 12; at++) await stand.call('PUT', `/sessions/${uuid()}`, { workspace: `${stand.folder}/many/${at}` });
    const { recent } = (await stand.call('GET', '/folders')).json as { recent: string[] };
    expect(recent).toEqual(Array.from({ length: 10 }, (_, at) => `${stand.folder}/many/${11 - at}`));
    const listing = await stand.call('GET', `/folders?path=${encodeURIComponent(stand.folder)}`);
    expect(listing.json).toMatchObject({ path: stand.folder, parent: null, folders: [{ name: 'work' }] });
  });

  it('a workspace used lately is found among many later changes elsewhere', async () => {
    await stand.call('PUT', `/sessions/${uuid()}`, { workspace: `${stand.folder}/old` });
    const busy = await stand.session();
    for (let at = 0; at < 300; at++) await stand.admitCancelled(busy);
    const { recent } = (await stand.call('GET', '/folders')).json as { recent: string[] };
    expect(recent).toEqual([stand.workspace, `${stand.folder}/old`]);
  });

  it('models, what is used when none was chosen, and that it is a demo', async () => {
    expect((await stand.call('GET', '/models')).json).toEqual({
      models: [{ id: 'noted-1', name: 'Noted', efforts: [] }],
      default: 'noted-1',
      provider: { label: 'a noted model', demo: true },
    });
    await stand.call('PATCH', '/settings', { model: 'chosen-1' });
    expect((await stand.call('GET', '/models')).json).toMatchObject({ default: 'chosen-1' });
  });

  it('a provider that cannot list its models leaves the one in use', async () => {
    stand.agent.models = () => Promise.reject(new ProviderError('overloaded', 'busy', { retryable: true, status: 529 }));
    const answer = await stand.call('GET', '/models');
    expect([answer.status, answer.json]).toMatchObject([200, { models: [{ id: 'noted-1' }], default: 'noted-1' }]);
    expect(stand.reports).toContain('models-unlisted');
  });

  it('settings are read and changed', async () => {
    const before = (await stand.call('GET', '/settings')).json as object;
    expect((await stand.call('PATCH', '/settings', { stepLimit: 7 })).json).toEqual({ ...before, stepLimit: 7 });
    expect((await stand.call('GET', '/settings')).json).toEqual({ ...before, stepLimit: 7 });
  });
});

describe('receipts', () => {
  it('I4: are the same after promotion, and after a cancellation', async () => {
    const id = await stand.session();
    const path = `/sessions/${id}/inputs/${uuid()}`;
    await stand.call('PUT', path, words('go'));
    const opened = await stand.store.openTurn(id, 'a test', uuid(), clock.now(), () => []);
    const again = await stand.call('PUT', path, words('go'));
    expect(again.status).toBe(200);
    expect(again.json as Receipt).toMatchObject({ state: 'promoted', promotedSeq: opened!.prompts[0]!.seq });
    expect((await stand.logOf(id)).filter(({ type }) => type === 'prompt')).toHaveLength(1);
  });
});
