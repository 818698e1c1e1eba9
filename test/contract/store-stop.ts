import { expect } from 'vitest';
import { admission, approvalAsk, command, DONE, id, newSession, noPreface, NOW, runningTurn } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, typesOf, wholeLog } from '../support/store-test.ts';

const FAILED = { ...DONE, reason: 'failed', pause: 'failed' } as const;
const allow = { decision: 'allow', remember: false, by: 'phone' } as const;

export function stopContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('I14: after Stop a steer and a queued input stay, visibly paused, also after a restart; Resume runs them, steers first', async ({
    harness,
  }) => {
    const session = await newSession(harness.store);
    const { claim, turnId } = await runningTurn(harness.store, session.id);
    const queued = await harness.store.admit(admission(session.id, 'q', 'queue'));
    const steer = await harness.store.admit(admission(session.id, 's'));
    expect(await harness.store.stop(session.id, turnId, command())).toEqual({ turnId });
    expect(await harness.store.session(session.id)).toMatchObject({ status: 'running', paused: { reason: 'stopped' } });
    expect(await harness.store.promoteSteers(claim, turnId, 1, NOW)).toEqual([]);
    const end = { ...DONE, reason: 'stopped', unlessSteers: true } as const;
    expect(await harness.store.settle(claim, turnId, end, NOW)).toEqual({ outcome: 'settled', runnable: false });

    const store = await harness.reopen();
    const { session: paused, pendingInputs } = await store.timeline(session.id, 10);
    expect(paused).toMatchObject({ status: 'paused', turnId: null, paused: { reason: 'stopped' } });
    expect(pendingInputs.map((one) => one.id).sort()).toEqual([queued.receipt.id, steer.receipt.id].sort());
    expect(await store.runnableSessions()).toEqual([]);
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();

    expect(await store.resume(session.id, paused.paused!.seq - 1, command())).toEqual({ resumed: false, wake: false });
    expect(await store.resume(session.id, paused.paused!.seq, command())).toEqual({ resumed: true, wake: true });
    expect(await store.session(session.id)).toMatchObject({ status: 'idle', paused: null });
    const first = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(first?.prompts.map((prompt) => prompt.id)).toEqual([steer.receipt.id]);
    await store.settle(first!.claim, first!.turnId, DONE, NOW);
    const second = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(second?.prompts.map((prompt) => prompt.id)).toEqual([queued.receipt.id]);
  });

  test('I23: a second Stop changes nothing; a Stop of an idle session, or of another turn, is nothing to stop', async ({
    harness,
    store,
  }) => {
    const session = await newSession(store);
    expect(await store.stop(session.id, null, command())).toBeNull();
    const { claim, turnId } = await runningTurn(store, session.id);
    expect(await store.stop(session.id, id(), command())).toBeNull();
    expect(await store.stop(session.id, null, command())).toEqual({ turnId });
    const before = [await wholeLog(harness, session.id), await store.session(session.id)];
    expect(await store.stop(session.id, turnId, command())).toEqual({ turnId });
    expect([await wholeLog(harness, session.id), await store.session(session.id)]).toEqual(before);
    await store.settle(claim, turnId, { ...DONE, reason: 'stopped', pause: 'stopped' }, NOW);
    expect((await typesOf(harness, session.id)).filter((type) => type === 'paused')).toHaveLength(1);
    expect(await store.stop(session.id, turnId, command())).toBeNull();
  });

  test('Stop closes what waited for the user: no later decision counts', async ({ harness, store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const ask = approvalAsk(turnId);
    await store.askApproval(claim, ask, NOW);
    await store.stop(session.id, null, command());
    expect((await typesOf(harness, session.id)).slice(-2)).toEqual(['paused', 'approval-decided']);
    expect(await store.session(session.id)).toMatchObject({ status: 'running' });
    await expect(store.decideApproval(session.id, ask.id, allow, command())).rejects.toMatchObject({ code: 'gone' });
    expect(await store.askApproval(claim, approvalAsk(turnId), NOW)).toMatchObject({ state: 'gone' });
    expect((await store.timeline(session.id, 5)).approvals).toEqual([]);
  });

  test('a send by someone who saw the pause ends it; by someone who did not, or with resume false, it does not', async ({
    harness,
    store,
  }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.stop(session.id, null, command());
    await store.settle(claim, turnId, { ...DONE, reason: 'stopped' }, NOW);
    const pausedSeq = (await store.timeline(session.id, 1)).session.paused!.seq;

    const unseen = await store.admit(admission(session.id, 'did not see it', 'steer', { seenSeq: pausedSeq - 1 }));
    const unasked = await store.admit(admission(session.id, 'do not resume', 'steer', { resume: false }));
    expect([unseen.wake, unasked.wake]).toEqual([false, false]);
    expect(await store.session(session.id)).toMatchObject({ status: 'paused', paused: { seq: pausedSeq } });
    const seen = await store.admit(admission(session.id, 'saw it', 'steer', { seenSeq: pausedSeq }));
    expect(seen.wake).toBe(true);
    expect((await typesOf(harness, session.id)).slice(-2)).toEqual(['admitted', 'resumed']);
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(opened?.prompts.map((prompt) => prompt.id)).toEqual([unseen.receipt.id, unasked.receipt.id, seen.receipt.id]);
  });

  test('a send that does not say what was seen saw the head, so it ends a pause', async ({ store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.settle(claim, turnId, FAILED, NOW);
    expect(await store.session(session.id)).toMatchObject({ status: 'paused', paused: { reason: 'failed' } });
    expect((await store.admit(admission(session.id, 'go on'))).wake).toBe(true);
    expect(await store.session(session.id)).toMatchObject({ status: 'idle', paused: null });
  });

  test('I15: a turn that failed pauses the queue; Resume runs what waits', async ({ store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const queued = await store.admit(admission(session.id, 'q', 'queue'));
    expect(await store.settle(claim, turnId, FAILED, NOW)).toEqual({ outcome: 'settled', runnable: false });
    expect(await store.resume(session.id, null, command())).toEqual({ resumed: true, wake: true });
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(opened?.prompts.map((prompt) => prompt.id)).toEqual([queued.receipt.id]);
  });

  test('with nothing pending, Resume arms a failed or cut turn to go on, once, also over a restart', async ({ harness }) => {
    const session = await newSession(harness.store);
    const { claim, turnId } = await runningTurn(harness.store, session.id, 'try this');
    await harness.store.settle(claim, turnId, { ...DONE, reason: 'cut', pause: 'budget' }, NOW);
    expect(await harness.store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();
    expect(await harness.store.resume(session.id, null, command())).toEqual({ resumed: true, wake: true });

    const store = await harness.reopen();
    expect(await store.runnableSessions()).toEqual([session.id]);
    const next = id();
    const opened = await store.openTurn(session.id, 'runner', next, NOW, noPreface);
    expect(opened?.prompts).toEqual([]);
    expect((await wholeLog(harness, session.id)).at(-1)).toMatchObject({ type: 'turn-started', data: { turnId: next, resumes: turnId } });
    expect((await store.turns(session.id, null, 5)).map((mark) => mark.words)).toEqual(['try this', 'try this']);
    await store.settle(opened!.claim, next, DONE, NOW);
    expect(await store.resume(session.id, null, command())).toEqual({ resumed: false, wake: false });
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();
  });

  test('I24: two Resumes at once append one event, and open one turn', async ({ harness, store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.settle(claim, turnId, FAILED, NOW);
    await Promise.all([store.resume(session.id, null, command()), store.resume(session.id, null, command())]);
    const turns = await Promise.all([
      store.openTurn(session.id, 'runner', id(), NOW, noPreface),
      store.openTurn(session.id, 'runner', id(), NOW, noPreface),
    ]);
    expect(turns.filter((turn) => turn !== null)).toHaveLength(1);
    expect((await typesOf(harness, session.id)).filter((type) => type === 'resumed')).toHaveLength(1);
  });

  test('a turn that was stopped, or that ended by itself, does not go on', async ({ store }) => {
    for (const reason of ['stopped', 'done', 'limit'] as const) {
      const session = await newSession(store);
      const { claim, turnId } = await runningTurn(store, session.id);
      await store.settle(claim, turnId, { ...DONE, reason, pause: 'stopped' }, NOW);
      expect(await store.resume(session.id, null, command())).toEqual({ resumed: true, wake: false });
    }
  });

  test('B8: an open question is server state; one decision wins, the same again is the same, another is gone', async ({ harness }) => {
    const session = await newSession(harness.store);
    const { claim, turnId } = await runningTurn(harness.store, session.id);
    const ask = approvalAsk(turnId);
    const asked = await harness.store.askApproval(claim, ask, NOW);
    expect(asked).toEqual({ ...ask, sessionId: session.id, state: 'open', askedAt: NOW });
    const store = await harness.reopen();
    const page = await store.timeline(session.id, 5);
    expect([page.session.status, page.approvals]).toEqual(['waiting', [asked]]);

    const verdict = { ...allow, remember: true };
    const decided = await store.decideApproval(session.id, ask.id, verdict, command());
    expect(decided).toEqual({ outcome: 'decided', approval: { ...asked, state: 'allow' } });
    expect((await wholeLog(harness, session.id)).at(-1)).toMatchObject({
      type: 'approval-decided',
      turnId,
      data: { approvalId: ask.id, callId: ask.callId, decision: 'allow', by: 'phone', remember: true },
    });
    expect(await store.session(session.id)).toMatchObject({ status: 'running' });
    expect((await store.decideApproval(session.id, ask.id, verdict, command())).outcome).toBe('same');
    const deny = { ...allow, decision: 'deny' } as const;
    await expect(store.decideApproval(session.id, ask.id, deny, command())).rejects.toMatchObject({ code: 'gone' });
    await expect(store.decideApproval(session.id, id(), deny, command())).rejects.toMatchObject({ code: 'not-found' });
    expect(await store.approval(ask.id)).toEqual(decided.approval);
    expect(await store.approval(id())).toBeNull();
  });

  test('a settled turn leaves no open question', async ({ store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const ask = approvalAsk(turnId);
    await store.askApproval(claim, ask, NOW);
    await store.settle(claim, turnId, FAILED, NOW);
    expect(await store.approval(ask.id)).toMatchObject({ state: 'gone' });
    await expect(store.decideApproval(session.id, ask.id, allow, command())).rejects.toMatchObject({ code: 'gone' });
  });
}
