/**
 * Waits between the tries of a row. They are counted by timers, never read off a clock: one that jumps must neither hold a row
 * back nor hurry it (I35).
 */
import { backoff } from '#shared/backoff.ts';
import type { Random, Timers } from '#shared/ports.ts';

const RETRY = { base: 1_000, cap: 30_000 };

export interface RetriesParts {
  timers: Timers;
  random: Random;
  /** Somebody's wait is over. */
  due(): void;
}

export class Retries {
  readonly #parts: RetriesParts;
  readonly #all = new Map<string, { times: number; cancel: (() => void) | null }>();

  constructor(parts: RetriesParts) {
    this.#parts = parts;
  }
  waits(id: string): boolean {
    return this.#all.get(id)?.cancel != null;
  }
  /** Whether anybody waits. */
  get some(): boolean {
    return [...this.#all.values()].some(({ cancel }) => cancel !== null);
  }
  /** A try came to nothing: the next one waits longer. */
  failed(id: string): void {
    const before = this.#all.get(id);
    before?.cancel?.();
    const times = (before?.times ?? 0) + 1;
    const ms = backoff(times - 1, RETRY, this.#parts.random);
    const cancel = this.#parts.timers.after(ms, () => {
      this.#all.set(id, { times, cancel: null });
      this.#parts.due();
    });
    this.#all.set(id, { times, cancel });
  }
  /** The server has spoken of it. */
  over(id: string): void {
    this.#all.get(id)?.cancel?.();
    this.#all.delete(id);
  }
  /** Forgets all but these. */
  keep(ids: ReadonlySet<string>): void {
    for (const id of this.#all.keys()) if (!ids.has(id)) this.over(id);
  }
  clear(): void {
    this.keep(new Set());
  }
}
