/**
 * Law 7: rows, coverage and cursor move in one transaction, and an evicted sealed chunk is in the mirror (or can be got again)
 * before it leaves the window. Random histories of applies, snapshots, backfills, drops and failures, checked after each.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { dexieMirror } from '../../app/mirror/dexie.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { realTimers } from '../support/device/device.ts';
import { approvalAsked, recordsTo, timelineOf } from '../support/device/records.ts';

const S = 'session';
const LOG = recordsTo(S, 700);

/** A small generator, so that a failing seed can be run again. */
function dice(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/** The record at the cursor is here, whole and unbroken down to where the run begins, and is the one that the cursor names. */
async function holds(mirror: Mirror): Promise<void> {
  const { cursor } = await mirror.projections(S);
  if (cursor.seq === 0) return;
  const { records } = await mirror.readBefore(S, cursor.seq + 1, 1);
  expect(records.at(-1)).toEqual(LOG[cursor.seq - 1]);
  expect(cursor.lastId).toBe(`r${cursor.seq}`);
  for (const [at, record] of records.entries()) expect(record).toEqual(LOG[records[0]!.seq - 1 + at]);
}

async function history(mirror: Mirror, seed: number, steps: number): Promise<void> {
  const roll = dice(seed);
  await mirror.adopt('epoch-1', false);
  let head = 0;
  for (let step = 0; step < steps; step++) {
    const { cursor } = await mirror.projections(S);
    const guard = await mirror.guard(S);
    head = Math.min(LOG.length, Math.max(head, cursor.seq) + roll(60));
    const part = (from: number, count: number): LogRecord[] => LOG.slice(from, Math.min(head, from + count));
    switch (roll(6)) {
      case 0:
      case 1:
        await mirror.apply(guard, { kind: 'records', sessionId: S, records: part(cursor.seq, 1 + roll(120)) });
        break;
      case 2:
        await mirror.apply(guard, {
          kind: 'timeline',
          sessionId: S,
          timeline: timelineOf(S, part(Math.max(0, head - 1 - roll(90)), 1000)),
        });
        break;
      case 3:
        await mirror.apply(guard, { kind: 'backfill', sessionId: S, records: part(roll(Math.max(1, head)), 1 + roll(150)) });
        break;
      case 4: {
        // A failure in the middle of the transaction: nothing of it may be seen.
        const records = part(cursor.seq, 100);
        if (records.length === 0) break;
        const bad = [...records.slice(0, -1), { ...approvalAsked(S, records.at(-1)!.seq, 'a', 't'), data: null }];
        await expect(mirror.apply(guard, { kind: 'records', sessionId: S, records: bad })).rejects.toThrow('approvalId');
        expect((await mirror.projections(S)).cursor).toEqual(cursor);
        break;
      }
      case 5:
        if (roll(4) === 0) await mirror.dropLog(S);
        break;
    }
    await holds(mirror);
  }
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('whatever is applied in memory, in whatever order, seed %d', async (seed) => {
  await history(memoryMirror(), seed, 120);
});
test.each([11, 12])('the same in IndexedDB, seed %d', async (seed) => {
  await history(dexieMirror('mirror', { indexedDB: new IDBFactory(), IDBKeyRange, timers: realTimers }), seed, 40);
});
