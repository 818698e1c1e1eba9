/** Whether the server that answers is the process that answered before: what it was at when it went is told once (B43). */
import type { Boot } from '#shared/protocol/frames.ts';

export class Restarts {
  #known: Boot | null = null;

  /** A welcome. Answers when the server started, by its own clock, if it has restarted since the last one; null: it has not. */
  welcome(boot: Boot | undefined): number | null {
    const before = this.#known;
    this.#known = boot ?? null;
    // An older server says nothing of it.
    return boot !== undefined && before !== null && before.id !== boot.id ? boot.at : null;
  }
}
