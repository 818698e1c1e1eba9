/**
 * Law 7: rows, coverage and cursor move in one transaction, and an evicted sealed chunk is in the mirror (or can be got again)
 * before it leaves the window. Random histories of applies, snapshots, backfills, drops and failures, checked after each.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { realTimers } from '../support/device/device.ts';
import { approvalAsked, promptChunk, textChunk, timelineOf } from '../support/device/records.ts';

const S = 'session';
/** Turns of 1 to 12 records, each begun by its prompt. */
const LOG = logOf(700);
function logOf(to: number): LogRecord[] {
  let turn = 0;
  let left = 0;
  return Array.from({ length: to }, (_, at) => {
    const isFirst = left === 0;
    if (isFirst) left = 1 + (++turn % 12);
    left -= 1;
    const turnId = `turn-${turn}`;
    return isFirst ? { ...promptChunk(S, at + 1, `r${at + 1}`, `ask ${turn}`), turnId } : textChunk(S, at + 1, `words ${at + 1}`, turnId);
  });
}
const MARKS = LOG.filter((record) => record.type === 'prompt').map(({ seq, createdAt, turnId }) => ({
  turnId: turnId!,
  seq,
  createdAt,
  words: `ask ${turnId!.slice(5)}`,
}));

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

/** What is said to be here and is not, or is not the log: pages and marks alike. */
async function wrongsOfCoverage(mirror: Mirror, cursor: number): Promise<string[]> {
  const wrong: string[] = [];
  const { runs } = await mirror.coverage(S);
  for (const { from, to } of runs) {
    const { records } = await mirror.readAfter(S, from - 1, 10_000);
    const same = JSON.stringify(records) === JSON.stringify(LOG.slice(from - 1, to));
    if (!same) wrong.push(`run ${from}-${to}, read ${records[0]?.seq}-${records.at(-1)?.seq}`);
  }
  const { from } = await mirror.turnsReach(S);
  const marks = MARKS.filter(({ seq }) => seq >= from && seq <= cursor);
  const told = await mirror.turns(S, null, 1_000);
  if (JSON.stringify(told.turns) !== JSON.stringify(marks)) wrong.push(`marks from ${from}: ${JSON.stringify(told.turns)}`);
  return told.missing === from > 1 ? wrong : [...wrong, `marks from ${from} said to be missing: ${told.missing}`];
}
/** What is wrong: the record at the cursor is not here, or not the one it names, or what is read below it is not the log. */
async function wrongs(mirror: Mirror): Promise<string[]> {
  const { cursor } = await mirror.projections(S);
  if (cursor.seq === 0) return [];
  const { records } = await mirror.readBefore(S, cursor.seq + 1, 1);
  const from = records[0]?.seq ?? 0;
  const wrong = records
    .filter((record, at) => JSON.stringify(record) !== JSON.stringify(LOG[from - 1 + at]))
    .map(({ seq }) => `record ${seq}`);
  if (records.at(-1)?.seq !== cursor.seq || cursor.lastId !== `r${cursor.seq}`) wrong.push(`cursor ${cursor.seq} ${cursor.lastId}`);
  return [...wrong, ...(await wrongsOfCoverage(mirror, cursor.seq))];
}
/** A failure in the middle of the transaction: whatever of it can be seen afterwards. */
async function failing(mirror: Mirror, records: readonly LogRecord[]): Promise<string[]> {
  const { cursor } = await mirror.projections(S);
  const bad = [...records.slice(0, -1), { ...approvalAsked(S, records.at(-1)!.seq, 'a', 't'), data: null }];
  const went = await mirror.apply(await mirror.guard(S), { kind: 'records', sessionId: S, records: bad }).then(
    () => ['it went through'],
    () => [],
  );
  const now = await mirror.projections(S);
  return now.cursor.seq === cursor.seq ? went : [...went, `the cursor moved to ${now.cursor.seq}`];
}

async function history(mirror: Mirror, seed: number, steps: number): Promise<string[]> {
  const roll = dice(seed);
  await mirror.adopt('epoch-1', false);
  const wrong: string[] = [];
  let head = 0;
  for (let step = 0; step < steps; step++) {
    const { cursor } = await mirror.projections(S);
    const guard = await mirror.guard(S);
    head = Math.min(LOG.length, Math.max(head, cursor.seq) + roll(60));
    const part = (from: number, count: number): LogRecord[] => LOG.slice(from, Math.min(head, from + count));
    switch (roll(7)) {
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
      case 4:
        if (head > cursor.seq) wrong.push(...(await failing(mirror, part(cursor.seq, 100))));
        break;
      case 6: {
        const { guard: then, from } = await mirror.turnsReach(S);
        const marks = MARKS.filter(({ seq }) => seq < from).slice(-1 - roll(20));
        if (marks.length > 0) await mirror.putTurns(then, S, marks, { from: marks[0]!.seq, to: from - 1 });
        break;
      }
      case 5:
        if (roll(4) === 0) await mirror.dropLog(S);
        break;
    }
    wrong.push(...(await wrongs(mirror)).map((what) => `step ${step}: ${what}`));
  }
  return wrong;
}

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])('whatever is applied in memory, in whatever order, seed %d', async (seed) => {
  expect(await history(memoryMirror(), seed, 120)).toEqual([]);
});
test.each([11, 12])('the same in IndexedDB, seed %d', async (seed) => {
  const mirror = diskMirror('mirror', { indexedDB: new IDBFactory(), IDBKeyRange, timers: realTimers });
  expect(await history(mirror, seed, 40)).toEqual([]);
});
