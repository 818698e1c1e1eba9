/**
 * One IndexedDB database, opened once for all who ask. It outlives the browser closing it (suspend, storage pressure) by one
 * reopening and one retry an operation; it gives way to a newer app; and nothing asked of it waits for ever: what is late is
 * taken back, so that it did not happen.
 */
import type { Timers } from '#shared/ports.ts';
import { BlockedError, faultOf, LateError, OutdatedError } from './faults.ts';
import { abort, done, whole } from './requests.ts';
import { within } from './within.ts';

export interface DiskParts {
  indexedDB: IDBFactory;
  IDBKeyRange: typeof IDBKeyRange;
  timers: Timers;
  /** A new one each time: by it a database that was made anew is told from the one before. Absent: it is only known to be made. */
  mark?: () => string;
}
export interface Schema {
  /** As IndexedDB counts. What is on the disk is never of a newer one when it is used. */
  version: number;
  /** The store, keyed by `key`, that has the mark of this database as `made`. */
  facts: string;
  /** `from` 0: there was none. */
  upgrade(db: IDBDatabase, tx: IDBTransaction, from: number): void;
}
export interface DiskEvents {
  /** A newer app in another window needs the database: it is let go once this is done, or was too long at it. */
  leaving?(): Promise<unknown>;
  /** It was let go to a newer app, or is of one: for this window it is gone until it loads again. */
  outdated?(): void;
  /** Opened again, it is not the one it was: somebody deleted it, and it is empty. */
  replaced?(): void;
}
export interface Asked<T> {
  mode: IDBTransactionMode;
  stores: readonly string[];
  durability: IDBTransactionDurability;
  work: (tx: IDBTransaction) => Promise<T>;
}

/** Milliseconds that an open, a transaction, and what is saved before giving way may take. */
export const OPEN_WITHIN = 2_500;
export const DISK_WITHIN = 5_000;
const LEAVE_WITHIN = 1_000;
const REOPEN_TRIES = 3;

export class Database {
  readonly #name: string;
  readonly #schema: Schema;
  readonly #parts: DiskParts;
  readonly #events: DiskEvents;
  readonly #within: number;
  #open: Promise<IDBDatabase> | null = null;
  #handle: IDBDatabase | null = null;
  #reopening: Promise<unknown> | null = null;
  #blocked = false;
  #outdated = false;
  #mark: string | null = null;

  /** `limit`: milliseconds that one transaction may take. */
  constructor(name: string, schema: Schema, parts: DiskParts, events: DiskEvents = {}, limit = DISK_WITHIN) {
    this.#name = name;
    this.#schema = schema;
    this.#parts = parts;
    this.#events = events;
    this.#within = limit;
  }

  /** One transaction. When the connection turns out to be closed, it is opened again and the transaction is run once more. */
  async run<T>(asked: Asked<T>): Promise<T> {
    try {
      return await this.#once(asked);
    } catch (error) {
      if (faultOf(error) !== 'closed') throw error;
      await this.#reopen();
      return this.#once(asked);
    }
  }
  close(): void {
    this.#handle?.close();
    this.#forget();
  }

  async #once<T>({ mode, stores, durability, work }: Asked<T>): Promise<T> {
    const db = await this.#opened();
    const tx = db.transaction(stores, mode, { durability });
    // What was read is there at once: nobody has to wait for the end of a transaction that wrote nothing.
    const task = mode === 'readonly' ? work(tx) : whole(tx, work);
    return within(this.#parts.timers, this.#within, task, () => {
      abort(tx);
      return new LateError(this.#within);
    });
  }
  /** Callers that fail together share one reopening. */
  #reopen(): Promise<unknown> {
    this.#reopening ??= this.#tries().finally(() => {
      this.#reopening = null;
    });
    return this.#reopening;
  }
  async #tries(): Promise<void> {
    for (let left = REOPEN_TRIES - 1; ; left--) {
      try {
        this.close();
        await this.#opened();
        return;
      } catch (error) {
        if (left === 0 || this.#outdated) throw error;
      }
    }
  }
  /** An open that is still under way goes on after this gave up on it, and serves who comes later. */
  #opened(): Promise<IDBDatabase> {
    if (this.#outdated) return Promise.reject(new OutdatedError());
    this.#open ??= this.#begin();
    return within(this.#parts.timers, OPEN_WITHIN, this.#open, () => (this.#blocked ? new BlockedError() : new LateError(OPEN_WITHIN)));
  }
  #forget(): void {
    this.#open = null;
    this.#handle = null;
  }

  #begin(): Promise<IDBDatabase> {
    const { indexedDB: factory, mark } = this.#parts;
    const { version, facts, upgrade } = this.#schema;
    const opening = new Promise<IDBDatabase>((resolve, reject) => {
      const request = factory.open(this.#name, version);
      request.addEventListener('blocked', () => {
        this.#blocked = true;
      });
      request.addEventListener('upgradeneeded', ({ oldVersion }) => {
        this.#blocked = false;
        upgrade(request.result, request.transaction!, oldVersion);
        if (oldVersion === 0) request.transaction!.objectStore(facts).put({ key: 'made', value: mark?.() ?? 'made' });
      });
      request.addEventListener('error', () => reject(request.error ?? new DOMException('not opened', 'UnknownError')));
      request.addEventListener('success', () => {
        this.#blocked = false;
        // Given up while it was under way: nobody would ever close it.
        if (this.#open !== opening) request.result.close();
        resolve(request.result);
      });
    }).then(async (db) => {
      if (this.#open === opening) await this.#took(db);
      return db;
    });
    opening.catch((error: unknown) => {
      if (this.#open === opening) this.#forget();
      if (faultOf(error) === 'newer') this.#isOutdated();
    });
    return opening;
  }
  async #took(db: IDBDatabase): Promise<void> {
    this.#handle = db;
    db.addEventListener('close', () => this.#handle === db && this.#forget());
    db.addEventListener('versionchange', ({ newVersion }) => void this.#giveWay(db, newVersion !== null));
    const made = await done<{ value: string } | undefined>(() =>
      db.transaction(this.#schema.facts).objectStore(this.#schema.facts).get('made'),
    );
    const [before, now] = [this.#mark, made?.value ?? null];
    this.#mark = now ?? before;
    if (before !== null && now !== null && now !== before) this.#events.replaced?.();
  }
  /** `toNewer`: else it is being deleted, and whoever asks next makes it anew. */
  async #giveWay(db: IDBDatabase, toNewer: boolean): Promise<void> {
    if (toNewer && this.#events.leaving !== undefined) {
      const saved = Promise.resolve(this.#events.leaving());
      await Promise.race([saved, new Promise<void>((resolve) => void this.#parts.timers.after(LEAVE_WITHIN, resolve))]);
    }
    db.close();
    if (this.#handle === db) this.#forget();
    if (toNewer) this.#isOutdated();
  }
  #isOutdated(): void {
    if (this.#outdated) return;
    this.#outdated = true;
    this.#events.outdated?.();
  }
}
