/** Pages of the log. Data that is kept as a blob stays a reference here, except in `history`. */
import type { ChunkRecord, LogRecord } from '#shared/protocol/records.ts';
import type { TurnMark } from '#shared/protocol/summaries.ts';
import type { ChunkPage, LogPage, TimelinePage } from '../port.ts';
import type { Core } from './core.ts';
import { liveSession } from './core.ts';
import { fullRecordOf, recordOf } from './data.ts';
import { approvalOf, receiptOf, summaryOf } from './rows.ts';
import type { RecordRow } from './rows.ts';

/** Bytes of data that one page of chunks or one timeline may hold, whatever its limit: rows are small, but not all (law 15). */
const PAGE_BYTES = 8 * 1024 * 1024;
/** What SQLite takes for a `LIMIT` that is none. */
const NO_LIMIT = -1;

/** The first rows that fit: at least one, and none past `maxBytes` of data. `all`: there were no more. */
function take(rows: Iterable<RecordRow>, maxBytes: number): { rows: RecordRow[]; all: boolean } {
  const taken: RecordRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    bytes += Buffer.byteLength(row.data);
    if (taken.length > 0 && bytes > maxBytes) return { rows: taken, all: false };
    taken.push(row);
  }
  return { rows: taken, all: true };
}

export function log(core: Core, sessionId: string, after: number, limit: number, maxBytes: number): LogPage {
  return core.read(() => {
    const session = liveSession(core, sessionId);
    const { rows } = take(core.sql.recordsAfter(session.key, after, limit), maxBytes);
    return { records: rows.map((row) => recordOf(sessionId, row, core.damaged)), head: session.head, epoch: core.epoch };
  });
}

export function chunks(core: Core, sessionId: string, before: number | null, limit: number): ChunkPage {
  return core.read(() => {
    const session = liveSession(core, sessionId);
    // one more than asked for: where it lies is how far down this page is complete
    const { rows, all } = take(core.sql.chunksBefore(session.key, before ?? session.head + 1, limit + 1), PAGE_BYTES);
    const page = rows.slice(0, limit);
    const oldestSeq = page.at(-1)?.seq ?? null;
    const beyond = rows[limit];
    const from = beyond !== undefined ? beyond.seq + 1 : all || oldestSeq === null ? 1 : oldestSeq;
    const found = page.toReversed().map((row) => recordOf(sessionId, row, core.damaged) as ChunkRecord);
    return { chunks: found, total: session.total, oldestSeq, from };
  });
}

export function timeline(core: Core, sessionId: string, limit: number): TimelinePage {
  return core.read(() => {
    const session = liveSession(core, sessionId);
    const { rows } = take(core.sql.recordsBefore(session.key, session.head + 1, limit), PAGE_BYTES);
    return {
      session: summaryOf(session),
      records: rows.toReversed().map((row) => recordOf(sessionId, row, core.damaged)),
      pendingInputs: session.pending === 0 ? [] : core.sql.pendingInputs(sessionId).map((row) => receiptOf(row, core.damaged)),
      approvals: session.open_approvals === 0 ? [] : core.sql.openApprovals(sessionId).map(approvalOf),
      head: session.head,
      epoch: core.epoch,
    };
  });
}

/** The newest marks before `before`, ascending. */
export function turns(core: Core, sessionId: string, before: number | null, limit: number): TurnMark[] {
  return core.read(() => {
    const session = liveSession(core, sessionId);
    const rows = core.sql.turnsBefore(session.key, before ?? session.head + 1, limit);
    return rows.toReversed().map((row) => ({ turnId: row.turn_id, seq: row.seq, createdAt: row.created_at, words: row.words }));
  });
}

export function history(core: Core, sessionId: string, after: number, limit: number | undefined): LogRecord[] {
  return core.read(() => {
    const { key } = liveSession(core, sessionId);
    return Array.from(core.sql.history(key, after, limit ?? NO_LIMIT), (row) => fullRecordOf(sessionId, row, core.damaged));
  });
}

export function turnRecords(core: Core, sessionId: string, turnId: string): LogRecord[] {
  return core.read(() => {
    const { key } = liveSession(core, sessionId);
    const from = core.sql.turnSeq(key, turnId)?.seq ?? 1;
    return Array.from(core.sql.turnHistory(key, from, turnId), (row) => fullRecordOf(sessionId, row, core.damaged));
  });
}
