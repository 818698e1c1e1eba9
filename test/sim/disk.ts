/**
 * A device's disk: what its tabs share, and what outlives them. It can be full, closed, cut off in the middle of a transaction, or
 * never answer, as browsers' databases do.
 */
import { LateError } from '../../app/disk/faults.ts';
import { copyOf, emptyTables, MemoryTx, type MemoryTables } from '../../app/mirror/memory-tx.ts';
import { mirrorOver } from '../../app/mirror/over-tx.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import type { MirrorTx } from '../../app/mirror/tx.ts';
import { memoryOwn } from '../../app/own/memory.ts';
import type { Own } from '../../app/own/port.ts';

export type Part = 'mirror' | 'own';
/** `quota`: full, said by a transaction that was aborted. `closed`: the connection is gone. `row`: a transaction dies at one of its rows. */
export type DiskTrouble = 'quota' | 'closed' | 'row';
/** One tab's way to the disk. */
export interface Reader {
  /** Resolves while it runs; later while it is frozen; never once it is dead. */
  awake(): Promise<void>;
  after(ms: number, callback: () => void): () => void;
}
export interface Disk {
  mirrorFor(reader: Reader): Mirror;
  ownFor(reader: Reader): Own;
  /** For looking at it: no trouble, no waiting. */
  readonly own: Own;
  readonly mirror: Mirror;
  /** From now on, for so many operations. */
  trouble(part: Part, trouble: DiskTrouble, times: number): void;
  heal(): void;
  /** `by` sits in a transaction on all of this part: whoever else comes waits. Null: nobody does. */
  hold(part: Part, by: Reader | null): void;
  /** What the browser may do at any time. */
  wipeMirror(): void;
  /** A crash of the device: what was written relaxedly since the last `sync` is gone. */
  crash(): void;
  /** What was written is on the disk for good. */
  sync(): void;
  close(): void;
}

/** As long as the app waits for a database. */
const WITHIN = 5_000;
/** The names under which a browser tells that it is full. */
function quota(): Error {
  const inner = Object.assign(new Error('full'), { name: 'QuotaExceededError' });
  return Object.assign(new Error('aborted'), { name: 'AbortError', inner });
}
function errorOf(trouble: DiskTrouble): Error {
  if (trouble === 'quota') return quota();
  return Object.assign(new Error(trouble), { name: trouble === 'closed' ? 'DatabaseClosedError' : 'AbortError' });
}

/** Trouble and holds of the parts, for both kinds of disk. */
export class Gate {
  readonly #trouble = new Map<Part, { trouble: DiskTrouble; left: number }>();
  readonly #holders = new Map<Part, { by: Reader; freed: (() => void)[] }>();
  readonly #count: (what: string) => void;
  constructor(count: (what: string) => void) {
    this.#count = count;
  }
  trouble(part: Part, trouble: DiskTrouble, times: number): void {
    this.#trouble.set(part, { trouble, left: times });
  }
  heal(): void {
    this.#trouble.clear();
    for (const part of ['mirror', 'own'] as const) this.hold(part, null);
  }
  hold(part: Part, by: Reader | null): void {
    const { freed = [] } = this.#holders.get(part) ?? {};
    this.#holders.delete(part);
    for (const free of freed) free();
    if (by !== null) this.#holders.set(part, { by, freed: [] });
  }
  isSick(part: Part): boolean {
    return this.#trouble.has(part);
  }
  /** The trouble that strikes now, if any: once for each time it is asked. */
  strikes(part: Part, kinds: readonly DiskTrouble[]): DiskTrouble | null {
    const now = this.#trouble.get(part);
    if (now === undefined || !kinds.includes(now.trouble)) return null;
    if (--now.left <= 0) this.#trouble.delete(part);
    this.#count(`disk-${now.trouble}`);
    return now.trouble;
  }
  async pass(part: Part, reader: Reader): Promise<void> {
    await reader.awake();
    const holder = this.#holders.get(part);
    if (holder === undefined || holder.by === reader) return;
    await new Promise<void>((resolve, reject) => {
      const cancel = reader.after(WITHIN, () => {
        this.#count('disk-late');
        reject(new LateError(WITHIN));
      });
      holder.freed.push(() => {
        cancel();
        resolve();
      });
    });
  }
}

/** `inner` through the gate, operation by operation. */
export function gated<T extends object>(inner: T, before: (name: string) => Promise<void>, after: () => Promise<void>): T {
  return new Proxy(inner, {
    get(target, name) {
      if (name === 'durable') return true;
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || name === 'close') return value;
      return async (...args: unknown[]): Promise<unknown> => {
        await before(String(name));
        const answer: unknown = await Reflect.apply(value, target, args);
        await after();
        return answer;
      };
    },
  });
}

/** A transaction that dies at one of its rows. */
function dying(tx: MirrorTx, at: number): MirrorTx {
  let left = at;
  return new Proxy(tx, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (left-- <= 0) return Promise.reject(errorOf('row'));
        return Reflect.apply(value, target, args);
      };
    },
  });
}

/** Everything in memory, at no cost; its transactions are as whole as IndexedDB's. */
export class MemoryDisk implements Disk {
  tables: MemoryTables = emptyTables();
  readonly own = memoryOwn();
  readonly mirror: Mirror;
  readonly #gate: Gate;
  readonly #rowOf: () => number;
  #synced: MemoryTables = emptyTables();
  #last: Promise<unknown> = Promise.resolve();

  /** `rowOf`: at which of its rows a transaction dies. */
  constructor(count: (what: string) => void, rowOf: () => number) {
    this.#gate = new Gate(count);
    this.#rowOf = rowOf;
    this.mirror = this.#mirror(false);
  }
  #mirror(mayDie: boolean): Mirror {
    return mirrorOver({
      durable: true,
      copies: false,
      write: <T>(_stores: unknown, work: (tx: MirrorTx) => Promise<T>): Promise<T> => {
        const run = this.#last.then(async () => {
          const draft = copyOf(this.tables);
          const tx = new MemoryTx(draft);
          const dies = mayDie && this.#gate.strikes('mirror', ['row']) !== null;
          const value = await work(dies ? dying(tx, this.#rowOf()) : tx);
          this.tables = draft;
          return value;
        });
        this.#last = run.catch(() => undefined);
        return run;
      },
      read: (_stores, work) => work(new MemoryTx(this.tables)),
      close: () => undefined,
    });
  }
  #through(part: Part, reader: Reader): (name: string) => Promise<void> {
    return async () => {
      await this.#gate.pass(part, reader);
      const trouble = this.#gate.strikes(part, ['quota', 'closed']);
      if (trouble !== null) throw errorOf(trouble);
    };
  }
  mirrorFor(reader: Reader): Mirror {
    return gated(this.#mirror(true), this.#through('mirror', reader), () => reader.awake());
  }
  ownFor(reader: Reader): Own {
    return gated(this.own, this.#through('own', reader), () => reader.awake());
  }
  trouble(part: Part, trouble: DiskTrouble, times: number): void {
    this.#gate.trouble(part, part === 'own' && trouble === 'row' ? 'quota' : trouble, times);
  }
  heal(): void {
    this.#gate.heal();
  }
  hold(part: Part, by: Reader | null): void {
    this.#gate.hold(part, by);
  }
  wipeMirror(): void {
    this.tables = emptyTables();
    this.#synced = emptyTables();
  }
  crash(): void {
    this.tables = copyOf(this.#synced);
  }
  sync(): void {
    this.#synced = copyOf(this.tables);
  }
  close(): void {
    this.#gate.heal();
  }
}
