/** What every mirror must do, whatever keeps it. Run by `mirror.indexeddb.test.ts` and `mirror.memory.test.ts`. */
import { describe, expect, test } from 'vitest';
import { reactive } from 'vue';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import {
  approvalAsked,
  eventRecord,
  promptChunk,
  receiptOf,
  recordsTo,
  summaryOf,
  textChunk,
  timelineOf,
} from '../support/device/records.ts';
import { apply, range, S, startedOn } from './mirror-kit.ts';

const seqs = (records: readonly LogRecord[]): number[] => records.map(({ seq }) => seq);

export function mirrorContract(open: () => Mirror): void {
  const started = (): Promise<Mirror> => startedOn(open());

  describe('apply', () => {
    test('rows, cursor and projections move together, across page edges', async () => {
      const mirror = await started();
      expect(await apply(mirror, recordsTo(S, 250))).toMatchObject({ ok: true, now: { cursor: { seq: 250, lastId: 'r250' } } });
      const stretch = await mirror.readBefore(S, 251, 1000);
      expect(seqs(stretch.records)).toEqual(range(1, 250));
      expect(stretch.from).toBe(1);
      expect((await mirror.projections(S)).summary).toMatchObject({ head: 250, total: 250 });
    });
    test('the same records again change nothing, and records that overlap the cursor go on from it', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 120));
      await apply(mirror, recordsTo(S, 120));
      await apply(mirror, recordsTo(S, 130).slice(90));
      expect(seqs((await mirror.readBefore(S, 131, 1000)).records)).toEqual(range(1, 130));
      expect((await mirror.projections(S)).summary?.total).toBe(130);
    });
    test('records that do not join the cursor, or have a hole, change nothing', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 10));
      expect(await apply(mirror, recordsTo(S, 20).slice(11))).toEqual({ ok: false, reason: 'ahead' });
      const holed = recordsTo(S, 20)
        .slice(10)
        .filter(({ seq }) => seq !== 15);
      expect(await apply(mirror, holed)).toEqual({ ok: false, reason: 'ahead' });
      expect((await mirror.projections(S)).cursor.seq).toBe(10);
      expect(seqs((await mirror.readAfter(S, 0, 1000)).records)).toEqual(range(1, 10));
    });
    test('a write under another epoch or generation changes nothing', async () => {
      const mirror = await started();
      const guard = await mirror.guard(S);
      await mirror.dropLog(S);
      expect(await mirror.apply(guard, { kind: 'records', sessionId: S, records: recordsTo(S, 5) })).toEqual({
        ok: false,
        reason: 'stale',
      });
      const before = await mirror.guard(S);
      await mirror.adopt('epoch-2', false);
      expect(await mirror.apply(before, { kind: 'records', sessionId: S, records: recordsTo(S, 5) })).toEqual({
        ok: false,
        reason: 'stale',
      });
      expect(await mirror.projections(S)).toEqual({ cursor: { seq: 0, lastId: null }, summary: null, inputs: [], approvals: [] });
    });
    test('a sealed record is never changed by another of the same seq', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 100));
      await apply(mirror, [textChunk(S, 50, 'another text')], 'backfill');
      expect((await mirror.readBefore(S, 51, 1)).records.at(-1)?.data).toEqual({ text: 'words 50' });
    });
    test('more than 1,000 records at once are refused before anything is written', async () => {
      const mirror = await started();
      await expect(apply(mirror, recordsTo(S, 1001))).rejects.toThrow(RangeError);
      expect((await mirror.projections(S)).cursor.seq).toBe(0);
    });
    test('B22: of 200 records on a log of 5,000, all or nothing', async () => {
      const mirror = await started();
      for (let at = 0; at < 5000; at += 1000) await apply(mirror, recordsTo(S, at + 1000).slice(at));
      const next = recordsTo(S, 5200).slice(5000);
      const poisoned = next.map((record, at) => (at === 150 ? { ...promptChunk(S, record.seq, 'p'), data: null } : record));
      await expect(apply(mirror, poisoned)).rejects.toThrow("reading 'content'");
      expect((await mirror.projections(S)).cursor).toEqual({ seq: 5000, lastId: 'r5000' });
      expect((await mirror.readAfter(S, 5000, 10)).records).toEqual([]);
      expect(await apply(mirror, next)).toMatchObject({ ok: true, now: { cursor: { seq: 5200 } } });
    });
  });

  describe('coverage', () => {
    test('backfill joins what is there, and only stores', async () => {
      const mirror = await started();
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, recordsTo(S, 350).slice(280)) });
      await apply(mirror, recordsTo(S, 280).slice(100), 'backfill');
      expect((await mirror.readBefore(S, 351, 1000)).from).toBe(101);
      expect(await mirror.projections(S)).toMatchObject({ cursor: { seq: 350 }, summary: { total: 350 } });
    });
    test('a stretch ends at a hole, and what lies below it can be found', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 120));
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, recordsTo(S, 500).slice(440)) });
      expect(await mirror.readBefore(S, 501, 1000)).toMatchObject({ from: 441, to: 500 });
      expect(await mirror.nextBelow(S, 441)).toBe(120);
      expect(await mirror.readBefore(S, 441, 1000)).toEqual({ records: [], from: 441, to: 440 });
      expect(await mirror.readAfter(S, 100, 1000)).toMatchObject({ from: 101, to: 120 });
      expect(await mirror.nextBelow(S, 1)).toBe(0);
    });
    test('of two runs of one page that do not touch, the one that ends at the cursor stays', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 20));
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, recordsTo(S, 80).slice(60)) });
      expect(await mirror.readBefore(S, 81, 1000)).toMatchObject({ from: 61, to: 80 });
      expect(await mirror.nextBelow(S, 61)).toBe(0);
      await apply(mirror, recordsTo(S, 30).slice(20), 'backfill');
      expect(await mirror.readBefore(S, 81, 1000)).toMatchObject({ from: 61, to: 80 });
      await apply(mirror, recordsTo(S, 90).slice(80));
      await apply(mirror, recordsTo(S, 60), 'backfill');
      expect(await mirror.readBefore(S, 91, 1000)).toMatchObject({ from: 1, to: 90 });
    });
    test('a timeline older than the cursor adds rows and moves nothing', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 50));
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, recordsTo(S, 40)) });
      expect(await mirror.projections(S)).toMatchObject({ cursor: { seq: 50 }, summary: { head: 50 } });
    });
    test('reading goes no further than the chunks that were asked for, page by page', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 900));
      expect(await mirror.readBefore(S, 901, 150)).toMatchObject({ from: 701, to: 900 });
      expect(await mirror.readAfter(S, 0, 150)).toMatchObject({ from: 1, to: 200 });
    });
  });

  describe('projections', () => {
    test('a promotion takes its input out, a cancellation too', async () => {
      const mirror = await started();
      const guard = await mirror.guard(S);
      await mirror.putInput(guard, receiptOf(S, 'i1'));
      await mirror.putInput(guard, receiptOf(S, 'i2'));
      await apply(mirror, [promptChunk(S, 1, 'i1'), eventRecord(S, 2, 'cancelled', { inputId: 'i2' })]);
      expect((await mirror.projections(S)).inputs).toEqual([]);
    });
    test('approvals open with their step, and close by decision or by the end of their turn', async () => {
      const mirror = await started();
      await apply(mirror, [textChunk(S, 1, 'a', 't', 3), approvalAsked(S, 2, 'a1', 't'), approvalAsked(S, 3, 'a2', 't')]);
      expect((await mirror.projections(S)).approvals.map(({ id, step }) => [id, step])).toEqual([
        ['a1', 3],
        ['a2', 3],
      ]);
      const decided = { approvalId: 'a1', callId: 'c', decision: 'allow', by: null };
      await apply(mirror, [eventRecord(S, 4, 'approval-decided', decided)]);
      expect((await mirror.projections(S)).approvals.map(({ id }) => id)).toEqual(['a2']);
      await apply(mirror, [eventRecord(S, 5, 'turn-settled', { turnId: 't', reason: 'done' })]);
      expect((await mirror.projections(S)).approvals).toEqual([]);
    });
    test('old records that are backfilled change no projection', async () => {
      const mirror = await started();
      const records = [approvalAsked(S, 1, 'a1', 't'), ...recordsTo(S, 30).slice(1)];
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, records.slice(20)) });
      await apply(mirror, records.slice(0, 20), 'backfill');
      expect((await mirror.projections(S)).approvals).toEqual([]);
    });
    test('a summary that knows a record already is not changed by it', async () => {
      const mirror = await started();
      await mirror.putSessions((await mirror.facts()).guard, [summaryOf(S, { version: 9, head: 3, total: 2, status: 'idle' })], null);
      await apply(mirror, [eventRecord(S, 1, 'turn-started', { turnId: 't' }), textChunk(S, 2, 'x'), textChunk(S, 3, 'y')]);
      expect((await mirror.projections(S)).summary).toMatchObject({ status: 'idle', total: 2, head: 3 });
      await apply(mirror, [eventRecord(S, 4, 'renamed', { title: 'new' })]);
      expect((await mirror.projections(S)).summary).toMatchObject({ title: 'new', head: 4 });
    });
    test('replacing inputs is wholesale, and an older revision replaces nothing', async () => {
      const mirror = await started();
      const guard = await mirror.guard(S);
      await mirror.putInput(guard, receiptOf(S, 'i1', { rev: 2 }));
      await mirror.putInput(guard, receiptOf(S, 'i1', { rev: 1, content: [{ type: 'text', text: 'old' }] }));
      expect((await mirror.projections(S)).inputs[0]?.rev).toBe(2);
      await mirror.replaceInputs(guard, S, [receiptOf(S, 'i3'), receiptOf(S, 'i4', { state: 'cancelled' })], 1);
      expect((await mirror.projections(S)).inputs.map(({ id }) => id)).toEqual(['i3']);
    });
  });

  describe('the list', () => {
    test('newer versions win, tombstones take everything of their session', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 10));
      const { guard } = await mirror.facts();
      await mirror.putSessions(guard, [summaryOf(S, { version: 5, title: 'five', head: 10 })], 5);
      await mirror.putSessions(guard, [summaryOf(S, { version: 4, title: 'four' })], null);
      expect((await mirror.sessions())[0]?.summary.title).toBe('five');
      expect((await mirror.facts()).version).toBe(5);
      expect(await mirror.putSessions(guard, [{ id: S, deleted: true, version: 6 }], 6)).toEqual({ ok: true, changed: [], removed: [S] });
      expect(await mirror.sessions()).toEqual([]);
      expect((await mirror.readAfter(S, 0, 100)).records).toEqual([]);
    });
    test('a list of another epoch changes nothing', async () => {
      const mirror = await started();
      const { guard } = await mirror.facts();
      await mirror.adopt('epoch-2', false);
      expect(await mirror.putSessions(guard, [summaryOf('b', { version: 7 })], 7)).toEqual({ ok: false, changed: [], removed: [] });
      expect(await mirror.facts()).toMatchObject({ epoch: 'epoch-2', version: 0 });
    });
    test('eviction drops the log of the oldest session that may go, and keeps its summary', async () => {
      const mirror = await started();
      const { guard } = await mirror.facts();
      await mirror.putSessions(
        guard,
        [summaryOf('old', { version: 2, updatedAt: 1 }), summaryOf('older', { version: 3, updatedAt: 0 })],
        3,
      );
      for (const id of ['old', 'older'])
        await mirror.apply(await mirror.guard(id), { kind: 'records', sessionId: id, records: recordsTo(id, 5) });
      expect(await mirror.evictOne(new Set(['older']))).toBe(true);
      expect((await mirror.projections('old')).cursor.seq).toBe(0);
      expect((await mirror.projections('older')).cursor.seq).toBe(5);
      expect(await mirror.evictOne(new Set(['older']))).toBe(false);
      expect((await mirror.sessions()).length).toBe(3);
    });
    test('a wipe leaves nothing, and voids what was asked for before it', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 10));
      const guard = await mirror.guard(S);
      await mirror.wipe();
      expect(await mirror.sessions()).toEqual([]);
      expect(await mirror.facts()).toMatchObject({ epoch: null, version: 0 });
      await mirror.adopt('epoch-1', false);
      expect(await mirror.apply(guard, { kind: 'records', sessionId: S, records: recordsTo(S, 1) })).toEqual({
        ok: false,
        reason: 'stale',
      });
    });
  });

  describe('what is here', () => {
    test('is told in unbroken runs, read off what is kept', async () => {
      const mirror = await started();
      const log = recordsTo(S, 1000);
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, log.slice(849)) });
      await apply(mirror, log.slice(300, 450), 'backfill');
      await apply(mirror, log.slice(20, 40), 'backfill');
      await apply(mirror, log.slice(200, 300), 'backfill');
      const { cursor, runs, guard } = await mirror.coverage(S);
      expect({ cursor, runs }).toEqual({
        cursor: 1000,
        runs: [
          { from: 21, to: 40 },
          { from: 201, to: 450 },
          { from: 850, to: 1000 },
        ],
      });
      expect(guard).toEqual(await mirror.guard(S));
      await apply(mirror, log.slice(450, 849), 'backfill');
      await apply(mirror, log.slice(0, 200), 'backfill');
      expect((await mirror.coverage(S)).runs).toEqual([{ from: 1, to: 1000 }]);
      await mirror.dropLog(S);
      expect(await mirror.coverage(S)).toMatchObject({ cursor: 0, runs: [] });
    });
    test('a copy stores as an apply does, and answers nothing else', async () => {
      const mirror = await started();
      const guard = await mirror.guard(S);
      const timeline = timelineOf(S, recordsTo(S, 300).slice(200));
      expect(await mirror.copy(guard, { kind: 'timeline', sessionId: S, timeline })).toEqual({ ok: true });
      expect(await mirror.copy(guard, { kind: 'backfill', sessionId: S, records: recordsTo(S, 200) })).toEqual({ ok: true });
      expect(seqs((await mirror.readBefore(S, 301, 1000)).records)).toEqual(range(1, 300));
      await mirror.dropLog(S);
      const late = await mirror.copy(guard, { kind: 'backfill', sessionId: S, records: recordsTo(S, 200) });
      expect(late).toEqual({ ok: false, reason: 'stale' });
    });
    test('a backfill answers no projections', async () => {
      const mirror = await started();
      await apply(mirror, recordsTo(S, 30));
      expect(await apply(mirror, recordsTo(S, 10), 'backfill')).toEqual({ ok: true, now: null });
    });
  });

  test('B21: what is taken from reactive state, nested proxies too, is stored plain and equal', async () => {
    const mirror = await started();
    const held = reactive({ record: textChunk(S, 1, 'deep'), receipt: receiptOf(S, 'i1'), summary: summaryOf('b', { version: 2 }) });
    held.record.data = { text: 'changed', citations: [{ nested: ['x'] }] };
    held.receipt.content = [{ type: 'text', text: 'changed' }];
    const guard = await mirror.guard(S);
    await mirror.putSessions((await mirror.facts()).guard, [held.summary], 2);
    await mirror.putInput(guard, held.receipt);
    await mirror.replaceInputs(guard, S, [held.receipt], 1);
    await mirror.apply(guard, { kind: 'records', sessionId: S, records: [held.record] });
    await mirror.apply(guard, { kind: 'backfill', sessionId: S, records: [held.record] });
    const page = reactive({
      records: recordsTo('b', 200),
      timeline: timelineOf('b', recordsTo('b', 230).slice(200)),
      whole: { text: 'w' },
    });
    const other = await mirror.guard('b');
    const mark = reactive({ turnId: 't', seq: 1, createdAt: 1, words: 'w' });
    await mirror.copy(other, { kind: 'timeline', sessionId: 'b', timeline: page.timeline });
    await mirror.copy(other, { kind: 'backfill', sessionId: 'b', records: page.records });
    await mirror.putTurns(other, 'b', [mark], { from: 1, to: 200 });
    await mirror.putBlob(other, 'b', 'f'.repeat(64), page.whole, 'go');
    expect((await mirror.readBefore('b', 231, 1000)).records).toEqual(recordsTo('b', 230));
    expect((await mirror.turns('b', 201, 10)).turns).toEqual([{ turnId: 't', seq: 1, createdAt: 1, words: 'w' }]);
    expect(await mirror.blob('f'.repeat(64))).toEqual({ text: 'w' });
    page.records[0]!.id = 'changed after';
    expect((await mirror.readAfter('b', 0, 1)).records[0]?.id).toBe('r1');
    const timeline = reactive(timelineOf('c', [textChunk('c', 1, 'x')]));
    await mirror.apply(await mirror.guard('c'), { kind: 'timeline', sessionId: 'c', timeline });
    expect((await mirror.readBefore(S, 2, 1)).records).toEqual([
      { ...textChunk(S, 1, ''), data: { text: 'changed', citations: [{ nested: ['x'] }] } },
    ]);
    expect((await mirror.projections(S)).inputs[0]?.content).toEqual([{ type: 'text', text: 'changed' }]);
    expect((await mirror.projections('c')).cursor.seq).toBe(1);
  });
}
