/** Page arithmetic. Page n holds seq 100n+1 … 100n+100, one unbroken run of them. Pure. */
import { PAGE_RECORDS } from '#shared/protocol/limits.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Span } from './port.ts';

/** An unbroken, non-empty run: `records[k].seq === from + k`, the last is `to`. */
export interface Run extends Span {
  records: readonly LogRecord[];
}

/** The page that holds `seq` (from 1). */
export function pageOf(seq: number): number {
  return Math.floor((seq - 1) / PAGE_RECORDS);
}
export function firstOf(page: number): number {
  return page * PAGE_RECORDS + 1;
}
export function lastOf(page: number): number {
  return (page + 1) * PAGE_RECORDS;
}
export function isFull(run: Span): boolean {
  return run.to - run.from === PAGE_RECORDS - 1;
}

/** Whether the records are dense and ascending. */
export function isDense(records: readonly LogRecord[]): boolean {
  return records.every((record, at) => record.seq === records[0]!.seq + at);
}

/** A run of dense records; null for none. */
export function runOf(records: readonly LogRecord[]): Run | null {
  if (records.length === 0) return null;
  return { from: records[0]!.seq, to: records.at(-1)!.seq, records };
}

/** Ascending records, dense within each page, as the runs of their pages. */
export function byPage(records: readonly LogRecord[]): Map<number, Run> {
  const pages = new Map<number, Run>();
  for (let at = 0; at < records.length;) {
    const page = pageOf(records[at]!.seq);
    let end = at + 1;
    while (end < records.length && pageOf(records[end]!.seq) === page) end++;
    pages.set(page, runOf(records.slice(at, end))!);
    at = end;
  }
  return pages;
}

/**
 * The one run that a page holds after `incoming` joins `held`. Runs that touch or overlap become one, so coverage never
 * shrinks. Of two that do not touch only one can stay: `incoming` if it ends at the cursor (`toCursor`), else `held`.
 * Sealed is final: where both have a record, the one held stays.
 */
export function merge(held: Run | null, incoming: Run, toCursor: boolean): Run {
  if (held === null) return incoming;
  if (incoming.from > held.to + 1 || incoming.to < held.from - 1) return toCursor ? incoming : held;
  const before = incoming.records.slice(0, Math.max(0, held.from - incoming.from));
  const after = incoming.records.slice(Math.max(0, held.to - incoming.from + 1));
  if (before.length === 0 && after.length === 0) return held;
  return runOf([...before, ...held.records, ...after])!;
}

/** What is left of runs without `gone`. */
export function without(runs: readonly Span[], gone: Span): Span[] {
  return runs
    .flatMap(({ from, to }) =>
      to < gone.from || from > gone.to
        ? [{ from, to }]
        : [
            { from, to: gone.from - 1 },
            { from: gone.to + 1, to },
          ],
    )
    .filter(({ from, to }) => from <= to);
}

/** Spans as the unbroken runs that they make together, ascending. */
export function joined(spans: readonly Span[]): Span[] {
  const runs: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = runs.at(-1);
    if (last !== undefined && from <= last.to + 1) last.to = Math.max(last.to, to);
    else runs.push({ from, to });
  }
  return runs;
}
