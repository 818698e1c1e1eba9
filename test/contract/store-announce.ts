import { expect } from 'vitest';
import type { Commit } from '../../server/store/port.ts';
import { admission, command, DONE, id, newSession, noPreface, NOW, runningTurn, textRow } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, wholeLog } from '../support/store-test.ts';

export function announceContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('each commit is told once, in order: together they are the log, and the last one is the session', async ({
    harness,
    store,
    commits,
  }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.seal(claim, [textRow(turnId, 0, 0, 'x')], NOW);
    await store.admit(admission(session.id, 'more'));
    await store.promoteSteers(claim, turnId, 1, NOW);
    await store.stop(session.id, null, command());
    await store.settle(claim, turnId, { ...DONE, reason: 'stopped' }, NOW);
    await store.changeSession(session.id, { archived: true }, null, command());
    expect(commits.flatMap((commit) => commit.records)).toEqual(await wholeLog(harness, session.id));
    expect(commits.at(-1)!.session).toEqual(await store.session(session.id));
    const versions = commits.map((commit) => commit.session.version);
    expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    const receipts = new Map(commits.flatMap((commit) => commit.receipts).map((receipt) => [receipt.id, receipt]));
    for (const receipt of receipts.values()) expect(await store.input(session.id, receipt.id)).toEqual(receipt);
  });

  test('law 6: a record is told of in the very bytes that every later read answers, blobs too', async ({ store }) => {
    const session = await newSession(store);
    const heard: string[] = [];
    store.onCommit((commit) => heard.push(...commit.records.map((record) => JSON.stringify(record))));
    const turn = await runningTurn(store, session.id);
    await store.seal(turn.claim, [textRow(turn.turnId, 0, 0, 'small'), textRow(turn.turnId, 0, 1, 'x'.repeat(100_000))], NOW);
    const { records } = await store.log(session.id, 0, 100, 1_000_000);
    expect(heard).toEqual(records.map((record) => JSON.stringify(record)));
    expect(heard.length).toBeGreaterThan(4);
  });

  test('I17: a listener that throws is reported and changes nothing, for the writer or the other listeners', async ({ store, reports }) => {
    const session = await newSession(store);
    const heard: Commit[] = [];
    store.onCommit(() => {
      throw new Error('listener fault');
    });
    store.onCommit((commit) => heard.push(commit));
    const asked = admission(session.id, 'run me');
    expect((await store.admit(asked)).wake).toBe(true);
    const opened = await store.openTurn(session.id, 'runner', id(), NOW, noPreface);
    expect(opened?.prompts.map((prompt) => prompt.id)).toEqual([asked.inputId]);
    expect(heard).toHaveLength(2);
    expect(reports.map((one) => one.event)).toEqual(['commit-listener-failed', 'commit-listener-failed']);
  });

  test('a listener that writes is told of its own commit after everybody heard of the first', async ({ store }) => {
    const session = await newSession(store);
    const order: string[] = [];
    let written: Promise<unknown> = Promise.resolve();
    store.onCommit((commit) => {
      order.push(`a ${commit.records[0]?.type}`);
      if (commit.records[0]?.type === 'admitted') written = store.changeSession(session.id, { title: 'new' }, null, command());
    });
    store.onCommit((commit) => order.push(`b ${commit.records[0]?.type}`));
    await store.admit(admission(session.id, 'hello'));
    await written;
    expect(order).toEqual(['a admitted', 'b admitted', 'a renamed', 'b renamed']);
  });

  test('a listener that was removed hears nothing more', async ({ store }) => {
    let heard = 0;
    const remove = store.onCommit(() => heard++);
    await newSession(store);
    remove();
    await newSession(store);
    expect(heard).toBe(1);
  });

  test('what was refused, and what changed nothing, is not told', async ({ store, commits }) => {
    const session = await newSession(store);
    const asked = admission(session.id, 'hello');
    await store.admit(asked);
    commits.length = 0;
    await store.admit(asked);
    await expect(store.admit({ ...asked, payloadHash: 'another' })).rejects.toMatchObject({ code: 'id-conflict' });
    await store.resume(session.id, null, command());
    await store.stop(session.id, null, command());
    await store.changeSession(session.id, { title: '' }, null, command());
    expect(commits).toEqual([]);
  });
}
