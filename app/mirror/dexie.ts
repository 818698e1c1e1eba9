/** The mirror in IndexedDB. Durability is relaxed: what a crash takes can be fetched again. */
import { Dexie } from 'dexie';
import type { Timers } from '#shared/ports.ts';
import { Connection } from '../disk/connection.ts';
import { IdbTx } from './idb-tx.ts';
import { mirrorOver } from './over-tx.ts';
import type { Mirror } from './port.ts';
import type { MirrorTx, Store } from './tx.ts';

export interface DiskParts {
  indexedDB: IDBFactory;
  IDBKeyRange: typeof IDBKeyRange;
  timers: Timers;
}

/** Opening, versions and giving way to another tab's upgrade are Dexie's part. */
function database(name: string, { indexedDB, IDBKeyRange }: DiskParts): Dexie {
  const db = new Dexie(name, { indexedDB, IDBKeyRange, cache: 'disabled' });
  db.version(1).stores({
    meta: 'key',
    sessions: 'id',
    pages: '[sessionId+page]',
    rows: '[sessionId+seq]',
    inputs: '[sessionId+id]',
    approvals: '[sessionId+id]',
  });
  // Since 2 a page is packed only when it is full. What was packed before is fetched again; the list and what was read stay.
  db.version(2)
    .stores({ turns: '[sessionId+seq]', blobs: 'sha256', blobFacts: 'sha256' })
    .upgrade(async (old) => {
      for (const store of ['pages', 'rows', 'inputs', 'approvals']) await old.table(store).clear();
      await old.table('meta').where('key').startsWithAnyOf('cursor/', 'generation/').delete();
    });
  return db;
}

/** Opens lazily. Every operation fails with what `disk/faults.ts` can tell apart. */
export function dexieMirror(name: string, parts: DiskParts): Mirror {
  const db = database(name, parts);
  const connection = new Connection(db, parts.timers);

  async function begin(mode: IDBTransactionMode, stores: readonly Store[]): Promise<IDBTransaction> {
    if (!db.isOpen()) await db.open();
    return db.backendDB().transaction(stores, mode, { durability: 'relaxed' });
  }
  return mirrorOver({
    durable: true,
    copies: true,
    write: (stores, work) => connection.run(async () => whole(await begin('readwrite', stores), parts, work)),
    // What was read is there at once: nobody has to wait for the end of a transaction that wrote nothing.
    read: (stores, work) => connection.run(async () => work(new IdbTx(await begin('readonly', stores), parts.IDBKeyRange))),
    close: () => db.close(),
  });
}

/** All of `work` or nothing. A full disk may be told by the transaction alone, after every request of it went well (B18). */
async function whole<T>(tx: IDBTransaction, { IDBKeyRange }: DiskParts, work: (tx: MirrorTx) => Promise<T>): Promise<T> {
  const ended = new Promise<'complete' | 'abort'>((resolve) => {
    tx.addEventListener('complete', () => resolve('complete'));
    tx.addEventListener('abort', () => resolve('abort'));
  });
  let failure: unknown = null;
  try {
    const value = await work(new IdbTx(tx, IDBKeyRange));
    if ((await ended) === 'complete') return value;
  } catch (error) {
    failure = error;
    abort(tx);
    await ended;
  }
  // Aborted by the browser, its requests only say that it was; why, it says itself.
  throw tx.error ?? failure ?? new DOMException('the transaction was aborted', 'AbortError');
}

function abort(tx: IDBTransaction): void {
  try {
    tx.abort();
  } catch (error) {
    // The browser was faster: then it is over already, and its end says how.
    if (!(error instanceof Error && error.name === 'InvalidStateError')) throw error;
  }
}
