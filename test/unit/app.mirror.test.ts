/** What each adapter of the mirror must do beside the contract: its own failures, its upgrade, its bounds. */
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { faultOf } from '../../app/disk/faults.ts';
import { degradingMirror } from '../../app/mirror/degrading.ts';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import { MEMORY_PAGES } from '../../app/mirror/memory-tx.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { realTimers } from '../support/device/device.ts';
import { receiptOf, recordsTo, summaryOf, timelineOf } from '../support/device/records.ts';

const S = 'session';
const onDisk = (factory = new IDBFactory()): Mirror => diskMirror('m', { indexedDB: factory, IDBKeyRange, timers: realTimers });
async function started(mirror: Mirror, records: number, from = 0): Promise<void> {
  await mirror.adopt('epoch-1', false);
  await mirror.putSessions((await mirror.facts()).guard, [summaryOf(S, { version: 1 })], 1);
  const log = recordsTo(S, records);
  for (let at = from; at < records; at += 1000) {
    await mirror.apply(await mirror.guard(S), { kind: 'records', sessionId: S, records: log.slice(at, at + 1000) });
  }
}
afterEach(() => vi.restoreAllMocks());

/** The `n`-th put from now on fails, as on a full disk; answers how many there were. */
function failingPut(n: number, name = 'QuotaExceededError'): () => number {
  let puts = 0;
  const real = IDBObjectStore.prototype.put;
  const spy = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
    puts += 1;
    if (puts === n) throw new DOMException('no room', name);
    return real.apply(this, args);
  });
  return () => {
    spy.mockRestore();
    return puts;
  };
}

