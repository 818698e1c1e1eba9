/**
 * Data that the log keeps by reference and that was here whole when it was sealed: it stays on the screen as it streamed. A few of
 * the newest; whatever else is asked for is fetched.
 */
import type { LiveFold } from '#shared/chunks/fold.ts';
import { frozen } from '#shared/plain.ts';
import { isBlobRef, type LogRecord } from '#shared/protocol/records.ts';

const ENTRIES = 8;
const BYTES = 8 * 1024 * 1024;

export interface Whole {
  sha256: string;
  size: number;
  data: unknown;
}

export class Wholes {
  #kept: readonly Whole[] = [];
  /** By hash; another map with each change. */
  view: ReadonlyMap<string, unknown> = new Map();

  /** Records were sealed: what of them streamed in `live` just before, is kept. Answers what is new. */
  take(live: LiveFold | null, records: readonly LogRecord[]): readonly Whole[] {
    if (live === null || live.chunks.length === 0) return [];
    const fresh: Whole[] = [];
    for (const { id, data } of records) {
      if (!isBlobRef(data) || this.view.has(data.blob.sha256)) continue;
      const chunk = live.chunks.find((at) => at.id === id);
      // What was sealed is what was shown only if it is as long: a stream that was joined late or cut is not all of it.
      if (chunk === undefined || bytesOf(chunk.data) !== data.blob.size) continue;
      fresh.push({ ...data.blob, data: frozen(chunk.data) });
    }
    if (fresh.length > 0) this.#keep([...this.#kept, ...fresh]);
    return fresh;
  }
  clear(): void {
    if (this.#kept.length > 0) this.#keep([]);
  }

  #keep(all: readonly Whole[]): void {
    const fits: Whole[] = [];
    let left = BYTES;
    for (const whole of all.toReversed()) {
      if (fits.length === ENTRIES || whole.size > left) continue;
      left -= whole.size;
      fits.unshift(whole);
    }
    this.#kept = fits;
    this.view = new Map(this.#kept.map(({ sha256, data }) => [sha256, data]));
  }
}

function bytesOf(data: unknown): number {
  return new TextEncoder().encode(JSON.stringify(data)).length;
}
