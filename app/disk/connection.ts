/**
 * One database connection that outlives the browser closing it (suspend, storage pressure): one reopen and one retry an
 * operation, and no promise that never settles.
 */
import type Dexie from 'dexie';
import type { Timers } from '#shared/ports.ts';
import { faultOf, LateError } from './faults.ts';

/** Milliseconds an operation, or an open, may take. */
export const DISK_WITHIN = 5_000;
const REOPEN_TRIES = 3;

export class Connection {
  readonly #db: Dexie;
  readonly #timers: Timers;
  #reopening: Promise<void> | null = null;

  constructor(db: Dexie, timers: Timers) {
    this.#db = db;
    this.#timers = timers;
  }

  /** Runs an operation; when the connection turns out to be closed, opens it again and runs it once more. */
  async run<T>(operation: () => PromiseLike<T>): Promise<T> {
    try {
      return await this.#within(operation);
    } catch (error) {
      if (faultOf(error) !== 'closed') throw error;
      await this.#reopen();
      return this.#within(operation);
    }
  }

  /** Callers that fail together share one reopening. */
  #reopen(): Promise<void> {
    this.#reopening ??= this.#open().finally(() => {
      this.#reopening = null;
    });
    return this.#reopening;
  }

  async #open(): Promise<void> {
    for (let left = REOPEN_TRIES - 1; ; left--) {
      try {
        this.#db.close({ disableAutoOpen: false });
        await this.#within(() => this.#db.open());
        return;
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  #within<T>(operation: () => PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const cancel = this.#timers.after(DISK_WITHIN, () => reject(new LateError(DISK_WITHIN)));
      const end = (): void => cancel();
      Promise.resolve()
        .then(operation)
        .then(
          (value) => {
            end();
            resolve(value);
          },
          (error: unknown) => {
            end();
            reject(error);
          },
        );
    });
  }
}
