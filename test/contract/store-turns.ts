import { expect } from 'vitest';
import { isChunk, isEvent } from '#shared/protocol/records.ts';
import { FencedError } from '../../server/store/port.ts';
import type { Preface } from '../../server/store/port.ts';
import {
  admission,
  approvalAsk,
  command,
  DONE,
  id,
  newSession,
  noPreface,
  NOW,
  runningTurn,
  textRow,
  usageRow,
} from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, typesOf, wholeLog } from '../support/store-test.ts';

export function turnContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('a turn opens with its prompts, its event, the preface and the status, in one commit', async ({ harness, store, commits }) => {
    const session = await newSession(store);
    const one = admission(session.id, 'Explain   the build\nto me');
    const two = admission(session.id, 'and the tests');
    await store.admit(one);
    await store.admit(two);
    commits.length = 0;
    const turnId = id();
    const seen: unknown[] = [];
    const preface: Preface = (facts) => {
      seen.push({ ...facts, session: facts.session.status });
      return [{ kind: 'event', type: 'wire-header', turnId, data: { system: 's', tools: [] } }];
    };
    const opened = await store.openTurn(session.id, 'runner', turnId, NOW, preface);
    expect(await typesOf(harness, session.id)).toEqual(['admitted', 'admitted', 'prompt', 'prompt', 'turn-started', 'wire-header']);
    expect(seen).toEqual([{ session: 'running', turnId, header: false, context: null }]);
    expect(opened?.prompts).toEqual((await store.chunks(session.id, null, 10)).chunks);
    expect(opened?.prompts[0]).toMatchObject({ id: one.inputId, turnId, step: 0, role: 'user', data: { content: one.content } });
    expect(commits).toHaveLength(1);
    expect(commits[0]!.receipts.map((receipt) => [receipt.id, receipt.state, receipt.promotedSeq])).toEqual([
      [one.inputId, 'promoted', 3],
      [two.inputId, 'promoted', 4],
    ]);
    expect(opened?.session).toEqual(await store.session(session.id));
    expect(opened?.session).toMatchObject({
      status: 'running',
      turnId,
      head: 6,
      total: 2,
      title: 'Explain the build to me',
      rev: session.rev,
    });
    expect(opened?.session.lastWords).toBe('and the tests');
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();
  });

  test('the preface hears of the header and of the newest context words, and a title that was given stays', async ({ store }) => {
    const session = await newSession(store, { title: 'mine' });
    const { claim, turnId } = await runningTurn(store, session.id);
    const context = (words: string, n: number) =>
      ({
        kind: 'chunk',
        id: `${turnId}.0.s.${n}`,
        turnId,
        step: 0,
        role: 'system',
        type: 'system',
        data: { kind: 'context', text: '', wire: words },
      }) as const;
    await store.seal(
      claim,
      [{ kind: 'event', type: 'wire-header', turnId, data: { system: '', tools: [] } }, context('mode is ask', 1)],
      NOW,
    );
    await store.seal(claim, [context('mode is auto', 2)], NOW);
    await store.settle(claim, turnId, DONE, NOW);
    await store.admit(admission(session.id, 'next'));
    const seen: unknown[] = [];
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, ({ header, context: words }) => {
      seen.push([header, words]);
      return [];
    });
    expect(seen).toEqual([[true, 'mode is auto']]);
    expect(opened?.session.title).toBe('mine');
  });

  test('I7, I8: steers in admission order at a boundary; then one queued input a turn, oldest first, steers before the next', async ({
    store,
  }) => {
    const session = await newSession(store);
    let turn = await runningTurn(store, session.id);
    const ids: Record<string, string> = {};
    const admit = async (name: string, delivery: 'steer' | 'queue') => {
      ids[name] = (await store.admit(admission(session.id, name, delivery))).receipt.id;
    };
    const next = async () => {
      expect(await store.settle(turn.claim, turn.turnId, DONE, NOW)).toEqual({ outcome: 'settled', runnable: true });
      turn = (await store.openTurn(session.id, 'runner', id(), NOW, noPreface))!;
      return turn.prompts.map((prompt) => Object.entries(ids).find(([, one]) => one === prompt.id)?.[0]);
    };
    for (const [name, delivery] of [
      ['s1', 'steer'],
      ['q1', 'queue'],
      ['s2', 'steer'],
      ['q2', 'queue'],
    ] as const)
      await admit(name, delivery);
    const promoted = await store.promoteSteers(turn.claim, turn.turnId, 1, NOW);
    expect(promoted.map((chunk) => [chunk.id, chunk.step])).toEqual([
      [ids['s1'], 1],
      [ids['s2'], 1],
    ]);
    expect(await store.promoteSteers(turn.claim, turn.turnId, 2, NOW)).toEqual([]);
    expect(await next()).toEqual(['q1']);
    await admit('s3', 'steer');
    expect(await next()).toEqual(['s3']);
    expect(await next()).toEqual(['q2']);
    expect(await store.settle(turn.claim, turn.turnId, DONE, NOW)).toEqual({ outcome: 'settled', runnable: false });
  });

  test('a settle that must not pass a steer changes nothing when one waits', async ({ harness, store, commits }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.admit(admission(session.id, 'late steer'));
    commits.length = 0;
    const before = await wholeLog(harness, session.id);
    const end = { ...DONE, rows: [usageRow(turnId, 0)], unlessSteers: true };
    expect(await store.settle(claim, turnId, end, NOW)).toEqual({ outcome: 'steers' });
    expect(await wholeLog(harness, session.id)).toEqual(before);
    expect(commits).toEqual([]);
    await store.promoteSteers(claim, turnId, 1, NOW);
    expect(await store.settle(claim, turnId, end, NOW)).toEqual({ outcome: 'settled', runnable: false });
    expect((await wholeLog(harness, session.id)).slice(-2).map((record) => record.type)).toEqual(['usage', 'turn-settled']);
    expect(await store.session(session.id)).toMatchObject({ status: 'idle', turnId: null });
  });

  test('a seal gives its rows consecutive seqs in one commit, counts the shown ones and keeps the newest words', async ({
    store,
    commits,
  }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const { head, total } = (await store.timeline(session.id, 1)).session;
    commits.length = 0;
    const thinking = {
      kind: 'chunk',
      id: `${turnId}.0.m.0`,
      turnId,
      step: 0,
      role: 'assistant',
      type: 'thinking',
      data: { text: 'hm' },
    } as const;
    const rows = [thinking, textRow(turnId, 0, 1, 'So:\n it  works'), usageRow(turnId, 0)];
    const sealed = await store.seal(claim, rows, NOW + 4);
    expect(sealed.map((record) => [record.seq, record.id, record.data, record.createdAt])).toEqual(
      rows.map((row, at) => [head + 1 + at, row.kind === 'chunk' ? row.id : '', row.data, NOW + 4]),
    );
    expect(commits).toHaveLength(1);
    expect(commits[0]!.records).toEqual(sealed);
    expect((await store.log(session.id, head, 10, 1_000_000)).records).toEqual(sealed);
    expect(await store.session(session.id)).toMatchObject({ head: head + 3, total: total + 2, lastWords: 'So: it works' });
    expect(await store.seal(claim, [], NOW)).toEqual([]);
    expect(commits).toHaveLength(1);
  });

  test('a row that was sealed already cannot be sealed again, and what came with it is not half there', async ({ harness, store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.seal(claim, [textRow(turnId, 0, 0, 'once')], NOW);
    const before = [await wholeLog(harness, session.id), await store.session(session.id)];
    await expect(store.seal(claim, [textRow(turnId, 0, 1, 'new'), textRow(turnId, 0, 0, 'twice')], NOW)).rejects.toThrow(Error);
    expect([await wholeLog(harness, session.id), await store.session(session.id)]).toEqual(before);
  });

  test('I16: when the transaction of a promotion throws, the input is still pending, nothing is half-done, and the next wake delivers it', async ({
    store,
    commits,
  }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'deliver me');
    await store.admit(asked);
    const before = await store.timeline(session.id, 100);
    commits.length = 0;
    const broken: Preface = () => {
      throw new Error('the disk is full');
    };
    await expect(store.openTurn(session.id, 'runner', id(), NOW, broken)).rejects.toThrow('the disk is full');
    expect(await store.timeline(session.id, 100)).toEqual(before);
    expect(commits).toEqual([]);
    expect(await store.openTurns()).toEqual([]);
    expect(await store.runnableSessions()).toEqual([session.id]);
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(opened?.prompts.map((prompt) => prompt.id)).toEqual([asked.inputId]);
  });

  test('a taken-over turn goes on under a higher fence, and the old claim can write nothing', async ({ harness }) => {
    const session = await newSession(harness.store);
    const { claim, turnId } = await runningTurn(harness.store, session.id);
    await harness.store.askApproval(claim, approvalAsk(turnId), NOW);
    const store = await harness.reopen();
    expect(await store.openTurns()).toEqual([{ sessionId: session.id, turnId, owner: 'runner', resumes: 0 }]);
    expect(await store.runnableSessions()).toEqual([]);
    expect(await store.takeOver(session.id, 'next', id(), true, NOW)).toBeNull();
    const taken = await store.takeOver(session.id, 'next', turnId, true, NOW);
    expect(taken).toMatchObject({ claim: { owner: 'next' }, resumes: 1, session: { status: 'running', turnId } });
    expect(taken!.claim.fence).toBeGreaterThan(claim.fence);
    expect((await wholeLog(harness, session.id)).slice(-2)).toMatchObject([
      { type: 'approval-decided', data: { decision: 'gone' } },
      { type: 'turn-started', turnId, data: { turnId, resumes: turnId } },
    ]);
    for (const write of [
      store.seal(claim, [textRow(turnId, 0, 0, 'x')], NOW),
      store.promoteSteers(claim, turnId, 1, NOW),
      store.settle(claim, turnId, DONE, NOW),
      store.askApproval(claim, approvalAsk(turnId), NOW),
    ]) {
      await expect(write).rejects.toBeInstanceOf(FencedError);
    }
    expect(await store.settle(taken!.claim, turnId, { ...DONE, reason: 'cut', pause: 'budget' }, NOW)).toMatchObject({
      outcome: 'settled',
    });
    await expect(store.settle(taken!.claim, turnId, DONE, NOW)).rejects.toBeInstanceOf(FencedError);
    expect(await store.openTurns()).toEqual([]);
  });

  test('a take-over without resuming appends no event of a start', async ({ harness }) => {
    const session = await newSession(harness.store);
    const { turnId } = await runningTurn(harness.store, session.id);
    const taken = await harness.store.takeOver(session.id, 'next', turnId, false, NOW);
    expect(taken?.resumes).toBe(0);
    expect((await wholeLog(harness, session.id)).filter((record) => isEvent(record, 'turn-started'))).toHaveLength(1);
  });

  test('the fence only rises, over turns and restarts', async ({ harness }) => {
    const session = await newSession(harness.store);
    const fences: number[] = [];
    for (let n = 0; n < 3; n++) {
      const store = await harness.reopen();
      const { claim, turnId } = await runningTurn(store, session.id, `turn ${n}`);
      fences.push(claim.fence);
      await store.settle(claim, turnId, DONE, NOW);
    }
    expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  });

  test('the list of turns holds the words that opened each, ascending, and pages', async ({ store }) => {
    const session = await newSession(store);
    const opened = [];
    for (const words of ['first', 'second\nline', 'third']) {
      const turn = await runningTurn(store, session.id, words);
      await store.settle(turn.claim, turn.turnId, DONE, NOW);
      opened.push({ turnId: turn.turnId, seq: turn.prompts[0]!.seq, createdAt: NOW, words: words.replace('\n', ' ') });
    }
    expect(await store.turns(session.id, null, 10)).toEqual(opened);
    expect(await store.turns(session.id, null, 2)).toEqual(opened.slice(1));
    expect(await store.turns(session.id, opened[1]!.seq, 10)).toEqual(opened.slice(0, 1));
    const { chunks } = await store.chunks(session.id, opened[1]!.seq + 1, 1);
    expect(isChunk(chunks[0]!, 'prompt')).toBe(true);
  });

  test('commands on a session that is running do not disturb its claim', async ({ store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.changeSession(session.id, { title: 'renamed', model: null, mode: 'plan' }, null, command());
    await store.admit(admission(session.id, 'more', 'queue'));
    await store.seal(claim, [textRow(turnId, 0, 0, 'still mine')], NOW);
    expect(await store.settle(claim, turnId, DONE, NOW)).toEqual({ outcome: 'settled', runnable: true });
  });
}
