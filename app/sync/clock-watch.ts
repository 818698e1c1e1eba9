/** What is known of this device's clock: how it stands to the server's, and the latest time it ever showed. Kept over restarts. */
import type { Clock } from '#shared/ports.ts';
import type { Own } from '../own/port.ts';
import { CLOCK_TOLERANCE, type ClockFacts } from './age.ts';

/** `Date` has seconds only: smaller steps are noise. */
const NOISE = 2_000;

export class ClockWatch {
  readonly #clock: Clock;
  readonly #own: Own;
  #skew: number | null = null;
  #heardAt = 0;
  #latest = 0;
  /** As heard in an earlier run of the app. */
  #kept: number | null = null;

  constructor(clock: Clock, own: Own) {
    this.#clock = clock;
    this.#own = own;
  }
  async load(): Promise<void> {
    this.#latest = (await this.#own.fact('clock')) ?? 0;
    this.#kept = await this.#own.fact('skew');
    if (this.#clock.now() > this.#latest) await this.#own.setFact('clock', this.#clock.now());
  }
  /** The server's clock is this far ahead; null: it did not say. */
  heard(skew: number | null): void {
    if (skew === null) return;
    const known = this.#skew;
    this.#skew = skew;
    this.#heardAt = this.#clock.now();
    if (known === null || Math.abs(known - skew) > NOISE) void this.#own.setFact('skew', skew);
  }
  /** A good moment to note how late it is. */
  note(): void {
    this.#latest = Math.max(this.#latest, this.#clock.now());
    void this.#own.setFact('clock', this.#latest);
  }
  facts(): ClockFacts {
    return { now: this.#clock.now(), skew: this.#skew, latest: this.#latest };
  }
  /** How far the server is ahead, for what is written and shown here: as heard now, else as heard last; null: this clock ran back since, or nothing was heard. */
  known(): number | null {
    const since = this.#skew === null ? this.#latest : this.#heardAt;
    return this.#clock.now() < since - CLOCK_TOLERANCE ? null : (this.#skew ?? this.#kept);
  }
}
