/**
 * The mirror: this device's copy of the log. It may be wiped at any time and holds nothing that the server does not have.
 * Adapters: IndexedDB (`indexeddb.ts`) and memory (`memory.ts`); both pass `test/contract/mirror.ts`.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt, SessionEntry, SessionSummary, Timeline, TurnMark } from '#shared/protocol/summaries.ts';

/** How far a session's log is applied here. `lastId`: id of the record at `seq`; null at 0. */
export interface Cursor {
  seq: number;
  lastId: string | null;
}
export const START: Cursor = { seq: 0, lastId: null };

/** What was true when a request was made. A write under another epoch or generation changes nothing. */
export interface Guard {
  epoch: string | null;
  generation: number;
}
export interface MirrorFacts {
  epoch: string | null;
  /** The session list is applied up to this version. */
  version: number;
  guard: Guard;
}
export interface MirroredSession {
  id: string;
  summary: SessionSummary;
  /** Shown chunks that the user of this device has seen. */
  readTotal: number;
}
export interface Projections {
  cursor: Cursor;
  summary: SessionSummary | null;
  /** Pending only. */
  inputs: Receipt[];
  /** Open only. */
  approvals: Approval[];
}

/** `records`: goes on from the cursor. `backfill`: older ones, stored only. `timeline`: a read snapshot that moves the cursor to its head. */
export type Change =
  | { kind: 'records'; sessionId: string; records: readonly LogRecord[] }
  | { kind: 'backfill'; sessionId: string; records: readonly LogRecord[] }
  | { kind: 'timeline'; sessionId: string; timeline: Timeline };
/**
 * `stale`: epoch or generation changed. `ahead`: the records do not join the cursor, or are not dense. A backfill changes no
 * projection, so it answers none.
 */
export type Applied<C extends Change = Change> =
  { ok: true; now: C extends { kind: 'backfill' } ? null : Projections } | { ok: false; reason: 'stale' | 'ahead' };
/** What nobody waits for: `full` leaves everything as it was, and nothing is dropped for it. */
export type Copied = { ok: true } | { ok: false; reason: 'stale' | 'ahead' | 'full' };

/** Seqs, both included. */
export interface Span {
  from: number;
  to: number;
}
/** An unbroken stretch: every record with `from ≤ seq ≤ to` is in `records`. Nothing there: `from = to + 1`. */
export interface Stretch extends Span {
  records: LogRecord[];
}
/** What of a session's log is here, as of one moment. */
export interface Coverage {
  guard: Guard;
  cursor: number;
  /** Unbroken runs, ascending, none touching the next: what lies between them and below the first is missing. */
  runs: readonly Span[];
}

/** Turns to jump to, ascending. `earlier`: there are older ones than these. `missing`: and they are not here. */
export interface Marks {
  turns: TurnMark[];
  earlier: boolean;
  missing: boolean;
}
/** Every turn that began at `from` or later, up to the cursor, is here; `from` 1: all of them, `cursor + 1`: none. */
export interface MarksReach {
  guard: Guard;
  cursor: number;
  from: number;
}

/** Most records of one `apply`. */
export const APPLY_RECORDS = 1_000;

export interface Mirror {
  /** False: nothing outlives this window. */
  readonly durable: boolean;
  /** Rejects if it would not take what is written now. */
  ready(): Promise<void>;
  facts(): Promise<MirrorFacts>;
  /** Takes on the server's epoch. Another one than before, or `afresh`: everything here is dropped, generation raised. */
  adopt(epoch: string, afresh: boolean): Promise<void>;

  sessions(): Promise<MirroredSession[]>;
  /** Summaries by version, newest wins; a tombstone drops all of its session. `version` null: not a list answer. Answers what changed. */
  putSessions(
    guard: Guard,
    entries: readonly SessionEntry[],
    version: number | null,
  ): Promise<{ ok: boolean; changed: MirroredSession[]; removed: string[] }>;
  markRead(sessionId: string, total: number): Promise<void>;

  /** Guard for a request about one session. */
  guard(sessionId: string): Promise<Guard>;
  projections(sessionId: string): Promise<Projections>;
  apply<C extends Change>(guard: Guard, change: C): Promise<Applied<C>>;
  /** As `apply`, for what nobody waits for: trouble is the caller's, no session is dropped to make room, and the disk is not given up. */
  copy(guard: Guard, change: Change): Promise<Copied>;
  /** One receipt as the server now says; one that is no longer pending leaves. Answers the pending ones. */
  putInput(guard: Guard, receipt: Receipt): Promise<Receipt[]>;
  /** Wholesale: what is not among them was pending no more when the log was at `head`. */
  replaceInputs(guard: Guard, sessionId: string, receipts: readonly Receipt[], head: number): Promise<Receipt[]>;
  /** The server said that it is no longer open. */
  closeApproval(sessionId: string, approvalId: string): Promise<Approval[]>;

  /** Down from `before - 1` while unbroken, until `chunks` shown chunks or the start: the newest stretch below `before`. */
  readBefore(sessionId: string, before: number, chunks: number): Promise<Stretch>;
  /** Up from `after + 1` likewise. */
  readAfter(sessionId: string, after: number, chunks: number): Promise<Stretch>;
  /** The highest seq below `before` that is here; 0: none. */
  nextBelow(sessionId: string, before: number): Promise<number>;
  /** One small row, whatever the size of the log. */
  coverage(sessionId: string): Promise<Coverage>;

  /** The newest marks below `before` (null: of all) that join unbroken to it. */
  turns(sessionId: string, before: number | null, limit: number): Promise<Marks>;
  turnsReach(sessionId: string): Promise<MarksReach>;
  /** All marks with `span.from ≤ seq ≤ span.to`, as the server said. */
  putTurns(guard: Guard, sessionId: string, turns: readonly TurnMark[], span: Span): Promise<Copied>;

  /** Whole data that is kept by reference elsewhere; undefined: not here. */
  blob(sha256: string): Promise<unknown>;
  /** Which of these are not here. */
  blobsMissing(sha256s: readonly string[]): Promise<string[]>;
  /**
   * Keeps data whole, with the session it was seen in. Past a bound the least recently used go, or nothing is kept
   * (`others` = `stay`). Answers whether it is here now.
   */
  putBlob(guard: Guard, sessionId: string, sha256: string, data: unknown, others: 'go' | 'stay'): Promise<boolean>;

  /** Drops a session's log, cursor, inputs, approvals, marks and blobs, raises its generation, keeps its summary. */
  dropLog(sessionId: string): Promise<void>;
  /** Makes room: drops the log of the session that was touched longest ago, never one of `keep`. False: none left to drop. */
  evictOne(keep: ReadonlySet<string>): Promise<boolean>;
  /** Sign-out: drops everything, raises the generation. */
  wipe(): Promise<void>;
  close(): void;
}
