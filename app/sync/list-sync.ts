/** Brings the session list in step after each connect, again and again until it is. */
import { backoff } from '#shared/backoff.ts';
import type { Random, Report, Timers } from '#shared/ports.ts';
import type { SessionList, Told } from './list.ts';

/** The server's place as nobody greeted: everything is asked. */
const NOT_TOLD: Told = { epoch: '', version: -1 };

export interface ListSyncParts {
  list: SessionList;
  timers: Timers;
  random: Random;
  report: Report;
  /** The number of the socket that is up; null: none is. */
  socket(): number | null;
  /** It is the server's word of now, or was not got. */
  changed(): void;
  /** In step. */
  done(): void;
}
const RETRY = { base: 1_000, cap: 30_000 };

export class ListSync {
  readonly #parts: ListSyncParts;
  synced = false;

  constructor(parts: ListSyncParts) {
    this.#parts = parts;
  }
  /** The link is down. */
  stale(): void {
    this.synced = false;
    this.#parts.list.stale();
  }
  /** The mirror is another one than before: all is asked for again. */
  async anew(): Promise<void> {
    this.stale();
    await this.run(NOT_TOLD);
  }
  /** `told`: what the server said at its greeting. */
  async run(told: Told, failed = 0): Promise<void> {
    const { list, timers, random, report } = this.#parts;
    const socket = this.#parts.socket();
    const synced = await list.sync(told);
    if (socket === null || socket !== this.#parts.socket()) return;
    this.synced = synced;
    this.#parts.changed();
    if (synced) return this.#parts.done();
    timers.after(backoff(failed, RETRY, random), () => {
      if (this.#parts.socket() !== socket || this.synced) return;
      this.run(told, failed + 1).catch((error: unknown) => report('engine.list', { error }));
    });
  }
}
