/** One transaction on tables in memory. Values are replaced, never changed, so a copy of the maps is a whole copy. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt, TurnMark } from '#shared/protocol/summaries.ts';
import { merge, pageOf, runOf, type Run } from './pages.ts';
import type { MirroredSession, Span } from './port.ts';
import type { BlobFacts, LogMeta, MetaRows, MirrorTx, SessionMeta } from './tx.ts';

/** What is kept at most: pages (20,000 records), and characters of their data. Those that were used longest ago go first. */
export const MEMORY_PAGES = 200;
export const MEMORY_CHARS = 64 * 1024 * 1024;

interface HeldPage {
  sessionId: string;
  page: number;
  run: Run;
  chars: number;
}
export interface MemoryTables {
  meta: Map<string, unknown>;
  sessions: Map<string, MirroredSession>;
  inputs: Map<string, readonly Receipt[]>;
  approvals: Map<string, readonly Approval[]>;
  turns: Map<string, readonly TurnMark[]>;
  blobs: Map<string, { facts: BlobFacts; text: string }>;
  /** By session and page, in the order of their last use. */
  pages: Map<string, HeldPage>;
}
export function emptyTables(): MemoryTables {
  return {
    meta: new Map(),
    sessions: new Map(),
    inputs: new Map(),
    approvals: new Map(),
    turns: new Map(),
    blobs: new Map(),
    pages: new Map(),
  };
}
export function copyOf(tables: MemoryTables): MemoryTables {
  return {
    meta: new Map(tables.meta),
    sessions: new Map(tables.sessions),
    inputs: new Map(tables.inputs),
    approvals: new Map(tables.approvals),
    turns: new Map(tables.turns),
    blobs: new Map(tables.blobs),
    pages: new Map(tables.pages),
  };
}

const keyOf = (sessionId: string, page: number): string => `${page}/${sessionId}`;

