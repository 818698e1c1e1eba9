/** The mirror in memory: for a window without IndexedDB, for what a full disk cannot take, and for the simulation. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt } from '#shared/protocol/summaries.ts';
import { mirrorOver, type Transactions } from './over-tx.ts';
import { merge, pageOf, runOf, type Run } from './pages.ts';
import type { Mirror, MirroredSession } from './port.ts';
import type { MetaRows, MirrorTx } from './tx.ts';

/** Pages kept at most (20,000 records): the lowest pages of the session with most go first. */
export const MEMORY_PAGES = 200;

/** Values are replaced, never changed, so a copy of the maps is a whole copy. */
interface Tables {
  meta: Map<string, unknown>;
  sessions: Map<string, MirroredSession>;
  inputs: Map<string, readonly Receipt[]>;
  approvals: Map<string, readonly Approval[]>;
  pages: Map<string, ReadonlyMap<number, Run>>;
}
function copy(tables: Tables): Tables {
  return {
    meta: new Map(tables.meta),
    sessions: new Map(tables.sessions),
    inputs: new Map(tables.inputs),
    approvals: new Map(tables.approvals),
    pages: new Map(tables.pages),
  };
}

class MemoryTx implements MirrorTx {
  readonly #at: Tables;
  constructor(tables: Tables) {
    this.#at = tables;
  }
  async meta<K extends keyof MetaRows>(key: K): Promise<MetaRows[K] | undefined> {
    return this.#at.meta.get(key) as MetaRows[K] | undefined;
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
  async run(sessionId: string, page: number): Promise<Run | null> {
    return this.#at.pages.get(sessionId)?.get(page) ?? null;
  }
  async append(sessionId: string, records: readonly LogRecord[]): Promise<void> {
    const run = runOf(records);
    if (run === null) return;
    const page = pageOf(run.from);
    await this.putRun(sessionId, page, merge(await this.run(sessionId, page), run, true));
  }
  async putRun(sessionId: string, page: number, run: Run): Promise<void> {
    this.#at.pages.set(sessionId, new Map(this.#at.pages.get(sessionId)).set(page, run));
    this.#bound();
  }
  async pageBelow(sessionId: string, page: number): Promise<number | null> {
    const below = [...(this.#at.pages.get(sessionId)?.keys() ?? [])].filter((at) => at <= page);
    return below.length === 0 ? null : Math.max(...below);
  }
  async dropLog(sessionId: string): Promise<void> {
    this.#at.pages.delete(sessionId);
    this.#at.inputs.delete(sessionId);
    this.#at.approvals.delete(sessionId);
    this.#at.meta.delete(`cursor/${sessionId}`);
  }
  async dropAll(): Promise<void> {
    for (const table of Object.values(this.#at)) table.clear();
  }
  #bound(): void {
    const sizes = [...this.#at.pages].map(([id, pages]) => ({ id, pages }));
    if (sizes.reduce((sum, { pages }) => sum + pages.size, 0) <= MEMORY_PAGES) return;
    const { id, pages } = sizes.sort((a, b) => b.pages.size - a.pages.size)[0]!;
    const kept = new Map(pages);
    kept.delete(Math.min(...kept.keys()));
    this.#at.pages.set(id, kept);
  }
}

/** An empty mirror that lives as long as its window. */
export function memoryMirror(): Mirror {
  let tables: Tables = { meta: new Map(), sessions: new Map(), inputs: new Map(), approvals: new Map(), pages: new Map() };
  let last: Promise<unknown> = Promise.resolve();
  const transactions: Transactions = {
    durable: false,
    /** One writer at a time, on a copy that takes the place of the tables only when all of it went well. */
    write<T>(work: (tx: MirrorTx) => Promise<T>): Promise<T> {
      const run = last.then(async () => {
        const draft = copy(tables);
        const value = await work(new MemoryTx(draft));
        tables = draft;
        return value;
      });
      last = run.catch(() => undefined);
      return run;
    },
    read: (work) => work(new MemoryTx(copy(tables))),
    close: () => undefined,
  };
  return mirrorOver(transactions);
}
