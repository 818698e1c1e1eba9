/**
 * When the link was last known good: the server's last word by socket, not the moment at which a try was noticed to fail. Kept in
 * own work, so that a reload without a link tells the same time.
 */
import type { Clock } from '#shared/ports.ts';
import type { Good, Own } from '../own/port.ts';

/** Milliseconds between two notes of it while the server speaks. */
const NOTED_EVERY = 60_000;

export class LastGood {
  readonly #clock: Clock;
  readonly #own: Own;
  readonly #skew: () => number | null;
  #good: Good | null = null;
  /** Heard in this run of the app. */
  #isOfNow = false;
  #noted = 0;

  /** `skew`: how far the server's clock is known to be ahead of this device's. */
  constructor(clock: Clock, own: Own, skew: () => number | null) {
    this.#clock = clock;
    this.#own = own;
    this.#skew = skew;
  }
  async load(): Promise<void> {
    const noted = await this.#own.fact('good');
    if (!this.#isOfNow) this.#good = noted;
  }
  /** The server said something. */
  heard(): void {
    const at = this.#clock.now();
    this.#good = { at, skew: this.#skew() };
    this.#isOfNow = true;
    if (Math.abs(at - this.#noted) >= NOTED_EVERY) this.note();
  }
  /** A good moment to keep it. */
  note(): void {
    if (!this.#isOfNow || this.#good === null) return;
    this.#noted = this.#good.at;
    void this.#own.setFact('good', this.#good);
  }
  /** By the server's clock; null: never, or by a clock that nothing is known of. */
  at(): number | null {
    if (this.#good === null) return null;
    const skew = this.#good.skew ?? (this.#isOfNow ? this.#skew() : null);
    return skew === null ? null : this.#good.at + skew;
  }
  /** Milliseconds since then, as this device counts them; a clock that ran back says as little as one that ran on. */
  silentFor(): number {
    return this.#good === null || !this.#isOfNow ? 0 : Math.abs(this.#clock.now() - this.#good.at);
  }
}
