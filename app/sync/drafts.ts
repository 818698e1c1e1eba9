/** Drafts: written to the disk soon after the last key, and at once when the page is hidden. */
import type { Report, Timers } from '#shared/ports.ts';
import type { Own } from '../own/port.ts';

/** Milliseconds after the last key. */
const SAVE_AFTER = 300;

export class Drafts {
  readonly #own: Own;
  readonly #timers: Timers;
  readonly #report: Report;
  readonly #waiting = new Map<string, { text: string; cancel: () => void }>();

  constructor(own: Own, timers: Timers, report: Report) {
    this.#own = own;
    this.#timers = timers;
    this.#report = report;
  }
  async read(sessionId: string): Promise<string> {
    return this.#waiting.get(sessionId)?.text ?? this.#own.draft(sessionId);
  }
  save(sessionId: string, text: string): void {
    this.#waiting.get(sessionId)?.cancel();
    const cancel = this.#timers.after(SAVE_AFTER, () => this.#write(sessionId));
    this.#waiting.set(sessionId, { text, cancel });
  }
  /** The words are in the outbox: what waits to be saved of them must not bring the draft back. */
  forget(sessionId: string): void {
    this.#waiting.get(sessionId)?.cancel();
    this.#waiting.delete(sessionId);
  }
  flush(): void {
    for (const sessionId of this.#waiting.keys()) this.#write(sessionId);
  }
  #write(sessionId: string): void {
    const waiting = this.#waiting.get(sessionId);
    if (waiting === undefined) return;
    this.forget(sessionId);
    this.#own.saveDraft(sessionId, waiting.text).catch((error: unknown) => this.#report('drafts.save', { error }));
  }
}
