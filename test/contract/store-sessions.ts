import { expect } from 'vitest';
import { isTombstone } from '#shared/protocol/summaries.ts';
import { admission, approvalAsk, command, id, newSession, NOW, runningTurn, sessionDraft, textRow } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, typesOf } from '../support/store-test.ts';
import { FencedError } from '../../server/store/port.ts';

export function sessionContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('the payload as created again is the same session, also after a rename; another payload is a conflict', async ({ store }) => {
    const draft = sessionDraft({ title: 'one' });
    expect((await store.createSession(draft)).outcome).toBe('created');
    await store.changeSession(draft.id, { title: 'two' }, null, command());
    const again = await store.createSession(draft);
    expect([again.outcome, again.session.title]).toEqual(['same', 'two']);
    await expect(store.createSession({ ...draft, payloadHash: 'another' })).rejects.toMatchObject({ code: 'id-conflict' });
  });

  test('a change appends its events, and what is wanted already changes nothing', async ({ harness, store }) => {
    const session = await newSession(store, { title: 'a' });
    const changed = await store.changeSession(session.id, { title: 'b', model: 'm', mode: 'auto', pinned: true }, session.rev, command());
    expect(changed).toMatchObject({ title: 'b', model: 'm', mode: 'auto', pinned: true, rev: session.rev + 1, head: 3, total: 0 });
    expect(await typesOf(harness, session.id)).toEqual(['renamed', 'model-changed', 'mode-changed']);
    const again = await store.changeSession(session.id, { title: 'b', pinned: true }, session.rev, command());
    expect(again).toEqual(changed);
    expect(await store.session(session.id)).toEqual(changed);
  });

  test('a change against an old rev is stale and says what is there', async ({ store }) => {
    const session = await newSession(store, { title: 'a' });
    const changed = await store.changeSession(session.id, { title: 'b' }, session.rev, command());
    await expect(store.changeSession(session.id, { title: 'c' }, session.rev, command())).rejects.toMatchObject({
      code: 'stale-edit',
      details: { current: changed },
    });
    expect(await store.session(session.id)).toEqual(changed);
  });

  test('a retried command gets its first answer and changes nothing, also after a restart', async ({ harness }) => {
    const session = await newSession(harness.store);
    const once = command(id());
    const first = await harness.store.changeSession(session.id, { title: 'b' }, null, once);
    await harness.store.changeSession(session.id, { title: 'c' }, null, command(id()));
    const store = await harness.reopen();
    expect(await store.changeSession(session.id, { title: 'b' }, null, once)).toEqual(first);
    expect(await store.session(session.id)).toMatchObject({ title: 'c' });
    await expect(store.stop(session.id, null, once)).rejects.toMatchObject({ code: 'id-conflict' });
  });

  test('the list is ascending by version, pages, and holds tombstones', async ({ store }) => {
    const one = await newSession(store);
    const two = await newSession(store);
    const three = await newSession(store);
    await store.changeSession(one.id, { pinned: true }, null, command());
    await store.deleteSession(two.id, command());
    const all = await store.sessionsSince(0, 10);
    expect(all.sessions.map((entry) => [entry.id, isTombstone(entry)])).toEqual([
      [three.id, false],
      [one.id, false],
      [two.id, true],
    ]);
    const versions = all.sessions.map((entry) => entry.version);
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect([all.version, all.more]).toEqual([versions.at(-1), false]);
    expect(await store.version()).toBe(all.version);
    const page = await store.sessionsSince(versions[0]!, 1);
    expect([page.sessions.map((entry) => entry.id), page.more]).toEqual([[one.id], true]);
  });

  test('a delete cancels, closes and fences in one go, and nothing of the session can be read after it', async ({ store, commits }) => {
    const { id: sessionId } = await newSession(store);
    const { claim, turnId } = await runningTurn(store, sessionId);
    const ask = approvalAsk(turnId);
    await store.askApproval(claim, ask, NOW);
    const { receipt } = await store.admit(admission(sessionId, 'later', 'queue'));
    commits.length = 0;

    expect(await store.deleteSession(sessionId, command())).toEqual({ turnId });
    expect(commits).toHaveLength(1);
    expect(commits[0]!.receipts).toEqual([{ ...receipt, state: 'cancelled' }]);
    expect(commits[0]!.session).toEqual({ id: sessionId, deleted: true, version: await store.version() });

    await expect(store.seal(claim, [textRow(turnId, 0, 0, 'late')], NOW)).rejects.toBeInstanceOf(FencedError);
    await expect(
      store.settle(claim, turnId, { reason: 'stopped', rows: [], pause: null, unlessSteers: false }, NOW),
    ).rejects.toBeInstanceOf(FencedError);
    const gone = { code: 'session-deleted' };
    await expect(store.log(sessionId, 0, 10, 1000)).rejects.toMatchObject(gone);
    await expect(store.chunks(sessionId, null, 10)).rejects.toMatchObject(gone);
    await expect(store.timeline(sessionId, 10)).rejects.toMatchObject(gone);
    await expect(store.turns(sessionId, null, 10)).rejects.toMatchObject(gone);
    await expect(store.history(sessionId, 0)).rejects.toMatchObject(gone);
    await expect(store.input(sessionId, receipt.id)).rejects.toMatchObject(gone);
    await expect(store.admit(admission(sessionId, 'more'))).rejects.toMatchObject(gone);
    await expect(store.cancelInput(sessionId, receipt.id, command())).rejects.toMatchObject(gone);
    await expect(store.createSession(sessionDraft({ id: sessionId }))).rejects.toMatchObject(gone);
    const deny = { decision: 'allow', remember: false, by: null } as const;
    await expect(store.decideApproval(sessionId, ask.id, deny, command())).rejects.toMatchObject(gone);
    expect(await store.recordId(sessionId, 1)).toBeNull();
    expect(await store.openTurn(sessionId, 'runner', id(), NOW, () => [])).toBeNull();
    expect(await store.openTurns()).toEqual([]);
    expect(await store.runnableSessions()).toEqual([]);
    expect(await store.deleteSession(sessionId, command())).toEqual({ turnId: null });
    expect(commits).toHaveLength(1);
  });

  test('deleting a session that was never seen leaves a tombstone', async ({ store }) => {
    const sessionId = id();
    expect(await store.session(sessionId)).toBeNull();
    expect(await store.deleteSession(sessionId, command())).toEqual({ turnId: null });
    expect(await store.session(sessionId)).toMatchObject({ id: sessionId, deleted: true });
    await expect(store.createSession(sessionDraft({ id: sessionId }))).rejects.toMatchObject({ code: 'session-deleted' });
  });

  test('what was never known is not found', async ({ store }) => {
    const missing = { code: 'not-found' };
    await expect(store.log(id(), 0, 10, 1000)).rejects.toMatchObject(missing);
    await expect(store.timeline(id(), 10)).rejects.toMatchObject(missing);
    await expect(store.admit(admission(id(), 'hello'))).rejects.toMatchObject(missing);
    await expect(store.stop(id(), null, command())).rejects.toMatchObject(missing);
    await expect(store.changeSession(id(), { title: 'x' }, null, command())).rejects.toMatchObject(missing);
  });

  test('devices are found by their token hash, revoked ones too; settings outlive a restart', async ({ harness }) => {
    const device = await harness.store.addDevice({ id: id(), name: 'phone', tokenHash: 'h1', now: NOW });
    await harness.store.seenDevice(device.id, NOW + 5);
    const store = await harness.reopen();
    expect(await store.deviceByTokenHash('h1')).toEqual({ ...device, seenAt: NOW + 5 });
    expect(await store.deviceByTokenHash('h2')).toBeNull();
    expect(await store.revokeDevice(device.id, NOW + 9)).toMatchObject({ revokedAt: NOW + 9 });
    expect(await store.revokeDevice(device.id, NOW + 99)).toMatchObject({ revokedAt: NOW + 9 });
    expect(await store.revokeDevice(id(), NOW)).toBeNull();
    expect(await store.deviceByTokenHash('h1')).toMatchObject({ revokedAt: NOW + 9 });
    expect((await store.devices()).map((one) => one.id)).toEqual([device.id]);

    const before = await store.settings();
    expect(await store.changeSettings({ stepLimit: 7, mode: 'plan' }, command())).toEqual({ ...before, stepLimit: 7, mode: 'plan' });
    expect(await (await harness.reopen()).settings()).toEqual({ ...before, stepLimit: 7, mode: 'plan' });
  });

  test('the epoch is one for the life of the data', async ({ harness }) => {
    const { epoch } = harness.store;
    expect(epoch).not.toBe('');
    expect((await harness.reopen()).epoch).toBe(epoch);
  });
}
