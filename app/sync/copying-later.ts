/**
 * The copying of older history, brought when the list is first in step: it needs the server, and nothing that is shown needs it.
 * Before that there is nothing to stop or to note: where to go on is read off the mirror.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Copying, CopyingParts } from './copying.ts';

export class CopyingLater {
  readonly #bring: () => Promise<typeof Copying>;
  readonly #parts: CopyingParts;
  #copying: Copying | null = null;
  #coming: Promise<Copying> | null = null;

  constructor(bring: () => Promise<typeof Copying>, parts: CopyingParts) {
    this.#bring = bring;
    this.#parts = parts;
  }
  /** Those who ask while it comes share it; what failed is tried again by the next. */
  #brought(): Promise<Copying> {
    this.#coming ??= this.#bringIt();
    return this.#coming;
  }
  async #bringIt(): Promise<Copying> {
    try {
      const Made = await this.#bring();
      return (this.#copying = new Made(this.#parts));
    } catch (error) {
      this.#coming = null;
      throw error;
    }
  }

  run(): void {
    if (this.#copying !== null) return this.#copying.run();
    this.#brought().then(
      (copying) => copying.run(),
      (error: unknown) => this.#parts.report('copying.bring', { error }),
    );
  }
  async pause(paused: boolean): Promise<void> {
    await (await this.#brought()).pause(paused);
  }
  soon(): void {
    this.#copying?.soon();
  }
  applied(sessionId: string, records: readonly LogRecord[]): void {
    this.#copying?.applied(sessionId, records);
  }
  jumped(sessionId: string): void {
    this.#copying?.jumped(sessionId);
  }
  reset(): void {
    this.#copying?.reset();
  }
}
