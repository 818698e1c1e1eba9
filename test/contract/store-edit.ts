import { expect } from 'vitest';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Store } from '../../server/store/port.ts';
import { admission, command, id, newSession, noPreface, NOW, runningTurn } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, typesOf } from '../support/store-test.ts';

/** Words of the pending queued inputs, in the order they would run. */
async function queueOf(store: Store, sessionId: string): Promise<string[]> {
  const { pendingInputs } = await store.timeline(sessionId, 1);
  return pendingInputs
    .filter((one) => one.delivery === 'queue')
    .sort((a, b) => a.rank - b.rank)
    .map(wordsOf);
}
function wordsOf(receipt: Receipt): string {
  const part = receipt.content[0];
  return part?.type === 'text' ? part.text : '';
}

export function editContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('an edit changes the words, appends its event once and raises rev', async ({ harness, store }) => {
    const session = await newSession(store);
    const { receipt } = await store.admit(admission(session.id, 'old'));
    const content = [{ type: 'text' as const, text: 'new' }];
    const edited = await store.editInput(session.id, receipt.id, { content }, receipt.rev, command());
    expect(edited.receipt).toEqual({ ...receipt, content, rev: receipt.rev + 1 });
    const again = await store.editInput(session.id, receipt.id, { content }, receipt.rev, command());
    expect(again).toEqual({ outcome: 'same', receipt: edited.receipt, wake: false });
    expect(await typesOf(harness, session.id)).toEqual(['admitted', 'edited']);
    await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    const { chunks } = await store.chunks(session.id, null, 1);
    expect(chunks[0]!.data).toEqual({ content });
  });

  test('a stale edit is refused with the receipt as it is; an edit of what is promoted, cancelled or unknown says so', async ({
    store,
  }) => {
    const session = await newSession(store);
    const { receipt } = await store.admit(admission(session.id, 'one'));
    const edit = (text: string) => ({ content: [{ type: 'text' as const, text }] });
    const { receipt: current } = await store.editInput(session.id, receipt.id, edit('two'), receipt.rev, command());
    await expect(store.editInput(session.id, receipt.id, edit('three'), receipt.rev, command())).rejects.toMatchObject({
      code: 'stale-edit',
      details: { current },
    });
    expect(await store.input(session.id, receipt.id)).toEqual(current);
    const dropped = await store.admit(admission(session.id, 'drop'));
    await store.cancelInput(session.id, dropped.receipt.id, command());
    await expect(store.editInput(session.id, dropped.receipt.id, edit('x'), null, command())).rejects.toMatchObject({ code: 'gone' });
    await expect(store.editInput(session.id, id(), edit('x'), null, command())).rejects.toMatchObject({ code: 'not-found' });
    await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    await expect(store.editInput(session.id, receipt.id, edit('x'), null, command())).rejects.toMatchObject({ code: 'already-promoted' });
  });

  test('I13: queue to steer keeps its admission seq and wakes; steer to queue goes last and does not wake', async ({ store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const first = await store.admit(admission(session.id, 'a', 'queue'));
    const steer = await store.admit(admission(session.id, 's'));
    await store.admit(admission(session.id, 'b', 'queue'));

    const toSteer = await store.editInput(session.id, first.receipt.id, { delivery: 'steer' }, null, command());
    expect([toSteer.wake, toSteer.receipt.seq, toSteer.receipt.delivery]).toEqual([true, first.receipt.seq, 'steer']);
    const toQueue = await store.editInput(session.id, steer.receipt.id, { delivery: 'queue' }, null, command());
    expect([toQueue.wake, toQueue.receipt.seq, toQueue.receipt.delivery]).toEqual([false, steer.receipt.seq, 'queue']);
    expect(await queueOf(store, session.id)).toEqual(['b', 's']);
    await store.admit(admission(session.id, 'c', 'queue'));
    expect(await queueOf(store, session.id)).toEqual(['b', 's', 'c']);
    expect((await store.promoteSteers(claim, turnId, 1, NOW)).map((chunk) => chunk.id)).toEqual([first.receipt.id]);
  });

  test('I13: in a paused session a conversion to steer does not wake', async ({ store }) => {
    const session = await newSession(store);
    await runningTurn(store, session.id);
    const queued = await store.admit(admission(session.id, 'a', 'queue'));
    await store.stop(session.id, null, command());
    expect((await store.editInput(session.id, queued.receipt.id, { delivery: 'steer' }, null, command())).wake).toBe(false);
  });

  test('a move puts an input behind another or first, and tells of every receipt whose rank changed', async ({ store, commits }) => {
    const session = await newSession(store);
    const [a, b, c, d] = [
      await store.admit(admission(session.id, 'a', 'queue')),
      await store.admit(admission(session.id, 'b', 'queue')),
      await store.admit(admission(session.id, 'c', 'queue')),
      await store.admit(admission(session.id, 'd', 'queue')),
    ];
    const move = (which: typeof a, after: typeof a | null) =>
      store.editInput(session.id, which.receipt.id, { after: after?.receipt.id ?? null }, null, command());
    await move(c, null);
    expect(await queueOf(store, session.id)).toEqual(['c', 'a', 'b', 'd']);
    commits.length = 0;
    await move(c, a);
    expect(await queueOf(store, session.id)).toEqual(['a', 'c', 'b', 'd']);
    expect(commits[0]!.receipts.map(wordsOf).sort()).toEqual(['a', 'c']);
    await move(a, d);
    expect(await queueOf(store, session.id)).toEqual(['c', 'b', 'd', 'a']);
    expect((await move(a, d)).outcome).toBe('same');
    expect((await store.input(session.id, b.receipt.id))?.rev).toBe(b.receipt.rev);
    await store.admit(admission(session.id, 'e', 'queue'));
    expect(await queueOf(store, session.id)).toEqual(['c', 'b', 'd', 'a', 'e']);
  });

  test('what cannot be moved: a steer, an input behind itself, an input behind one that is not there', async ({ store }) => {
    const session = await newSession(store);
    const steer = await store.admit(admission(session.id, 's'));
    const queued = await store.admit(admission(session.id, 'q', 'queue'));
    const other = await store.admit(admission(session.id, 'r', 'queue'));
    const move = (inputId: string, after: string | null) => store.editInput(session.id, inputId, { after }, null, command());
    await expect(move(steer.receipt.id, null)).rejects.toMatchObject({ code: 'conflict' });
    await expect(move(queued.receipt.id, queued.receipt.id)).rejects.toMatchObject({ code: 'bad-request' });
    await store.cancelInput(session.id, other.receipt.id, command());
    await expect(move(queued.receipt.id, other.receipt.id)).rejects.toMatchObject({ code: 'stale-edit' });
    // what has run already is ahead of everything that waits
    await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect((await move(queued.receipt.id, steer.receipt.id)).outcome).toBe('same');
  });

  test('I12: cancelled twice is one event and the cancelled receipt; cancelled after promotion is refused', async ({ harness, store }) => {
    const session = await newSession(store);
    const { receipt } = await store.admit(admission(session.id, 'a', 'queue'));
    const cancelled = await store.cancelInput(session.id, receipt.id, command());
    expect(cancelled).toEqual({ ...receipt, state: 'cancelled' });
    expect(await store.cancelInput(session.id, receipt.id, command())).toEqual(cancelled);
    expect(await typesOf(harness, session.id)).toEqual(['admitted', 'cancelled']);
    expect(await store.runnableSessions()).toEqual([]);
    const run = await store.admit(admission(session.id, 'b'));
    await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    await expect(store.cancelInput(session.id, run.receipt.id, command())).rejects.toMatchObject({ code: 'already-promoted' });
    expect(await store.input(session.id, run.receipt.id)).toMatchObject({ state: 'promoted' });
  });

  test('cancelled before it arrived: the late input gets the cancelled receipt, also in a session that came later', async ({
    harness,
    store,
  }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'too late');
    expect(await store.cancelInput(session.id, asked.inputId, command())).toMatchObject({ seq: 0, state: 'cancelled', content: [] });
    const early = id();
    const orphan = admission(early, 'also too late');
    await store.cancelInput(early, orphan.inputId, command());
    const reopened = await harness.reopen();
    await newSession(reopened, { id: early });
    for (const late of [asked, orphan]) {
      const answer = await reopened.admit(late);
      expect([answer.outcome, answer.receipt.state, answer.receipt.seq, answer.wake]).toEqual(['same', 'cancelled', 0, false]);
      expect(await typesOf(harness, late.sessionId)).toEqual([]);
    }
    await expect(store.cancelInput(early, asked.inputId, command())).rejects.toBeDefined();
    await expect(reopened.cancelInput(early, asked.inputId, command())).rejects.toMatchObject({ code: 'id-conflict' });
  });
}
