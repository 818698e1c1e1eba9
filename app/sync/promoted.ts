/**
 * Inputs that are known to be in the transcript: what a row or a late answer still says of them is hidden. The newest ones, since
 * only an input of late can still have either.
 */
import type { LogRecord } from '#shared/protocol/records.ts';

const MOST = 2_048;

export class Promoted {
  readonly #ids = new Set<string>();
  #changes = 0;

  /** Rises with each id that was not known. */
  changes(): number {
    return this.#changes;
  }
  has(inputId: string): boolean {
    return this.#ids.has(inputId);
  }
  note(inputIds: readonly string[]): void {
    for (const id of inputIds) {
      if (!this.#ids.delete(id)) this.#changes++;
      this.#ids.add(id);
    }
    for (const id of this.#ids) {
      if (this.#ids.size <= MOST) break;
      this.#ids.delete(id);
    }
  }
  clear(): void {
    this.#ids.clear();
    this.#changes++;
  }
}

/** Ids of the prompts among these records. */
export function promptsIn(records: readonly LogRecord[]): string[] {
  return records.filter((record) => record.kind === 'chunk' && record.type === 'prompt').map(({ id }) => id);
}
