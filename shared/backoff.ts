/** Exponential backoff with jitter over the upper half: two clients that failed together do not come back together. */
import type { Random } from './ports.ts';

export interface BackoffShape {
  /** Milliseconds before the first retry, and the most between two. */
  base: number;
  cap: number;
}

/** Milliseconds to wait before try `attempt` (0 for the first retry): between half and all of `min(cap, base · 2^attempt)`. */
export function backoff(attempt: number, shape: BackoffShape, random: Random): number {
  const full = Math.min(shape.cap, shape.base * 2 ** Math.min(attempt, 30));
  return Math.round(full / 2 + random.unit() * (full / 2));
}
