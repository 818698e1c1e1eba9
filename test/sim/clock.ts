/** Simulated time: one queue of what is to happen, in the order of time, and of asking where that is the same. Nothing real is waited for. */
import type { Clock, Timers } from '#shared/ports.ts';
import type { Loop } from './loop.ts';

interface Due {
  at: number;
  order: number;
  callback: () => void;
}

export class WorldClock implements Clock, Timers {
  #now: number;
  #order = 0;
  /** A binary heap by time, then order. */
  readonly #heap: Due[] = [];
  readonly #cancelled = new Set<Due>();
  readonly #loop: Loop;
  readonly #after: () => Promise<void> | void;

  /** `after`: called once each thing that happened has run out. */
  constructor(start: number, loop: Loop, after: () => Promise<void> | void) {
    this.#now = start;
    this.#loop = loop;
    this.#after = after;
  }
  now(): number {
    return this.#now;
  }
  after(ms: number, callback: () => void): () => void {
    const due = { at: this.#now + Math.max(0, ms), order: this.#order++, callback };
    this.#push(due);
    return () => void this.#cancelled.add(due);
  }

  /** Lets this much time pass, with all that happens in it. */
  async pass(ms: number): Promise<void> {
    await this.until(this.#now + ms);
  }
  async until(time: number): Promise<void> {
    await this.#loop.quiet();
    for (let due = this.#next(time); due !== null; due = this.#next(time)) {
      this.#now = Math.max(this.#now, due.at);
      due.callback();
      await this.#loop.quiet();
      await this.#after();
    }
    this.#now = Math.max(this.#now, time);
  }
  /** When the next thing is due; null: never. */
  get upcoming(): number | null {
    while (this.#heap[0] !== undefined && this.#cancelled.delete(this.#heap[0])) this.#pop();
    return this.#heap[0]?.at ?? null;
  }

  #next(time: number): Due | null {
    const at = this.upcoming;
    return at === null || at > time ? null : this.#pop();
  }
  #push(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!before(heap[at]!, heap[parent]!)) break;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }
  #pop(): Due {
    const heap = this.#heap;
    const top = heap[0]!;
    const last = heap.pop()!;
    if (heap.length > 0) {
      heap[0] = last;
      for (let at = 0; ;) {
        const [left, right] = [at * 2 + 1, at * 2 + 2];
        let least = at;
        if (left < heap.length && before(heap[left]!, heap[least]!)) least = left;
        if (right < heap.length && before(heap[right]!, heap[least]!)) least = right;
        if (least === at) break;
        [heap[at], heap[least]] = [heap[least]!, heap[at]!];
        at = least;
      }
    }
    return top;
  }
}

function before(a: Due, b: Due): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
