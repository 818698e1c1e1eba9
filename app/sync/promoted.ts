/**
 * Inputs that are known to be in the transcript: what a row or a late answer still says of them is hidden. The newest ones, since
 * only an input of late can still have either; their ids rise with time, so history that is read or copied pushes none of them out.
 */
import type { LogRecord } from '#shared/protocol/records.ts';

/** So many are kept at least; twice as many at most. */
const KEPT = 256;

export class Promoted {
  #ids = new Set<string>();
  /** Ids up to this one are too old to be kept. */
  #floor = '';
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
      if (id <= this.#floor || this.#ids.has(id)) continue;
      this.#ids.add(id);
      this.#changes++;
      if (this.#ids.size > 2 * KEPT) this.#trim();
    }
  }
  #trim(): void {
    const ids = [...this.#ids].toSorted();
    this.#floor = ids.at(-KEPT - 1)!;
    this.#ids = new Set(ids.slice(-KEPT));
  }
  clear(): void {
    this.#ids.clear();
    this.#floor = '';
    this.#changes++;
  }
}

/** Ids of the prompts among these records. */
export function promptsIn(records: readonly LogRecord[]): string[] {
  return records.filter((record) => record.kind === 'chunk' && record.type === 'prompt').map(({ id }) => id);
}
