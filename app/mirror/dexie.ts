/**
 * The mirror in IndexedDB. Full pages are packed, one row a page; the growing tail is kept as rows and packed when its page
 * is full, since a packed tail would be written whole at every seal. Durability is relaxed (the browser's default): what a
 * crash takes can be fetched again.
 */
import { Dexie, type Table } from 'dexie';
import type { Timers } from '#shared/ports.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt } from '#shared/protocol/summaries.ts';
import { Connection } from '../disk/connection.ts';
import { mirrorOver, type Transactions } from './over-tx.ts';
import { firstOf, lastOf, pageOf, runOf, type Run } from './pages.ts';
import type { Mirror, MirroredSession } from './port.ts';
import type { MetaRows, MirrorTx } from './tx.ts';

interface PageRow extends Run {
  sessionId: string;
  page: number;
}
interface MetaRow {
  key: string;
  value: unknown;
}
export interface DiskParts {
  indexedDB: IDBFactory;
  IDBKeyRange: typeof IDBKeyRange;
  timers: Timers;
}

class MirrorDb extends Dexie {
  readonly meta!: Table<MetaRow, string>;
  readonly sessions!: Table<MirroredSession, string>;
  readonly pages!: Table<PageRow, [string, number]>;
  readonly rows!: Table<LogRecord, [string, number]>;
  readonly inputs!: Table<Receipt, [string, string]>;
  readonly approvals!: Table<Approval, [string, string]>;
  constructor(name: string, parts: DiskParts) {
    super(name, { indexedDB: parts.indexedDB, IDBKeyRange: parts.IDBKeyRange });
    this.version(1).stores({
      meta: 'key',
      sessions: 'id',
      pages: '[sessionId+page]',
      rows: '[sessionId+seq]',
      inputs: '[sessionId+id]',
      approvals: '[sessionId+id]',
    });
  }
}

class DexieTx implements MirrorTx {
  readonly #db: MirrorDb;
  constructor(db: MirrorDb) {
    this.#db = db;
  }
  meta<K extends keyof MetaRows>(key: K): PromiseLike<MetaRows[K] | undefined> {
    return this.#db.meta.get(key).then((row) => row?.value as MetaRows[K] | undefined);
  }
  setMeta<K extends keyof MetaRows>(key: K, value: MetaRows[K]): PromiseLike<unknown> {
    return this.#db.meta.put({ key, value });
  }
  session(id: string): PromiseLike<MirroredSession | undefined> {
    return this.#db.sessions.get(id);
  }
  sessions(): PromiseLike<MirroredSession[]> {
    return this.#db.sessions.toArray();
  }
  putSession(session: MirroredSession): PromiseLike<unknown> {
    return this.#db.sessions.put(session);
  }
  dropSession(id: string): PromiseLike<unknown> {
    return this.#db.sessions.delete(id);
  }
  inputs(sessionId: string): PromiseLike<Receipt[]> {
    return this.#of(this.#db.inputs, sessionId).toArray();
  }
  async setInputs(sessionId: string, inputs: readonly Receipt[]): Promise<void> {
    await this.#of(this.#db.inputs, sessionId).delete();
    await this.#db.inputs.bulkPut([...inputs]);
  }
  approvals(sessionId: string): PromiseLike<Approval[]> {
    return this.#of(this.#db.approvals, sessionId).toArray();
  }
  async setApprovals(sessionId: string, approvals: readonly Approval[]): Promise<void> {
    await this.#of(this.#db.approvals, sessionId).delete();
    await this.#db.approvals.bulkPut([...approvals]);
  }
  async run(sessionId: string, page: number): Promise<Run | null> {
    const packed = await this.#db.pages.get([sessionId, page]);
    const rows = await this.#rowsOf(sessionId, page).toArray();
    if (packed === undefined) return runOf(rows);
    return runOf([...packed.records, ...rows.filter((row) => row.seq > packed.to)]);
  }
  append(sessionId: string, records: readonly LogRecord[]): PromiseLike<unknown> {
    return this.#db.rows.bulkPut(records.map((record) => (record.sessionId === sessionId ? record : { ...record, sessionId })));
  }
  async putRun(sessionId: string, page: number, run: Run): Promise<void> {
    await this.#db.pages.put({ sessionId, page, from: run.from, to: run.to, records: run.records });
    await this.#rowsOf(sessionId, page).delete();
  }
  async pageBelow(sessionId: string, page: number): Promise<number | null> {
    const pages = this.#db.pages.where('[sessionId+page]').between([sessionId, 0], [sessionId, page], true, true);
    const rows = this.#db.rows.where('[sessionId+seq]').between([sessionId, 0], [sessionId, lastOf(page)], true, true);
    // The keys' own type is not known to Dexie; the schema above says what they are.
    const packed = (await pages.lastKey()) as [string, number] | undefined;
    const row = (await rows.lastKey()) as [string, number] | undefined;
    const found = [packed?.[1], row === undefined ? undefined : pageOf(row[1])].filter((at) => at !== undefined);
    return found.length === 0 ? null : Math.max(...found);
  }
  async dropLog(sessionId: string): Promise<void> {
    await this.#of(this.#db.pages, sessionId).delete();
    await this.#of(this.#db.rows, sessionId).delete();
    await this.#of(this.#db.inputs, sessionId).delete();
    await this.#of(this.#db.approvals, sessionId).delete();
    await this.#db.meta.delete(`cursor/${sessionId}`);
  }
  async dropAll(): Promise<void> {
    for (const table of this.#db.tables) await table.clear();
  }
  #of<T, K>(table: Table<T, K>, sessionId: string) {
    return table.where(':id').between([sessionId, Dexie.minKey], [sessionId, Dexie.maxKey]);
  }
  #rowsOf(sessionId: string, page: number) {
    return this.#db.rows.where('[sessionId+seq]').between([sessionId, firstOf(page)], [sessionId, lastOf(page)], true, true);
  }
}

/** Opens lazily. Every operation fails with what `disk/faults.ts` can tell apart. */
export function dexieMirror(name: string, parts: DiskParts): Mirror {
  const db = new MirrorDb(name, parts);
  const connection = new Connection(db, parts.timers);
  const tx = new DexieTx(db);
  const transactions: Transactions = {
    durable: true,
    // `async` is not for show: Dexie keeps a transaction alive over native awaits only in a function that says so.
    write: (work) => connection.run(() => db.transaction('rw', db.tables, async () => work(tx))),
    read: (work) => connection.run(() => db.transaction('r', db.tables, async () => work(tx))),
    close: () => db.close(),
  };
  return mirrorOver(transactions);
}
