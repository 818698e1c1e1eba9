/**
 * How old a prompt is, when that can be known. A device clock that jumped, ran back, or disagrees with the server's tells
 * nothing, and unknown age never expires anything (I35). Pure.
 */
import { TIMES } from '#shared/protocol/limits.ts';

/** Milliseconds by which two clocks may differ and still count as agreeing. */
export const CLOCK_TOLERANCE = 10 * 60 * 1000;

export interface ClockFacts {
  now: number;
  /** How far the server's clock is ahead, as heard in this run of the app; null: not heard yet. */
  skew: number | null;
  /** The latest time this device's clock has ever shown. */
  latest: number;
}

/** Milliseconds since it was written; null: not known. `skew`: how far the server was ahead when it was written. */
export function ageOf(row: { composedAt: number; skew: number | null }, clock: ClockFacts): number | null {
  const agrees = (skew: number | null): boolean => skew !== null && Math.abs(skew) <= CLOCK_TOLERANCE;
  if (!agrees(clock.skew) || !agrees(row.skew) || clock.now < clock.latest - CLOCK_TOLERANCE) return null;
  const age = clock.now - row.composedAt;
  return age < 0 ? null : age;
}
/** When it was written, by the server's clock as far as it was known then: a time to be shown beside the server's own (I35). */
export function writtenAt(row: { composedAt: number; skew: number | null }): number {
  return row.composedAt + (row.skew ?? 0);
}
/** Whether it must ask before it is sent. */
export function isExpired(row: { composedAt: number; skew: number | null; confirmed: boolean }, clock: ClockFacts): boolean {
  const age = row.confirmed ? null : ageOf(row, clock);
  return age !== null && age > TIMES.promptExpiry;
}
