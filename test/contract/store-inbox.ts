import { expect } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { OpenedTurn } from '../../server/store/port.ts';
import { admission, command, DONE, id, newSession, noPreface, NOW, runningTurn } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, typesOf, wholeLog } from '../support/store-test.ts';

export function inboxContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('I1: the same id and payload twice, also at the same moment, is one receipt and one event', async ({ harness, store }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'hello');
    const answers = await Promise.all([store.admit(asked), store.admit({ ...asked, composedAt: NOW + 9, seenSeq: 0, resume: true })]);
    expect(answers.map((answer) => answer.outcome)).toEqual(['admitted', 'same']);
    expect(answers[0]!.receipt).toEqual(answers[1]!.receipt);
    expect(answers[0]!.receipt).toMatchObject({ seq: 1, state: 'pending', delivery: 'steer', rev: 1, composedAt: NOW, promotedSeq: null });
    expect(await typesOf(harness, session.id)).toEqual(['admitted']);
    expect((await store.timeline(session.id, 10)).pendingInputs).toHaveLength(1);
  });

  test('I2: the same id with other text, other delivery or another session is a conflict and changes nothing anywhere', async ({
    store,
    commits,
  }) => {
    const session = await newSession(store);
    const other = await newSession(store);
    const asked = admission(session.id, 'hello');
    const { receipt } = await store.admit(asked);
    commits.length = 0;
    const conflict = { code: 'id-conflict' };
    const { inputId } = asked;
    await expect(store.admit(admission(session.id, 'other words', 'steer', { inputId }))).rejects.toMatchObject(conflict);
    await expect(store.admit(admission(session.id, 'hello', 'queue', { inputId }))).rejects.toMatchObject(conflict);
    await expect(store.admit(admission(other.id, 'hello', 'steer', { inputId }))).rejects.toMatchObject(conflict);
    expect(commits).toEqual([]);
    expect(await store.input(session.id, inputId)).toEqual(receipt);
    expect(await store.input(other.id, inputId)).toBeNull();
    expect(await store.session(other.id)).toEqual(other);
  });

  test('I3: an id that is already a row of a transcript is a conflict', async ({ store }) => {
    const session = await newSession(store);
    const { claim } = await runningTurn(store, session.id);
    const taken = id();
    const row = {
      kind: 'chunk',
      id: taken,
      turnId: null,
      step: null,
      role: 'system',
      type: 'system',
      data: { kind: 'notice', text: 'x' },
    } as const;
    await store.seal(claim, [row], NOW);
    await expect(store.admit(admission(session.id, 'hello', 'steer', { inputId: taken }))).rejects.toMatchObject({ code: 'id-conflict' });
    await expect(store.cancelInput(session.id, taken, command())).rejects.toMatchObject({ code: 'id-conflict' });
    expect(await store.input(session.id, taken)).toBeNull();
  });

  test('I4: the same again after promotion, after cancellation and after a restart is the receipt as it now is', async ({ harness }) => {
    const session = await newSession(harness.store);
    const run = admission(session.id, 'run me');
    const drop = admission(session.id, 'drop me', 'queue');
    await harness.store.admit(run);
    await harness.store.admit(drop);
    await harness.store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    await harness.store.cancelInput(session.id, drop.inputId, command());
    for (const again of [async () => harness.store, () => harness.reopen()]) {
      const store = await again();
      const ran = await store.admit(run);
      expect([ran.outcome, ran.receipt.state, ran.receipt.promotedSeq, ran.wake]).toEqual(['same', 'promoted', 3, false]);
      const dropped = await store.admit(drop);
      expect([dropped.outcome, dropped.receipt.state, dropped.wake]).toEqual(['same', 'cancelled', false]);
      expect(dropped.receipt.content).toEqual(drop.content);
    }
    const prompts = (await wholeLog(harness, session.id)).filter((record) => record.type === 'prompt');
    expect(prompts.map((record) => record.id)).toEqual([run.inputId]);
  });

  test('I4: a conflict is judged against the payload as first admitted, not against what an edit made of it', async ({ store }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'first words', 'queue');
    await store.admit(asked);
    const content = [{ type: 'text' as const, text: 'edited words' }];
    await store.editInput(session.id, asked.inputId, { content, delivery: 'steer' }, 1, command());
    const again = await store.admit(asked);
    expect([again.outcome, again.receipt.content, again.receipt.delivery]).toEqual(['same', content, 'steer']);
    const asEdited = admission(session.id, 'edited words', 'steer', { inputId: asked.inputId });
    await expect(store.admit(asEdited)).rejects.toMatchObject({ code: 'id-conflict' });
  });

  test('B9: an answer that was lost is given again after a restart, and the prompt is promoted once', async ({ harness }) => {
    const session = await newSession(harness.store);
    const asked = admission(session.id, 'once only');
    const first = await harness.store.admit(asked);
    const store = await harness.reopen();
    const again = await store.admit(asked);
    expect(again).toEqual({ outcome: 'same', receipt: first.receipt, wake: true });
    expect(await store.runnableSessions()).toEqual([session.id]);
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(opened?.prompts.map((prompt) => prompt.id)).toEqual([asked.inputId]);
    expect((await store.admit(asked)).receipt).toMatchObject({ state: 'promoted' });
    await store.settle(opened!.claim, opened!.turnId, DONE, NOW);
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();
  });

  test('I6: admitted only is not in chunks and is in pendingInputs', async ({ store }) => {
    const session = await newSession(store);
    const { receipt } = await store.admit(admission(session.id, 'hello'));
    expect(await store.chunks(session.id, null, 10)).toEqual({ chunks: [], total: 0, oldestSeq: null, from: 1 });
    expect((await store.timeline(session.id, 10)).pendingInputs).toEqual([receipt]);
  });

  test('I34: around a promotion an input is in exactly one of pending and history', async ({ store }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'hello');
    await store.admit(asked);
    const places = async () => {
      const page = await store.timeline(session.id, 100);
      return [page.pendingInputs.some((one) => one.id === asked.inputId), page.records.some((one) => one.id === asked.inputId)];
    };
    expect(await places()).toEqual([true, false]);
    await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(await places()).toEqual([false, true]);
  });

  test('a steer aimed at another turn than the one that runs is admitted as queue; aimed at what runs, or at nothing, it is not', async ({
    store,
  }) => {
    const session = await newSession(store);
    const idle = await store.admit(admission(session.id, 'aimed at a turn that is over', 'steer', { aimedTurnId: id() }));
    expect(idle.receipt.delivery).toBe('steer');
    const { turnId } = (await store.openTurn(session.id, 'runner', id(), NOW, noPreface))!;
    const aimed = async (aimedTurnId: string | null | undefined) =>
      (await store.admit(admission(session.id, 'now', 'steer', { aimedTurnId }))).receipt.delivery;
    expect([await aimed(undefined), await aimed(turnId), await aimed(null), await aimed(id())]).toEqual([
      'steer',
      'steer',
      'queue',
      'queue',
    ]);
    const asked = admission(session.id, 'again', 'steer', { aimedTurnId: null });
    await store.admit(asked);
    expect(await store.admit(asked)).toMatchObject({ outcome: 'same', receipt: { delivery: 'queue' } });
  });

  test('a session holds a bounded number of pending inputs, and a retry is never refused for it', async ({ store }) => {
    const session = await newSession(store);
    const first = admission(session.id, 'first', 'queue');
    await store.admit(first);
    for (let n = 1; n < LIMITS.pendingInputs; n++) await store.admit(admission(session.id, 'more', 'queue'));
    await expect(store.admit(admission(session.id, 'too much'))).rejects.toMatchObject({ code: 'too-many-pending' });
    expect((await store.admit(first)).outcome).toBe('same');
    await store.cancelInput(session.id, first.inputId, command());
    expect((await store.admit(admission(session.id, 'fits again'))).outcome).toBe('admitted');
  });

  test('sent with resume false into an idle session, an input wakes nothing and opens nothing by itself', async ({ harness }) => {
    const session = await newSession(harness.store);
    const quiet = admission(session.id, 'quiet', 'steer', { resume: false });
    expect((await harness.store.admit(quiet)).wake).toBe(false);
    expect((await harness.store.admit(quiet)).wake).toBe(false);
    const store = await harness.reopen();
    expect(await store.runnableSessions()).toEqual([]);
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();

    const loud = admission(session.id, 'loud');
    expect((await store.admit(loud)).wake).toBe(true);
    expect(await store.runnableSessions()).toEqual([session.id]);
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(opened?.prompts.map((prompt) => prompt.id)).toEqual([quiet.inputId, loud.inputId]);
  });

  test('once something else has run the session, what was sent with resume false runs in its turn', async ({ store }) => {
    const session = await newSession(store);
    const quiet = [
      admission(session.id, 'quiet', 'queue', { resume: false }),
      admission(session.id, 'quiet too', 'queue', { resume: false }),
    ];
    for (const one of quiet) await store.admit(one);
    const ran: string[] = [];
    let turn: OpenedTurn | null = await runningTurn(store, session.id, 'loud');
    while (turn !== null) {
      ran.push(...turn.prompts.map((prompt) => prompt.id));
      const { claim, turnId } = turn;
      expect(await store.settle(claim, turnId, DONE, NOW)).toEqual({ outcome: 'settled', runnable: ran.length < 3 });
      turn = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    }
    expect(ran.slice(1)).toEqual(quiet.map((one) => one.inputId));
  });

  test('Resume releases what was sent with resume false', async ({ store }) => {
    const session = await newSession(store);
    await store.admit(admission(session.id, 'quiet', 'queue', { resume: false }));
    expect(await store.resume(session.id, null, command())).toEqual({ resumed: false, wake: true });
    expect(await store.runnableSessions()).toEqual([session.id]);
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).not.toBeNull();
  });

  test('a receipt that was answered is there after a restart, words and all (law 2)', async ({ harness }) => {
    const session = await newSession(harness.store);
    const { receipt } = await harness.store.admit(admission(session.id, 'grüße 🗻 "quoted"\n', 'queue'));
    const store = await harness.reopen();
    expect(await store.input(session.id, receipt.id)).toEqual(receipt);
    expect((await store.timeline(session.id, 5)).pendingInputs).toEqual([receipt]);
  });

  test('no event holds the words of a prompt', async ({ harness, store }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'sesame', 'queue');
    await store.admit(asked);
    await store.editInput(session.id, asked.inputId, { content: [{ type: 'text', text: 'sesame two' }] }, null, command());
    await store.cancelInput(session.id, asked.inputId, command());
    expect(await typesOf(harness, session.id)).toEqual(['admitted', 'edited', 'cancelled']);
    expect(JSON.stringify(await wholeLog(harness, session.id))).not.toContain('sesame');
  });
}
