/** What of a log is still to be copied, and which part of it is asked for next. Pure. */
import { LIMITS, PAGE_RECORDS } from '#shared/protocol/limits.ts';
import { firstOf, joined, pageOf } from '../mirror/pages.ts';
import type { Span } from '../mirror/port.ts';

/** The highest stretch up to `cursor` that is in none of the ascending `runs`; null: all is here. */
export function highestMissing(runs: readonly Span[], cursor: number): Span | null {
  let top = cursor;
  for (const { from, to } of runs.toReversed()) {
    if (to < top) return { from: to + 1, to: top };
    top = Math.min(top, from - 1);
  }
  return top < 1 ? null : { from: 1, to: top };
}
/** How many records up to `cursor` are in `runs`. */
export function countIn(runs: readonly Span[], cursor: number): number {
  return runs.reduce((sum, { from, to }) => sum + Math.max(0, Math.min(to, cursor) - from + 1), 0);
}
export function withRun(runs: readonly Span[], run: Span): Span[] {
  return joined([...runs, run]);
}

/** The top of a stretch, in whole pages: at most `pages` of them. */
export function topOf(missing: Span, pages: number): Span {
  return { from: Math.max(missing.from, firstOf(Math.max(0, pageOf(missing.to) - pages + 1))), to: missing.to };
}
/** The last seq up to `end` at which a page ends. */
export function pageEnd(end: number): number {
  return Math.floor(end / PAGE_RECORDS) * PAGE_RECORDS;
}
/** Pages to ask for at once, after `got` records of those asked for came. */
export function nextPages(pages: number, asked: number, got: number): number {
  if (got < asked) return Math.max(1, Math.floor(got / PAGE_RECORDS));
  return asked < pages * PAGE_RECORDS ? pages : Math.min(LIMITS.recordsPerPage / PAGE_RECORDS, pages * 2);
}
