/**
 * What one transaction can do. Both adapters offer exactly this, so that the rules of `apply.ts` are written once. Nothing in
 * here, and nothing between two calls, awaits anything but the database.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt } from '#shared/protocol/summaries.ts';
import type { Run } from './pages.ts';
import type { MirroredSession } from './port.ts';

/** One row each: `facts`, `cursor/<session>`, `generation/<session>`. */
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
  /** Step of the newest chunk. */
  step: number;
}
export interface MetaRows {
  facts: FactsRow;
  [cursor: `cursor/${string}`]: CursorRow;
  [generation: `generation/${string}`]: number;
}

export interface MirrorTx {
  meta<K extends keyof MetaRows>(key: K): PromiseLike<MetaRows[K] | undefined>;
  setMeta<K extends keyof MetaRows>(key: K, value: MetaRows[K]): PromiseLike<unknown>;

  session(id: string): PromiseLike<MirroredSession | undefined>;
  sessions(): PromiseLike<MirroredSession[]>;
  putSession(session: MirroredSession): PromiseLike<unknown>;
  dropSession(id: string): PromiseLike<unknown>;

  inputs(sessionId: string): PromiseLike<Receipt[]>;
  setInputs(sessionId: string, inputs: readonly Receipt[]): PromiseLike<unknown>;
  approvals(sessionId: string): PromiseLike<Approval[]>;
  setApprovals(sessionId: string, approvals: readonly Approval[]): PromiseLike<unknown>;

  /** The page's run, wherever its records are kept. */
  run(sessionId: string, page: number): PromiseLike<Run | null>;
  /** Adds records that go on from the page's run, cheaply. */
  append(sessionId: string, records: readonly LogRecord[]): PromiseLike<unknown>;
  /** Replaces the whole page. */
  putRun(sessionId: string, page: number, run: Run): PromiseLike<unknown>;
  /** The highest page ≤ `page` that holds anything. */
  pageBelow(sessionId: string, page: number): PromiseLike<number | null>;
  /** Pages, cursor, inputs, approvals. Its summary and generation stay. */
  dropLog(sessionId: string): PromiseLike<unknown>;
  /** Everything but the `facts` row. */
  dropAll(): PromiseLike<unknown>;
}
