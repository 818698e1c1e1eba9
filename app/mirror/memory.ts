/** The mirror in memory: for a window without IndexedDB, for what a full disk cannot take, and for the simulation. Bounded. */
import { copyOf, emptyTables, MemoryTx } from './memory-tx.ts';
import { mirrorOver } from './over-tx.ts';
import type { Mirror } from './port.ts';
import type { MirrorTx, Store } from './tx.ts';

/** An empty mirror that lives as long as its window. */
export function memoryMirror(): Mirror {
  let tables = emptyTables();
  let last: Promise<unknown> = Promise.resolve();
  return mirrorOver({
    durable: false,
    copies: false,
    /** One writer at a time, on a copy that takes the place of the tables only when all of it went well. */
    write<T>(_stores: readonly Store[], work: (tx: MirrorTx) => Promise<T>): Promise<T> {
      const run = last.then(async () => {
        const draft = copyOf(tables);
        const value = await work(new MemoryTx(draft));
        tables = draft;
        return value;
      });
      last = run.catch(() => undefined);
      return run;
    },
    read: (_stores, work) => work(new MemoryTx(tables)),
    close: () => undefined,
  });
}
