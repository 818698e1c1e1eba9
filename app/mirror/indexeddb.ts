/** The mirror in IndexedDB. Durability is relaxed: what a crash takes can be fetched again. */
import { Database, type DiskEvents, type DiskParts, type Schema } from '../disk/database.ts';
import { IdbTx } from './idb-tx.ts';
import { mirrorOver } from './over-tx.ts';
import type { Mirror } from './port.ts';
import type { MirrorTx, Store } from './tx.ts';

const SCHEMA: Schema = {
  version: 20,
  facts: 'meta',
  upgrade(db, tx, from) {
    const make = (name: Store, keyPath: string | string[]): void => void db.createObjectStore(name, { keyPath });
    if (from < 10) {
      make('meta', 'key');
      make('sessions', 'id');
      make('pages', ['sessionId', 'page']);
      make('rows', ['sessionId', 'seq']);
      make('inputs', ['sessionId', 'id']);
      make('approvals', ['sessionId', 'id']);
    }
    make('turns', ['sessionId', 'seq']);
    make('blobs', 'sha256');
    make('blobFacts', 'sha256');
    // Since 20 a page is packed only when it is full. What was packed before is fetched again; the list and what was read stay.
    if (from >= 10) {
      for (const store of ['pages', 'rows', 'inputs', 'approvals']) tx.objectStore(store).clear();
      const meta = tx.objectStore('meta');
      meta.getAllKeys().addEventListener('success', ({ target }) => {
        const keys = (target as IDBRequest<IDBValidKey[]>).result.filter((key) => /^(cursor|generation)\//.test(String(key)));
        for (const key of keys) meta.delete(key);
      });
    }
  },
};

/** Opens lazily. Every operation fails with what `disk/faults.ts` can tell apart. */
export function diskMirror(name: string, parts: DiskParts, events?: DiskEvents): Mirror {
  const database = new Database(name, SCHEMA, parts, events);
  const run = <T>(mode: IDBTransactionMode, stores: readonly Store[], work: (tx: MirrorTx) => Promise<T>): Promise<T> =>
    database.run({ mode, stores, durability: 'relaxed', work: (tx) => work(new IdbTx(tx, parts.IDBKeyRange)) });
  return mirrorOver({
    durable: true,
    copies: true,
    write: (stores, work) => run('readwrite', stores, work),
    read: (stores, work) => run('readonly', stores, work),
    close: () => database.close(),
  });
}
