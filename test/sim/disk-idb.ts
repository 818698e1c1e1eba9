/**
 * A device's disk as a browser's: the app's own adapters over fake-indexeddb. Connections are closed under way, and a transaction
 * can be aborted at one of its rows, for want of room or for no reason that anybody is told.
 */
import { IDBFactory, IDBKeyRange, IDBObjectStore } from 'fake-indexeddb';
import type { Timers } from '#shared/ports.ts';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { diskOwn } from '../../app/own/indexeddb.ts';
import type { Own } from '../../app/own/port.ts';
import { Gate, gated, type Disk, type DiskTrouble, type Part, type Reader } from './disk.ts';

/** By name of the database: what is to happen to the row that is being put; null: nothing. */
const puts = new Map<string, () => 'quota' | 'row' | null>();
const put = IDBObjectStore.prototype.put;
IDBObjectStore.prototype.put = function (this: IDBObjectStore, value: unknown, key?: IDBValidKey): IDBRequest<IDBValidKey> {
  const trouble = puts.get(this.transaction.db.name)?.() ?? null;
  const request = put.call(this, value, key);
  if (trouble === null) return request;
  // As browsers do: every request ends in an AbortError, and the reason is the transaction's alone.
  const name = trouble === 'quota' ? 'QuotaExceededError' : 'AbortError';
  Object.defineProperty(this.transaction, 'error', { value: new DOMException('no room', name) });
  this.transaction.abort();
  return request;
};

/** Looks only: nothing of it is waited for by a clock. */
const noTimers: Timers = { after: () => () => undefined };

/** `inner`, each of whose operations is driven to its end by `drain`: nobody else lets the event loop go round for it. */
function driven<T extends object>(inner: T, drain: () => Promise<void>): T {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'close') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        const answer = Reflect.apply(value, target, args) as Promise<unknown>;
        await drain();
        return answer;
      };
    },
  });
}

class Connections {
  factory = new IDBFactory();
  readonly #open = new Set<IDBDatabase>();
  /** The factory, as an app is handed it. */
  watched(): IDBFactory {
    const open = this.#open;
    const { factory } = this;
    return new Proxy(factory, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== 'function') return value;
        return (...args: unknown[]): unknown => {
          const answer: unknown = Reflect.apply(value, target, args);
          if (name === 'open') {
            const request = answer as IDBOpenDBRequest;
            request.addEventListener('success', () => open.add(request.result));
          }
          return answer;
        };
      },
    });
  }
  /** As a browser does it under pressure: nobody is told, and the next use of each fails. */
  closeAll(): void {
    for (const db of this.#open) db.close();
    this.#open.clear();
  }
}

export class IdbDisk implements Disk {
  readonly #gate: Gate;
  readonly #drain: () => Promise<void>;
  readonly #parts = { mirror: new Connections(), own: new Connections() };
  readonly #names: Record<Part, string>;
  #looking: { own: Own; mirror: Mirror } | null = null;

  /** `drain`: lets all that is under way run out. */
  constructor(count: (what: string) => void, name: string, rowOf: () => number, drain: () => Promise<void>) {
    this.#drain = drain;
    this.#gate = new Gate(count);
    this.#names = { mirror: `mirror-${name}`, own: `own-${name}` };
    for (const part of ['mirror', 'own'] as const) {
      let left = rowOf();
      puts.set(this.#names[part], () => {
        if (!this.#gate.isSick(part) || left-- > 0) return null;
        left = rowOf();
        const trouble = this.#gate.strikes(part, ['quota', 'row']);
        return trouble === 'closed' ? null : trouble;
      });
    }
  }
  get own(): Own {
    return this.#look().own;
  }
  get mirror(): Mirror {
    return this.#look().mirror;
  }
  #look(): { own: Own; mirror: Mirror } {
    return (this.#looking ??= {
      own: driven(diskOwn(this.#names.own, { indexedDB: this.#parts.own.factory, IDBKeyRange, timers: noTimers }), this.#drain),
      mirror: driven(diskMirror(this.#names.mirror, { indexedDB: this.#parts.mirror.factory, IDBKeyRange, timers: noTimers }), this.#drain),
    });
  }
  #partsFor(part: Part, reader: Reader): { indexedDB: IDBFactory; IDBKeyRange: typeof IDBKeyRange; timers: Timers } {
    return { indexedDB: this.#parts[part].watched(), IDBKeyRange, timers: { after: (ms, callback) => reader.after(ms, callback) } };
  }
  mirrorFor(reader: Reader): Mirror {
    return gated(
      diskMirror(this.#names.mirror, this.#partsFor('mirror', reader)),
      () => this.#gate.pass('mirror', reader),
      () => reader.awake(),
    );
  }
  ownFor(reader: Reader): Own {
    return gated(
      diskOwn(this.#names.own, this.#partsFor('own', reader)),
      () => this.#gate.pass('own', reader),
      () => reader.awake(),
    );
  }
  trouble(part: Part, trouble: DiskTrouble, times: number): void {
    if (trouble === 'closed') this.#parts[part].closeAll();
    else this.#gate.trouble(part, trouble, times);
  }
  heal(): void {
    this.#gate.heal();
  }
  hold(part: Part, by: Reader | null): void {
    this.#gate.hold(part, by);
  }
  wipeMirror(): void {
    this.#forget();
    this.#parts.mirror = new Connections();
  }
  /** What a transaction that was over wrote stays: browsers lose less than they may. */
  crash(): void {
    this.#parts.mirror.closeAll();
    this.#parts.own.closeAll();
  }
  sync(): void {
    // Nothing is ever only half on this disk.
  }
  #forget(): void {
    this.#looking?.own.close();
    this.#looking?.mirror.close();
    this.#looking = null;
  }
  close(): void {
    this.#gate.heal();
    this.#forget();
    for (const name of Object.values(this.#names)) puts.delete(name);
  }
}
