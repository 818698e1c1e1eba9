/**
 * One database, opened once for all who ask. Opening, versions and upgrades are Dexie's part; transactions are IndexedDB's own. It outlives the browser closing it (suspend, storage pressure) by one
 * reopening and one retry an operation; it gives way to a newer app; and nothing asked of it waits for ever: what is late is
 * taken back, so that it did not happen.
 */
import { Dexie, type Transaction } from 'dexie';
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
export interface SchemaVersion {
  /** As Dexie counts: a tenth of what IndexedDB does. */
  version: number;
  /** Stores that are new since the version before, in Dexie's words. */
  stores: Readonly<Record<string, string>>;
  /** What becomes of what an older version wrote. */
  upgrade?(tx: Transaction): PromiseLike<unknown>;
}
export interface Schema {
  /** Oldest first. What is on the disk is never of a newer one when it is used. */
  versions: readonly SchemaVersion[];
  /** The store, keyed by `key`, that has the mark of this database as `made`. */
  facts: string;
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
  #handle: Dexie | null = null;
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
    const dexie = this.#declared();
    dexie.on('blocked', () => {
      this.#blocked = true;
    });
    const opening = this.#openAs(dexie).then(async (db) => {
      this.#blocked = false;
      // Given up while it was under way: nobody would ever close it.
      if (this.#open !== opening) dexie.close();
      else await this.#took(dexie, db);
      return db;
    });
    opening.catch((error: unknown) => {
      if (this.#open === opening) this.#forget();
      if (faultOf(error) === 'newer') this.#isOutdated();
    });
    return opening;
  }
  #declared(): Dexie {
    const { IDBKeyRange, mark } = this.#parts;
    const { versions, facts } = this.#schema;
    const indexedDB = onlyAsDeclared(this.#parts.indexedDB);
    const dexie = new Dexie(this.#name, { indexedDB, IDBKeyRange, autoOpen: false, cache: 'disabled' });
    for (const { version, stores, upgrade } of versions) {
      const declared = dexie.version(version).stores({ ...stores });
      if (upgrade !== undefined) declared.upgrade(upgrade);
    }
    dexie.on('populate', (tx) => tx.table(facts).add({ key: 'made', value: mark?.() ?? 'made' }));
    return dexie;
  }
  async #openAs(dexie: Dexie): Promise<IDBDatabase> {
    await dexie.open();
    return dexie.backendDB();
  }
  async #took(dexie: Dexie, db: IDBDatabase): Promise<void> {
    this.#handle = dexie;
    db.addEventListener('close', () => this.#handle === dexie && this.#forget());
    dexie.on('versionchange', ({ newVersion }) => {
      void this.#giveWay(dexie, newVersion !== null);
      // Dexie would close it at once: what is to be saved first is ours to know.
      return false;
    });
    const made = await done<{ value: string } | undefined>(() =>
      db.transaction(this.#schema.facts).objectStore(this.#schema.facts).get('made'),
    );
    const [before, now] = [this.#mark, made?.value ?? null];
    this.#mark = now ?? before;
    if (before !== null && now !== null && now !== before) this.#events.replaced?.();
  }
  /** `toNewer`: else it is being deleted, and whoever asks next makes it anew. */
  async #giveWay(dexie: Dexie, toNewer: boolean): Promise<void> {
    if (toNewer && this.#events.leaving !== undefined) {
      const saved = Promise.resolve(this.#events.leaving());
      await Promise.race([saved, new Promise<void>((resolve) => void this.#parts.timers.after(LEAVE_WITHIN, resolve))]);
    }
    dexie.close();
    if (this.#handle === dexie) this.#forget();
    if (toNewer) this.#isOutdated();
  }
  #isOutdated(): void {
    if (this.#outdated) return;
    this.#outdated = true;
    this.#events.outdated?.();
  }
}

/**
 * Dexie opens a database of a newer app all the same, without a version, and gives it what it misses there. What a newer app
 * keeps is not for this one to touch.
 */
function onlyAsDeclared(factory: IDBFactory): IDBFactory {
  return new Proxy(factory, {
    get(target, name) {
      if (name === 'open')
        return (database: string, version?: number) => {
          if (version === undefined) throw new OutdatedError();
          return target.open(database, version);
        };
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