export class MemoryTx implements MirrorTx {
  readonly #at: MemoryTables;
  constructor(tables: MemoryTables) {
    this.#at = tables;
  }
  async meta<K extends keyof MetaRows>(key: K): Promise<MetaRows[K] | undefined> {
    return this.#at.meta.get(key) as MetaRows[K] | undefined;
  }
  async metaOf(sessionId: string): Promise<SessionMeta> {
    return { facts: await this.meta('facts'), ...(await this.meta(`log/${sessionId}`)) };
  }
  async setMeta<K extends keyof MetaRows>(key: K, value: MetaRows[K]): Promise<void> {
    this.#at.meta.set(key, value);
  }
  async session(id: string): Promise<MirroredSession | undefined> {
    return this.#at.sessions.get(id);
  }
  async sessions(): Promise<MirroredSession[]> {
    return [...this.#at.sessions.values()];
  }
  async putSession(session: MirroredSession): Promise<void> {
    this.#at.sessions.set(session.id, session);
  }
  async dropSession(id: string): Promise<void> {
    this.#at.sessions.delete(id);
  }
  async inputs(sessionId: string): Promise<Receipt[]> {
    return [...(this.#at.inputs.get(sessionId) ?? [])];
  }
  async setInputs(sessionId: string, inputs: readonly Receipt[]): Promise<void> {
    this.#at.inputs.set(sessionId, inputs);
  }
  async approvals(sessionId: string): Promise<Approval[]> {
    return [...(this.#at.approvals.get(sessionId) ?? [])];
  }
  async setApprovals(sessionId: string, approvals: readonly Approval[]): Promise<void> {
    this.#at.approvals.set(sessionId, approvals);
  }

  async runs(sessionId: string, low: number, high: number): Promise<Map<number, Run>> {
    const runs = new Map<number, Run>();
    for (let page = low; page <= high; page++) {
      const key = keyOf(sessionId, page);
      const held = this.#at.pages.get(key);
      if (held === undefined) continue;
      this.#at.pages.delete(key);
      this.#at.pages.set(key, held);
      runs.set(page, held.run);
    }
    return runs;
  }
  held(sessionId: string, low: number, high: number): Promise<Map<number, Run>> {
    return this.runs(sessionId, low, high);
  }
  async putRun(sessionId: string, page: number, run: Run): Promise<void> {
    const key = keyOf(sessionId, page);
    const held = this.#at.pages.get(key);
    const known = new Set(held?.run.records);
    const fresh = run.records.filter((record) => !known.has(record));
    const before = fresh.length === run.records.length ? 0 : (held?.chars ?? 0);
    this.#at.pages.delete(key);
    this.#at.pages.set(key, { sessionId, page, run, chars: before + charsOf(fresh) });
    this.#bound();
  }
  async append(sessionId: string, records: readonly LogRecord[]): Promise<void> {
    const run = runOf(records);
    if (run === null) return;
    const page = pageOf(run.from);
    await this.putRun(sessionId, page, merge(this.#at.pages.get(keyOf(sessionId, page))?.run ?? null, run, true));
  }
  /** Pages may have given way since the row was written. */
  async spans(sessionId: string): Promise<Span[]> {
    return [...this.#at.pages.values()].filter((held) => held.sessionId === sessionId).map(({ run: { from, to } }) => ({ from, to }));
  }

  async turns(sessionId: string, low: number, high: number, limit: number): Promise<TurnMark[]> {
    return (this.#at.turns.get(sessionId) ?? []).filter(({ seq }) => seq >= low && seq <= high).slice(-limit);
  }
  async putTurns(sessionId: string, turns: readonly TurnMark[]): Promise<void> {
    const bySeq = new Map([...(this.#at.turns.get(sessionId) ?? []), ...turns].map((mark) => [mark.seq, mark]));
    this.#at.turns.set(
      sessionId,
      [...bySeq.values()].toSorted((a, b) => a.seq - b.seq),
    );
  }

  async blob(sha256: string): Promise<string | undefined> {
    return this.#at.blobs.get(sha256)?.text;
  }
  async blobFacts(sha256s: readonly string[]): Promise<BlobFacts[]> {
    return (await this.allBlobFacts()).filter((facts) => sha256s.includes(facts.sha256));
  }
  async allBlobFacts(): Promise<BlobFacts[]> {
    return [...this.#at.blobs.values()].map(({ facts }) => ({ ...facts }));
  }
  async putBlob(facts: BlobFacts, text: string): Promise<void> {
    this.#at.blobs.set(facts.sha256, { facts, text });
  }
  async putBlobFacts(all: readonly BlobFacts[]): Promise<void> {
    for (const facts of all) {
      const held = this.#at.blobs.get(facts.sha256);
      if (held !== undefined) this.#at.blobs.set(facts.sha256, { ...held, facts });
    }
  }
  async dropBlobs(sha256s: readonly string[]): Promise<void> {
    for (const sha256 of sha256s) this.#at.blobs.delete(sha256);
  }

  async dropLog(sessionId: string): Promise<void> {
    for (const [key, held] of this.#at.pages) if (held.sessionId === sessionId) this.#at.pages.delete(key);
    this.#at.inputs.delete(sessionId);
    this.#at.approvals.delete(sessionId);
    this.#at.turns.delete(sessionId);
  }
  async dropAll(): Promise<void> {
    for (const table of Object.values(this.#at)) table.clear();
  }

  /** The page that a cursor stands in stays: what the mirror says it has reached is always here (law 7). */
  #bound(): void {
    const { pages } = this.#at;
    let chars = 0;
    for (const held of pages.values()) chars += held.chars;
    const latest = [...pages.keys()].at(-1);
    for (const [key, { sessionId, run, chars: freed }] of pages) {
      if (pages.size <= MEMORY_PAGES && chars <= MEMORY_CHARS) return;
      const cursor = (this.#at.meta.get(`log/${sessionId}`) as LogMeta | undefined)?.cursor;
      const isTail = cursor !== undefined && cursor.seq >= run.from && cursor.seq <= run.to;
      if (isTail || key === latest) continue;
      pages.delete(key);
      chars -= freed;
    }
  }
}

function charsOf(records: readonly LogRecord[]): number {
  return records.reduce((sum, record) => sum + JSON.stringify(record.data).length, 0);
}