describe('B22: of 200 records on a log of 5,000, all or nothing', () => {
  test('whichever write of it fails, rows, cursor, list and marks are as before', async () => {
    const mirror = onDisk();
    await started(mirror, 5_050);
    const before = { ...(await mirror.projections(S)), ...(await mirror.coverage(S)) };
    const records = recordsTo(S, 5_250).slice(5_050);
    const wrong: string[] = [];
    let went: unknown = null;
    let writes = 0;
    while (went === null) {
      writes += 1;
      const end = failingPut(writes);
      const applied = await mirror
        .apply(await mirror.guard(S), { kind: 'records', sessionId: S, records })
        .catch((error: unknown) => error);
      if (end() < writes) went = applied;
      else {
        if (faultOf(applied) !== 'quota') wrong.push(`write ${writes} failed as ${String(applied)}`);
        const after = { ...(await mirror.projections(S)), ...(await mirror.coverage(S)) };
        if (JSON.stringify(after) !== JSON.stringify(before)) wrong.push(`write ${writes} left ${JSON.stringify(after)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(writes).toBeGreaterThan(50);
    expect(went).toMatchObject({ ok: true, now: { cursor: { seq: 5_250 } } });
    expect((await mirror.coverage(S)).runs).toEqual([{ from: 1, to: 5_250 }]);
  });
  test('nor is a backfill or a snapshot ever half there', async () => {
    const mirror = onDisk();
    await started(mirror, 0);
    const log = recordsTo(S, 900);
    await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, log.slice(850)) });
    for (const n of [1, 2, 3]) {
      const end = failingPut(n);
      const guard = await mirror.guard(S);
      await expect(mirror.copy(guard, { kind: 'backfill', sessionId: S, records: log.slice(400, 850) })).rejects.toThrow('no room');
      end();
      expect((await mirror.coverage(S)).runs).toEqual([{ from: 851, to: 900 }]);
    }
  });
});

describe('an upgrade', () => {
  test('keeps the list, and fetches the log again', async () => {
    const factory = new IDBFactory();
    const request = factory.open('m', 10);
    request.addEventListener('upgradeneeded', () => {
      const make = (name: string, keyPath: string | string[]): IDBObjectStore =>
        (request.result as IDBDatabase).createObjectStore(name, { keyPath });
      const meta = make('meta', 'key');
      meta.put({ key: 'facts', value: { epoch: 'epoch-1', version: 9, generation: 3, floor: 1 } });
      meta.put({ key: `cursor/${S}`, value: { seq: 50, lastId: 'r50', step: 0 } });
      make('sessions', 'id').put({ id: S, summary: summaryOf(S, { head: 50, version: 9 }), readTotal: 7 });
      make('pages', ['sessionId', 'page']).put({ sessionId: S, page: 0, from: 1, to: 50, records: recordsTo(S, 50) });
      make('rows', ['sessionId', 'seq']);
      make('inputs', ['sessionId', 'id']).put(receiptOf(S, 'i1'));
      make('approvals', ['sessionId', 'id']);
    });
    await new Promise((resolve) => request.addEventListener('success', resolve));
    request.result.close();

    const mirror = onDisk(factory);
    expect(await mirror.facts()).toMatchObject({ epoch: 'epoch-1', version: 9 });
    expect(await mirror.sessions()).toMatchObject([{ id: S, readTotal: 7 }]);
    expect(await mirror.projections(S)).toMatchObject({ cursor: { seq: 0 }, inputs: [] });
    expect((await mirror.coverage(S)).runs).toEqual([]);
    const timeline = timelineOf(S, recordsTo(S, 50));
    expect(await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline })).toMatchObject({ ok: true });
    expect((await mirror.coverage(S)).runs).toEqual([{ from: 1, to: 50 }]);
  });
});

describe('in memory', () => {
  test('a bounded number of pages is kept: the newest, and those that were read last', async () => {
    const mirror = memoryMirror();
    const head = (MEMORY_PAGES + 100) * 100;
    const log = recordsTo(S, head);
    await mirror.adopt('epoch-1', false);
    await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, log.slice(-150)) });
    const guard = await mirror.guard(S);
    for (let to = head - 150; to > 0; to -= 500) {
      const from = Math.max(0, to - 500);
      await mirror.apply(guard, { kind: 'backfill', sessionId: S, records: log.slice(from, to) });
      const { from: reached } = await mirror.readBefore(S, to + 1, 100);
      expect(reached).toBeLessThanOrEqual(to);
    }
    const { runs } = await mirror.coverage(S);
    const kept = runs.reduce((sum, run) => sum + run.to - run.from + 1, 0);
    expect(kept).toBeLessThanOrEqual(MEMORY_PAGES * 100);
    expect(kept).toBeGreaterThan((MEMORY_PAGES - 2) * 100);
    expect(runs[0]!.from).toBe(1);
    expect(runs.at(-1)!.to).toBe(head);
    // What went is not here, and nothing claims to be its start.
    const gap = runs.at(-1)!.from;
    expect(await mirror.readBefore(S, gap, 100)).toEqual({ records: [], from: gap, to: gap - 1 });
  });
  test('large pages count by their size', async () => {
    const mirror = memoryMirror();
    await mirror.adopt('epoch-1', false);
    const log = recordsTo(S, 3_000).map((record) => ({ ...record, data: { text: 'x'.repeat(60_000) } }));
    await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, log.slice(-100)) });
    for (let to = 2_900; to > 0; to -= 100) {
      await mirror.apply(await mirror.guard(S), { kind: 'backfill', sessionId: S, records: log.slice(to - 100, to) });
    }
    const kept = (await mirror.coverage(S)).runs.reduce((sum, run) => sum + run.to - run.from + 1, 0);
    expect(kept * 60_000).toBeLessThanOrEqual(70 * 1024 * 1024);
    expect(kept).toBeGreaterThan(500);
  });
});

describe('B18: what nobody waits for', () => {
  test('drops no session and loses no mirror on a full disk, and is refused from then on', async () => {
    const disk = onDisk();
    const lost: unknown[] = [];
    const mirror = degradingMirror({ disk, onLost: (error) => lost.push(error), keep: () => new Set() });
    await started(mirror, 300);
    await mirror.putSessions((await mirror.facts()).guard, [summaryOf('other', { version: 2, updatedAt: 1 })], 2);
    await mirror.apply(await mirror.guard('other'), { kind: 'records', sessionId: 'other', records: recordsTo('other', 5) });
    await mirror.dropLog(S);
    const guard = await mirror.guard(S);
    const change = { kind: 'timeline' as const, sessionId: S, timeline: timelineOf(S, recordsTo(S, 300)) };
    const end = failingPut(1);
    expect(await mirror.copy(guard, change)).toEqual({ ok: false, reason: 'full' });
    end();
    expect(await mirror.copy(guard, change)).toEqual({ ok: false, reason: 'full' });
    expect(await mirror.putBlob(guard, S, 'a'.repeat(64), { text: 'x' }, 'go')).toBe(false);
    expect(await mirror.putTurns(guard, S, [], { from: 1, to: 1 })).toEqual({ ok: false, reason: 'full' });
    expect((await mirror.projections('other')).cursor.seq).toBe(5);
    expect(lost).toEqual([]);
    expect(mirror.durable).toBe(true);
    // What somebody waits for is still written.
    expect(await mirror.apply(guard, change)).toMatchObject({ ok: true, now: { cursor: { seq: 300 } } });
  });
  test('a full disk is also known when only the transaction says so', async () => {
    const mirror = onDisk();
    await started(mirror, 10);
    const real = IDBObjectStore.prototype.put;
    vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(function (this: IDBObjectStore, ...args) {
      const request = real.apply(this, args);
      // As browsers do when the room runs out at the commit: every request ends in an AbortError, the reason is the transaction's.
      Object.defineProperty(this.transaction, 'error', { value: new DOMException('no room', 'QuotaExceededError') });
      this.transaction.abort();
      return request;
    });
    const failed = await mirror
      .apply(await mirror.guard(S), { kind: 'records', sessionId: S, records: recordsTo(S, 20) })
      .catch((e: unknown) => e);
    expect(faultOf(failed)).toBe('quota');
    vi.restoreAllMocks();
    expect((await mirror.projections(S)).cursor.seq).toBe(10);
  });
});
