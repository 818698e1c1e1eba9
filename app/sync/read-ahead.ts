/**
 * The window is opened with what a screen or two need, and filled from the mirror while the page is idle: the first scroll up has
 * nothing to wait for, and what a session costs in memory is settled soon after it was opened, not as it is read.
 */
import type { Report } from '#shared/ports.ts';

export interface ReadAheadParts {
  sessionId: string;
  report: Report;
  idle(within: number): Promise<void>;
  /** Runs in the replica's queue. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** One page more. False: there is no room for it, it is not in the mirror, or the reader has left the tail. */
  more(): Promise<boolean>;
  isClosed(): boolean;
  changed(): void;
}
/** Milliseconds that a busy page may keep one page of it waiting. */
const WITHIN = 3_000;

export class ReadAhead {
  readonly #parts: ReadAheadParts;
  #isRunning = false;

  constructor(parts: ReadAheadParts) {
    this.#parts = parts;
  }
  begin(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    const { report, sessionId } = this.#parts;
    this.#fill()
      .catch((error: unknown) => report('transcript.ahead', { sessionId, error }))
      .finally(() => (this.#isRunning = false));
  }
  async #fill(): Promise<void> {
    const { idle, run, more, isClosed, changed } = this.#parts;
    for (;;) {
      await idle(WITHIN);
      if (isClosed() || !(await run(more)) || isClosed()) return;
      changed();
    }
  }
}
