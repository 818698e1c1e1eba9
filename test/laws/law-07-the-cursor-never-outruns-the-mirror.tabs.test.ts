/**
 * Law 7 with two windows on one database: random interleavings of what both apply, backfill, load, drop and wipe, each under the
 * guard it had when it asked. After every step the cursor's record is there, what is said to be here is the log, and coverage has
 * shrunk only where a page gave one of two runs that do not touch, or somebody dropped the log.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import { type Change, type Guard, type Mirror, type Span } from '../../app/mirror/port.ts';
import { pageOf } from '../../app/mirror/pages.ts';
import { realTimers } from '../support/device/device.ts';
import { approvalAsked, recordsTo, timelineOf } from '../support/device/records.ts';

const S = 'session';
const LOG = recordsTo(S, 900);

/** A window: what it asked for, under which guard, still to be written. */
interface Waiting {
  guard: Guard;
  change: Change;
}

function isHere(runs: readonly Span[], seq: number): boolean {
  return runs.some(({ from, to }) => seq >= from && seq <= to);
}
/** Pages of which something went that was here before. */
function lostPages(before: readonly Span[], after: readonly Span[]): Set<number> {
  const lost = new Set<number>();
  for (const { from, to } of before) for (let seq = from; seq <= to; seq++) if (!isHere(after, seq)) lost.add(pageOf(seq));
  return lost;
}

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

/** What is wrong after a step. */
async function history(windows: readonly Mirror[], seed: number, steps: number): Promise<string[]> {
  const roll = dice(seed);
  const waiting: (Waiting | null)[] = windows.map(() => null);
  const wrong: string[] = [];
  let epoch = 1;
  await windows[0]!.adopt('epoch-1', false);
  for (let step = 0; step < steps; step++) {
    const at = roll(windows.length);
    const mirror = windows[at]!;
    const ask = waiting[at] ?? null;
    if (ask !== null) {
      waiting[at] = null;
      wrong.push(...(await wrongsOf(mirror, ask)).map((what) => `step ${step}, ${ask.change.kind}: ${what}`));
      continue;
    }
    const die = roll(24);
    if (die === 0) await mirror.dropLog(S);
    else if (die === 1) {
      await mirror.wipe();
      await mirror.adopt(`epoch-${(epoch += roll(2))}`, false);
    } else waiting[at] = { guard: await mirror.guard(S), change: changeOf((await mirror.coverage(S)).cursor, roll) };
  }
  return wrong;
}
/** Writes what was asked for a while ago, and holds what came of it against what was there. */
async function wrongsOf(mirror: Mirror, { guard, change }: Waiting): Promise<string[]> {
  const before = await mirror.coverage(S);
  const isStale = guard.epoch !== before.guard.epoch || guard.generation !== before.guard.generation;
  const applied = await mirror.apply(guard, change).catch(() => 'aborted' as const);
  const after = await mirror.coverage(S);
  const wrong: string[] = [];
  const demand = (so: boolean, what: string): void => void (so || wrong.push(what));
  if (isStale) demand(applied !== 'aborted' && !applied.ok && applied.reason === 'stale', 'stale, and not told so');
  if (applied === 'aborted' || !applied.ok) {
    demand(JSON.stringify(after) === JSON.stringify(before), 'refused, and not as before');
    return wrong;
  }
  demand(after.cursor >= before.cursor, 'the cursor went back');
  if (change.kind === 'backfill') demand(after.cursor === before.cursor, 'a backfill moved the cursor');
  const jumped = change.kind === 'timeline' && after.cursor > before.cursor;
  demand(lostPages(before.runs, after.runs).size <= (jumped ? 1 : 0), 'coverage shrank');
  demand(after.cursor === 0 || isHere(after.runs, after.cursor), 'the record of the cursor is not here');
  for (const { from, to } of after.runs) {
    const { records } = await mirror.readAfter(S, from - 1, LOG.length);
    const same =
      records.map(({ id }) => id).join() ===
      LOG.slice(from - 1, to)
        .map(({ id }) => id)
        .join();
    demand(same, `run ${from}-${to} is not the log`);
  }
  return wrong;
}
/** What a window may ask for, having seen `cursor`: also what is behind, ahead, or cannot be written. */
function changeOf(cursor: number, roll: (below: number) => number): Change {
  const start = Math.max(0, Math.min(LOG.length - 1, cursor + roll(3) - 1));
  const part = (from: number, count: number): LogRecord[] => LOG.slice(from, from + count);
  const die = roll(8);
  if (die < 3) return { kind: 'records', sessionId: S, records: part(start, 1 + roll(150)) };
  if (die === 3) return { kind: 'records', sessionId: S, records: poisoned(part(cursor, 2 + roll(40))) };
  if (die < 6) return { kind: 'backfill', sessionId: S, records: part(roll(LOG.length), 1 + roll(200)) };
  const head = 1 + roll(LOG.length);
  return {
    kind: 'timeline',
    sessionId: S,
    timeline: timelineOf(
      S,
      part(Math.max(0, head - 1 - roll(120)), 121).filter(({ seq }) => seq <= head),
    ),
  };
}
/** The last of them breaks the transaction once all others are written. */
function poisoned(records: readonly LogRecord[]): LogRecord[] {
  return records.map(
    (record, at) => (at === records.length - 1 ? { ...approvalAsked(S, record.seq, 'a', 't'), data: null } : record) as LogRecord,
  );
}

test.each([1, 2, 3, 4, 5, 6, 7, 8])('in memory, seed %d', async (seed) => {
  const mirror = memoryMirror();
  expect(await history([mirror, mirror], seed, 160)).toEqual([]);
});
test.each([21, 22, 23])('two connections to one IndexedDB, seed %d', async (seed) => {
  const parts = { indexedDB: new IDBFactory(), IDBKeyRange, timers: realTimers };
  expect(await history([diskMirror('m', parts), diskMirror('m', parts)], seed, 70)).toEqual([]);
});
