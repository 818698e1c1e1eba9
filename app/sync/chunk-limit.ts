/** The setting that bounds the window. It is this device's own: how much a phone may hold is no matter of the server. */
import { CHUNK_LIMIT } from '#shared/protocol/limits.ts';

/** Fewer would not fill a screen. */
const LEAST = 16;

/** The limit in force for a setting of `value`: 0 or anything not finite means the safe maximum, never unlimited; null: not set. */
export function chunkLimitOf(value: number | null): number {
  if (value === null) return CHUNK_LIMIT.default;
  if (!Number.isFinite(value) || value <= 0) return CHUNK_LIMIT.maximum;
  return Math.min(CHUNK_LIMIT.maximum, Math.max(LEAST, Math.floor(value)));
}
