/** Requests and transactions of IndexedDB as promises. Nothing here awaits anything but the database. */

/** A request that cannot even be made (what it should store is no plain data) fails as one that was. */
export function done<T>(ask: () => IDBRequest<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const request = ask();
    request.addEventListener('success', () => resolve(request.result), { once: true });
    request.addEventListener('error', () => reject(request.error), { once: true });
  });
}

/** All of `work` or nothing. A full disk may be told by the transaction alone, after every request of it went well (B18). */
export async function whole<T>(tx: IDBTransaction, work: (tx: IDBTransaction) => Promise<T>): Promise<T> {
  const ended = new Promise<'complete' | 'abort'>((resolve) => {
    tx.addEventListener('complete', () => resolve('complete'));
    tx.addEventListener('abort', () => resolve('abort'));
  });
  let failure: unknown = null;
  try {
    const value = await work(tx);
    if ((await ended) === 'complete') return value;
  } catch (error) {
    failure = error;
    abort(tx);
    await ended;
  }
  // Aborted by the browser, its requests only say that it was; why, it says itself.
  throw tx.error ?? failure ?? new DOMException('the transaction was aborted', 'AbortError');
}

/** Takes a transaction back, if it is not over already. */
export function abort(tx: IDBTransaction): void {
  try {
    tx.abort();
  } catch (error) {
    // The browser was faster: then it is over already, and its end says how.
    if (!(error instanceof Error && error.name === 'InvalidStateError')) throw error;
  }
}
