/** The setting that bounds the window. It is this device's own: how much a phone may hold is no matter of the server. */
import { CHUNK_LIMIT } from '#shared/protocol/limits.ts';
import type { Own } from '../own/port.ts';

/** Fewer would not fill a screen. */
const LEAST = 16;

/** The limit in force for a setting of `value`: 0 or anything not finite means the safe maximum, never unlimited; null: not set. */
export function chunkLimitOf(value: number | null): number {
  if (value === null) return CHUNK_LIMIT.default;
  if (!Number.isFinite(value) || value <= 0) return CHUNK_LIMIT.maximum;
  return Math.min(CHUNK_LIMIT.maximum, Math.max(LEAST, Math.floor(value)));
}

/** The limit in force, kept on this device. */
export class ChunkLimit {
  readonly #own: Own;
  #value: number;

  /** `value`: until it was read, and where nothing was set. */
  constructor(own: Own, value: number) {
    this.#own = own;
    this.#value = value;
  }
  get value(): number {
    return this.#value;
  }
  async load(): Promise<void> {
    this.#value = chunkLimitOf((await this.#own.fact('chunkLimit')) ?? this.#value);
  }
  async set(limit: number): Promise<void> {
    this.#value = chunkLimitOf(limit);
    await this.#own.setFact('chunkLimit', this.#value);
  }
}
