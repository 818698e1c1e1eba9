/** Reading unbroken stretches. A stretch ends where the mirror does: it never reaches over a hole (law 10). */
import { PAGE_RECORDS } from '#shared/protocol/limits.ts';
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import { joined, pageOf } from './pages.ts';
import type { Coverage, Stretch } from './port.ts';
import { cursorOf, guardOf } from './guard.ts';
import type { MirrorTx } from './tx.ts';

/** Pages that one read walks at most, however few of their records are shown. */
const PAGES_PER_READ = 20;

function shownIn(records: readonly LogRecord[]): number {
  return records.reduce((sum, record) => sum + (record.kind === 'chunk' && isShown(record) ? 1 : 0), 0);
}
/** Of ten records at least seven are shown, nearly always: with this many pages one look is enough, and a page too many is not unpacked. */
const SHOWN_SHARE = 0.7;

/** Pages that are read at once for `chunks` more, the next record being the `nth` of its page from the end that is read from. */
function pagesFor(chunks: number, nth: number): number {
  return Math.ceil((chunks / SHOWN_SHARE + nth - 1) / PAGE_RECORDS);
}

export async function readBeforeIn(tx: MirrorTx, sessionId: string, before: number, chunks: number): Promise<Stretch> {
  const parts: (readonly LogRecord[])[] = [];
  let next = before - 1;
  let shown = 0;
  for (let left = PAGES_PER_READ; next >= 1 && shown < chunks && left > 0;) {
    const high = pageOf(next);
    const nth = (high + 1) * PAGE_RECORDS - next + 1;
    const low = Math.max(0, high + 1 - Math.min(left, pagesFor(chunks - shown, nth)));
    const runs = await tx.runs(sessionId, low, high, nth > 1);
    for (let page = high; page >= low && shown < chunks; page--, left--) {
      const run = runs.get(page);
      if (run === undefined || run.from > next || run.to < next) return stretchOf(parts.toReversed(), next + 1, before - 1);
      const part = run.to === next ? run.records : run.records.slice(0, next - run.from + 1);
      parts.push(part);
      shown += shownIn(part);
      next = run.from - 1;
    }
  }
  return stretchOf(parts.toReversed(), next + 1, before - 1);
}

export async function readAfterIn(tx: MirrorTx, sessionId: string, after: number, chunks: number): Promise<Stretch> {
  const parts: (readonly LogRecord[])[] = [];
  let next = after + 1;
  let shown = 0;
  for (let left = PAGES_PER_READ; shown < chunks && left > 0;) {
    const low = pageOf(next);
    const high = low - 1 + Math.min(left, pagesFor(chunks - shown, next - low * PAGE_RECORDS));
    const runs = await tx.runs(sessionId, low, high, true);
    for (let page = low; page <= high && shown < chunks; page++, left--) {
      const run = runs.get(page);
      if (run === undefined || run.from > next || run.to < next) return stretchOf(parts, after + 1, next - 1);
      const part = run.from === next ? run.records : run.records.slice(next - run.from);
      parts.push(part);
      shown += shownIn(part);
      next = run.to + 1;
    }
  }
  return stretchOf(parts, after + 1, next - 1);
}

function stretchOf(parts: readonly (readonly LogRecord[])[], from: number, to: number): Stretch {
  return { records: parts.flat(), from, to };
}

export async function nextBelowIn(tx: MirrorTx, sessionId: string, before: number): Promise<number> {
  const { runs } = await coverageIn(tx, sessionId);
  const below = runs.findLast(({ from }) => from < before);
  return below === undefined ? 0 : Math.min(below.to, before - 1);
}

export async function coverageIn(tx: MirrorTx, sessionId: string): Promise<Coverage> {
  const meta = await tx.metaOf(sessionId);
  return { guard: guardOf(meta), cursor: cursorOf(meta).seq, runs: joined(await tx.spans(sessionId, meta.runs ?? [])) };
}
