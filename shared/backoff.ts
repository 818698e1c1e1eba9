/** Exponential backoff with jitter over most of the wait: clients that failed together do not come back together (R12). */
import type { Random } from './ports.ts';

export interface BackoffShape {
  /** Milliseconds before the first retry, and the most between two. */
  base: number;
  cap: number;
}

/** Milliseconds to wait before try `attempt` (0 for the first retry): between a quarter and all of `min(cap, base · 2^attempt)`. */
export function backoff(attempt: number, shape: BackoffShape, random: Random): number {
  const full = Math.min(shape.cap, shape.base * 2 ** Math.min(attempt, 30));
  return Math.round(full / 4 + random.unit() * full * 0.75);
}
