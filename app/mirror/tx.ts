/**
 * What one transaction can do. Both adapters offer exactly this, so that the rules of `apply.ts` are written once. Nothing in
 * here, and nothing between two calls, awaits anything but the database.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt, TurnMark } from '#shared/protocol/summaries.ts';
import type { Run } from './pages.ts';
import type { MirroredSession, Span } from './port.ts';

/** One row each: `facts`, `blobs`, `log/<session>`. */
export interface FactsRow {
  epoch: string | null;
  version: number;
  /** Last generation given, and the one that sessions without their own have. */
  generation: number;
  floor: number;
}
export interface CursorRow {
  seq: number;
  lastId: string | null;
  /** Step of the newest chunk, and the newest turn that a record belongs to. */
  step: number;
  turnId: string | null;
}
/** Marks are known with `from ≤ seq ≤ to`, and above `since` up to the cursor. */
export interface MarksRow extends Span {
  since: number;
}
export interface BlobsRow {
  bytes: number;
  /** Rises with every use. */
  tick: number;
}
export interface MetaRows {
  facts: FactsRow;
  blobs: BlobsRow;
  /** Written to see whether the disk takes anything. */
  probe: string;
  [log: `log/${string}`]: LogMeta;
}
export interface LogMeta {
  /** Absent: the floor. */
  generation?: number;
  /** Absent: nothing of its log is here. */
  cursor?: CursorRow;
  marks?: MarksRow;
  /** What of the log is here: unbroken, ascending, none touching the next. Written with the pages, since their keys lie among their data. */
  runs?: readonly Span[];
}
/** What `meta` says of one session, read at once. */
export interface SessionMeta extends LogMeta {
  facts: FactsRow | undefined;
}
export interface BlobFacts {
  sha256: string;
  sessionId: string;
  bytes: number;
  usedAt: number;
}

/** The parts of the database. A transaction names those that it touches, so that others go on beside it. */
export type Store = 'meta' | 'sessions' | 'pages' | 'rows' | 'inputs' | 'approvals' | 'turns' | 'blobs' | 'blobFacts';
export const LOG: readonly Store[] = ['pages', 'rows'];
export const COPY: readonly Store[] = ['meta', 'pages', 'rows'];
export const RECEIPTS: readonly Store[] = ['meta', 'inputs', 'pages', 'rows'];
export const PROJECTED: readonly Store[] = ['meta', 'sessions', 'inputs', 'approvals'];
export const APPLY: readonly Store[] = [...PROJECTED, 'pages', 'rows', 'turns'];
export const TURNS: readonly Store[] = ['meta', 'turns'];
export const BLOBS: readonly Store[] = ['meta', 'blobs', 'blobFacts'];
export const ALL: readonly Store[] = [...APPLY, 'blobs', 'blobFacts'];

/** Runs by page. A page that nobody gets costs next to nothing. */
export interface Runs {
  get(page: number): Run | undefined;
}

export interface MirrorTx {
  meta<K extends keyof MetaRows>(key: K): PromiseLike<MetaRows[K] | undefined>;
  metaOf(sessionId: string): PromiseLike<SessionMeta>;
  setMeta<K extends keyof MetaRows>(key: K, value: MetaRows[K]): PromiseLike<unknown>;

  session(id: string): PromiseLike<MirroredSession | undefined>;
  sessions(): PromiseLike<MirroredSession[]>;
  putSession(session: MirroredSession): PromiseLike<unknown>;
  dropSession(id: string): PromiseLike<unknown>;

  inputs(sessionId: string): PromiseLike<Receipt[]>;
  setInputs(sessionId: string, inputs: readonly Receipt[]): PromiseLike<unknown>;
  approvals(sessionId: string): PromiseLike<Approval[]>;
  setApprovals(sessionId: string, approvals: readonly Approval[]): PromiseLike<unknown>;

  /** The runs of the pages `low` … `high`, each unpacked as it is got. `isTail`: one of them is likely not full. */
  runs(sessionId: string, low: number, high: number, isTail: boolean): PromiseLike<Runs>;
  /** Likewise for writing: of a page that is full nothing more is read. */
  held(sessionId: string, low: number, high: number): PromiseLike<Map<number, Run | 'full'>>;
  /** Makes `run` the page's run, in place of `held`. */
  putRun(sessionId: string, page: number, run: Run, held: Run | null): PromiseLike<unknown>;
  /** Adds records that go on from the run of a page that they do not fill. */
  append(sessionId: string, records: readonly LogRecord[]): PromiseLike<unknown>;
  /** What is here of a session whose row says `runs`, in any order; neighbours may touch. */
  spans(sessionId: string, runs: readonly Span[]): PromiseLike<readonly Span[]>;

  /** The newest `limit` marks with `low ≤ seq ≤ high`, ascending. */
  turns(sessionId: string, low: number, high: number, limit: number): PromiseLike<TurnMark[]>;
  putTurns(sessionId: string, turns: readonly TurnMark[]): PromiseLike<unknown>;

  blob(sha256: string): PromiseLike<string | undefined>;
  blobFacts(sha256s: readonly string[]): PromiseLike<BlobFacts[]>;
  allBlobFacts(): PromiseLike<BlobFacts[]>;
  putBlob(facts: BlobFacts, text: string): PromiseLike<unknown>;
  putBlobFacts(facts: readonly BlobFacts[]): PromiseLike<unknown>;
  dropBlobs(sha256s: readonly string[]): PromiseLike<unknown>;

  /** Pages, inputs, approvals, marks. */
  dropLog(sessionId: string): PromiseLike<unknown>;
  /** Everything. */
  dropAll(): PromiseLike<unknown>;
}
