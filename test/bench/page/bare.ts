/** The bare limit of a mirror: pages of 100 records put into and got out of IndexedDB by its own calls, with no rule and no library between. */
import { PAGE_RECORDS } from '#shared/protocol/limits.ts';
import type { LogRecord } from '#shared/protocol/records.ts';

export interface Bare {
  /** One transaction. `records` begin at a page's start. */
  put(sessionId: string, records: readonly LogRecord[]): Promise<void>;
  /** All pages from that of seq `from` to that of `to`. */
  get(sessionId: string, from: number, to: number): Promise<LogRecord[]>;
  close(): void;
}
const pageOf = (seq: number): number => Math.floor((seq - 1) / PAGE_RECORDS);

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('refused')));
  });
}
function complete(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.addEventListener('complete', () => resolve());
    transaction.addEventListener('abort', () => reject(transaction.error ?? new Error('aborted')));
  });
}

export async function openBare(name: string): Promise<Bare> {
  const opening = indexedDB.open(name, 1);
  opening.addEventListener('upgradeneeded', () => opening.result.createObjectStore('pages', { keyPath: ['sessionId', 'page'] }));
  const db = await done(opening);
  return {
    put(sessionId, records) {
      const transaction = db.transaction('pages', 'readwrite', { durability: 'relaxed' });
      const pages = transaction.objectStore('pages');
      for (let at = 0; at < records.length; at += PAGE_RECORDS) {
        const part = records.slice(at, at + PAGE_RECORDS);
        pages.put({ sessionId, page: pageOf(part[0]!.seq), from: part[0]!.seq, to: part.at(-1)!.seq, records: part });
      }
      return complete(transaction);
    },
    async get(sessionId, from, to) {
      const pages = db.transaction('pages').objectStore('pages');
      const range = IDBKeyRange.bound([sessionId, pageOf(from)], [sessionId, pageOf(to)]);
      const rows = (await done(pages.getAll(range))) as { records: LogRecord[] }[];
      return rows.flatMap(({ records }) => records);
    },
    close: () => db.close(),
  };
}
