/** The mirror in IndexedDB. Durability is relaxed: what a crash takes can be fetched again. */
import { Database, type DiskEvents, type DiskParts, type Schema } from '../disk/database.ts';
import { IdbTx } from './idb-tx.ts';
import { mirrorOver } from './over-tx.ts';
import type { Mirror } from './port.ts';
import type { MirrorTx, Store } from './tx.ts';

const SCHEMA: Schema = {
  facts: 'meta',
  versions: [
    {
      version: 1,
      stores: {
        meta: 'key',
        sessions: 'id',
        pages: '[sessionId+page]',
        rows: '[sessionId+seq]',
        inputs: '[sessionId+id]',
        approvals: '[sessionId+id]',
      },
    },
    {
      // Since 2 a page is packed only when it is full. What was packed before is fetched again; the list and what was read stay.
      version: 2,
      stores: { turns: '[sessionId+seq]', blobs: 'sha256', blobFacts: 'sha256' },
      async upgrade(old) {
        for (const store of ['pages', 'rows', 'inputs', 'approvals']) await old.table(store).clear();
        await old.table('meta').where('key').startsWithAnyOf('cursor/', 'generation/').delete();
      },
    },
  ],
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
