/**
 * Marks of turns as the log itself tells them, the way the server makes them: a turn begins with the first prompt of its id,
 * or, when it goes on from one that was cut, with its `turn-started` under the words of the turn before. Pure.
 *
 * Marks are known in two stretches: what the server listed (`from … to`), and what was followed record by record (above
 * `since`, up to the cursor). Where they touch they are one.
 */
import { turnWords } from '#shared/turn-words.ts';
import { isChunk, isEvent, type LogRecord } from '#shared/protocol/records.ts';
import type { TurnMark } from '#shared/protocol/summaries.ts';
import type { Span } from './port.ts';
import type { MarksRow } from './tx.ts';

export interface Followed {
  marks: TurnMark[];
  /** From the first to the last turn whose words could not be told; null: none. */
  unknown: Span | null;
  /** The turn of the last record that has one. */
  turnId: string | null;
}

/** Nothing is known up to `cursor`, and from there on everything will be. */
export function noMarks(cursor: number): MarksRow {
  return { from: cursor + 1, to: cursor, since: cursor };
}
/** The lowest seq from which all marks up to `top` are known; `top + 1`: none. `top` is no higher than the cursor. */
export function reachBelow({ from, to, since }: MarksRow, top: number): number {
  const low = top > since ? since + 1 : top + 1;
  return from <= to && to >= low - 1 && from < low ? from : low;
}
/** The server listed all marks of `span`. */
export function listed(row: MarksRow, span: Span): MarksRow {
  if (row.from > row.to) return { ...row, ...span };
  if (span.from <= row.to + 1 && row.from <= span.to + 1) {
    return { ...row, from: Math.min(row.from, span.from), to: Math.max(row.to, span.to) };
  }
  return span.to > row.to ? { ...row, ...span } : row;
}
/** The cursor stood at `cursor` and following ends at `end`, to begin anew above `since`. */
export function broken(row: MarksRow, cursor: number, end: number, since: number): MarksRow {
  const from = reachBelow(row, cursor);
  return from <= end ? { from, to: end, since } : { ...row, since };
}

/** Whether a turn begins in dense records that go on from one within `turnId`. */
export function begins(records: readonly LogRecord[], turnId: string | null): boolean {
  return records.some((record) => record.turnId !== null && record.turnId !== turnId);
}
/** Follows dense records on from a point within `turnId`. `words`: of the turn before; null: not known. */
export function follow(records: readonly LogRecord[], turnId: string | null, words: string | null): Followed {
  const after: Followed = { marks: [], unknown: null, turnId };
  let last = words;
  for (const record of records) {
    if (record.turnId === null || record.turnId === after.turnId) continue;
    after.turnId = record.turnId;
    last = wordsAt(record, last);
    if (last === null) after.unknown = { from: after.unknown?.from ?? record.seq, to: record.seq };
    else after.marks.push({ turnId: record.turnId, seq: record.seq, createdAt: record.createdAt, words: last });
  }
  return after;
}
function wordsAt(record: LogRecord, before: string | null): string | null {
  if (record.kind === 'chunk') return isChunk(record, 'prompt') ? turnWords(record.data.content) : null;
  return isEvent(record, 'turn-started') ? before : null;
}

/** The marks row after dense records that go on from `cursor` were followed. */
export function rowAfter(row: MarksRow, cursor: number, { unknown }: Followed): MarksRow {
  return unknown === null ? row : broken(row, cursor, unknown.from - 1, unknown.to);
}
/**
 * The cursor jumped from `cursor` to the end of `records`, which do not join it. Where the first turn among them began is not
 * known; what begins after it is.
 */
export function followAfterJump(row: MarksRow, cursor: number, records: readonly LogRecord[]): Followed & { row: MarksRow } {
  const first = records.find((record) => record.turnId !== null);
  const after = follow(records, first?.turnId ?? null, null);
  const since = after.unknown?.to ?? first?.seq ?? (records[0]?.seq ?? 1) - 1;
  return { ...after, row: broken(row, cursor, cursor, since) };
}
