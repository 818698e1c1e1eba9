/** Limits guessing: so many failures from one address within a span, then nothing more from it until the span is over. */
import type { Clock } from '#shared/ports.ts';

export interface AttemptLimit {
  failures: number;
  /** Milliseconds. */
  within: number;
}
/** Addresses remembered at most: past this the oldest is forgotten, so that a flood of addresses costs no memory. */
const ADDRESSES = 1000;

export class Attempts {
  readonly #failed = new Map<string, { count: number; since: number }>();
  readonly #clock: Clock;
  readonly #limit: AttemptLimit;
  constructor(clock: Clock, limit: AttemptLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Milliseconds until `address` may try again; 0: now. */
  wait(address: string): number {
    const entry = this.#failed.get(address);
    if (!entry) return 0;
    const left = entry.since + this.#limit.within - this.#clock.now();
    // A clock that was set back must not lock anybody out for longer than the span.
    if (left <= 0 || left > this.#limit.within) {
      this.#failed.delete(address);
      return 0;
    }
    return entry.count >= this.#limit.failures ? left : 0;
  }

  failed(address: string): void {
    const entry = this.#failed.get(address);
    if (entry) {
      entry.count++;
      return;
    }
    if (this.#failed.size >= ADDRESSES) this.#failed.delete(this.#failed.keys().next().value!);
    this.#failed.set(address, { count: 1, since: this.#clock.now() });
  }

  succeeded(address: string): void {
    this.#failed.delete(address);
  }
}
