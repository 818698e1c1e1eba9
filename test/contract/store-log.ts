import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isBlobRef } from '#shared/protocol/records.ts';
import type { Store } from '../../server/store/port.ts';
import { admission, id, newSession, NOW, runningTurn, textRow, usageRow } from '../support/store-harness.ts';
import type { MakeHarness } from '../support/store-harness.ts';
import { storeTest, wholeLog } from '../support/store-test.ts';

const MUCH = 100_000_000;

/** A session of one turn with `steps` sealed steps: a text and a usage row each. Its log: admitted, prompt, turn-started, then the steps. */
async function steps(store: Store, count: number) {
  const session = await newSession(store);
  const turn = await runningTurn(store, session.id);
  for (let step = 0; step < count; step++) {
    await store.seal(turn.claim, [textRow(turn.turnId, step, 0, `step ${step}`), usageRow(turn.turnId, step)], NOW);
  }
  return { sessionId: session.id, ...turn };
}

export function logContract(make: MakeHarness): void {
  const test = storeTest(make);

  test('I27: the log after n is dense from n + 1, bounded by count and by bytes, and never empty before the head', async ({ store }) => {
    const { sessionId } = await steps(store, 10);
    const head = 23;
    const all = await store.log(sessionId, 0, 1000, MUCH);
    expect([all.records.map((record) => record.seq), all.head, all.epoch]).toEqual([
      Array.from({ length: head }, (_, at) => at + 1),
      head,
      store.epoch,
    ]);
    expect((await store.log(sessionId, 5, 3, MUCH)).records).toEqual(all.records.slice(5, 8));
    expect((await store.log(sessionId, 20, 100, MUCH)).records).toEqual(all.records.slice(20));
    expect((await store.log(sessionId, head, 10, MUCH)).records).toEqual([]);
    expect((await store.log(sessionId, head + 50, 10, MUCH)).records).toEqual([]);
    expect((await store.log(sessionId, 5, 100, 1)).records).toEqual(all.records.slice(5, 6));
    const sizes = all.records.map((record) => Buffer.byteLength(JSON.stringify(record.data)));
    const three = sizes[5]! + sizes[6]! + sizes[7]!;
    expect((await store.log(sessionId, 5, 100, three)).records).toEqual(all.records.slice(5, 8));
    expect((await store.log(sessionId, 5, 100, three - 1)).records).toEqual(all.records.slice(5, 7));
  });

  test('chunks: the newest before a seq, ascending, usage within the limit, and `from` says how far down the page is whole', async ({
    store,
  }) => {
    const { sessionId } = await steps(store, 4);
    // 1 admitted, 2 prompt, 3 turn-started, 4 text, 5 usage, 6 text, 7 usage, 8 text, 9 usage, 10 text, 11 usage
    const page = async (before: number | null, limit: number) => {
      const { chunks, total, oldestSeq, from } = await store.chunks(sessionId, before, limit);
      return [chunks.map((chunk) => chunk.seq), total, oldestSeq, from];
    };
    expect(await page(null, 3)).toEqual([[9, 10, 11], 5, 9, 9]);
    expect(await page(9, 3)).toEqual([[6, 7, 8], 5, 6, 6]);
    // the next older chunk is the prompt at 2: from 3 on nothing is missing, since 3 is an event
    expect(await page(6, 2)).toEqual([[4, 5], 5, 4, 3]);
    expect(await page(4, 1)).toEqual([[2], 5, 2, 1]);
    expect(await page(6, 50)).toEqual([[2, 4, 5], 5, 2, 1]);
    expect(await page(2, 10)).toEqual([[], 5, null, 1]);
    expect(await page(1, 10)).toEqual([[], 5, null, 1]);
  });

  test('a page of chunks that is exactly full at the start knows that it is the start', async ({ store }) => {
    const { sessionId } = await steps(store, 1);
    expect(await store.chunks(sessionId, null, 3)).toMatchObject({ oldestSeq: 2, from: 1 });
  });

  test('the timeline is the newest records, dense up to the head, with the session of the same moment', async ({ store }) => {
    const { sessionId } = await steps(store, 10);
    const page = await store.timeline(sessionId, 6);
    expect(page.records.map((record) => record.seq)).toEqual([18, 19, 20, 21, 22, 23]);
    expect([page.head, page.session.head, page.epoch]).toEqual([23, 23, store.epoch]);
    expect((await store.timeline(sessionId, 100)).records).toHaveLength(23);
  });

  test('data over the limit is a blob and a reference everywhere but in history', async ({ harness, store, commits }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const fits = { callId: 'a', content: [{ type: 'text', text: 'x'.repeat(LIMITS.inlineDataBytes - 100) }], isError: false };
    // fewer characters than the limit, more bytes
    const large = { callId: 'call_b', content: [{ type: 'text', text: '日'.repeat(LIMITS.inlineDataBytes / 2) }], isError: false };
    expect(Buffer.byteLength(JSON.stringify(fits))).toBeLessThanOrEqual(LIMITS.inlineDataBytes);
    const row = (i: number, data: unknown) =>
      ({ kind: 'chunk', id: `${turnId}.0.t.${i}`, turnId, step: 0, role: 'tool', type: 'tool_result', data }) as const;
    const sealed = await store.seal(claim, [row(0, fits), row(1, large), row(2, large)], NOW);
    const reference = sealed[1]!.data;
    const text = JSON.stringify(large);
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(isBlobRef(reference)).toBe(true);
    expect(reference).toEqual({ blob: { sha256, size: Buffer.byteLength(text) }, preview: text.slice(0, LIMITS.previewChars) });
    expect(sealed.map((record) => record.data)).toEqual([fits, reference, reference]);
    expect(commits.at(-1)!.records).toEqual(sealed);
    expect((await wholeLog(harness, session.id)).slice(-3)).toEqual(sealed);
    expect((await store.timeline(session.id, 3)).records).toEqual(sealed);
    expect((await store.chunks(session.id, null, 3)).chunks).toEqual(sealed);
    const blob = await store.blob(sha256);
    expect([blob?.mime, blob?.size, Buffer.from(blob!.bytes).toString()]).toEqual(['application/json', Buffer.byteLength(text), text]);
    expect(await store.blob('0'.repeat(64))).toBeNull();

    const full = await store.history(session.id, 0);
    expect(full.map((record) => record.seq)).toEqual((await wholeLog(harness, session.id)).map((record) => record.seq));
    expect(full.slice(-3)).toEqual(sealed.map((record, at) => ({ ...record, data: at === 0 ? fits : large })));
    expect(await store.history(session.id, full.length - 1)).toEqual(full.slice(-1));
    expect(await store.history(session.id, 1, 3)).toEqual(full.slice(1, 4));
    expect(await store.turnRecords(session.id, turnId)).toEqual(full.filter((record) => record.turnId === turnId));
  });

  test('the records of a turn are all of it and nothing else, from its first prompt, also of the one before', async ({ store }) => {
    const { sessionId, claim, turnId } = await steps(store, 2);
    await store.admit(admission(sessionId, 'a steer'));
    await store.promoteSteers(claim, turnId, 2, NOW);
    await store.settle(claim, turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, NOW);
    const later = await runningTurn(store, sessionId, 'again');
    await store.seal(later.claim, [textRow(later.turnId, 0, 0, 'later')], NOW);
    const all = await store.history(sessionId, 0);
    for (const one of [turnId, later.turnId]) {
      const own = await store.turnRecords(sessionId, one);
      expect(own).toEqual(all.filter((record) => record.turnId === one));
      expect(own[0]).toMatchObject({ type: 'prompt' });
    }
    expect(await store.turnRecords(sessionId, id())).toEqual([]);
  });

  test('a prompt over the limit is a reference in the log, in full in its receipt and in history', async ({ store }) => {
    const session = await newSession(store);
    const words = 'long '.repeat(20_000);
    const { prompts } = await runningTurn(store, session.id, words);
    expect(isBlobRef(prompts[0]!.data)).toBe(true);
    expect(await store.input(session.id, prompts[0]!.id)).toMatchObject({ content: [{ type: 'text', text: words }] });
    const [, prompt] = await store.history(session.id, 0);
    expect(prompt!.data).toEqual({ content: [{ type: 'text', text: words }] });
  });

  test('what is read is what was sealed, byte for byte, whatever the text', async ({ store }) => {
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const odd = { text: 'a\u0000b 🗻 e\u0301 \u2028 "\\" \ud83d', citations: [null, 1.5, { z: 1, a: [] }] };
    const [sealed] = await store.seal(claim, [{ ...textRow(turnId, 0, 0, ''), data: odd } as ReturnType<typeof textRow>], NOW);
    const { records } = await store.log(session.id, sealed!.seq - 1, 1, MUCH);
    expect(records).toEqual([sealed]);
    expect(Object.keys((records[0]!.data as typeof odd).citations[2] as object)).toEqual(['z', 'a']);
  });

  test('recordId says which record stands at a seq', async ({ store }) => {
    const { sessionId, prompts } = await steps(store, 1);
    expect(await store.recordId(sessionId, 2)).toBe(prompts[0]!.id);
    expect([await store.recordId(sessionId, 0), await store.recordId(sessionId, 99), await store.recordId(id(), 1)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('sessions do not mix', async ({ harness }) => {
    const one = await steps(harness.store, 2);
    const two = await steps(harness.store, 3);
    await harness.store.admit(admission(one.sessionId, 'more'));
    for (const { sessionId } of [one, two]) {
      const records = await wholeLog(harness, sessionId);
      expect(records.every((record) => record.sessionId === sessionId)).toBe(true);
      expect(records.map((record) => record.seq)).toEqual(records.map((_, at) => at + 1));
    }
  });
}
