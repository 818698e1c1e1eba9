/** Reading unbroken stretches, page by page. A stretch ends where the mirror does: it never reaches over a hole (law 10). */
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import { pageOf } from './pages.ts';
import type { Stretch } from './port.ts';
import type { MirrorTx } from './tx.ts';

/** Pages that one read walks at most, however few of their records are shown. */
const PAGES_PER_READ = 20;

function shownIn(records: readonly LogRecord[]): number {
  return records.reduce((sum, record) => sum + (record.kind === 'chunk' && isShown(record) ? 1 : 0), 0);
}

export async function readBeforeIn(tx: MirrorTx, sessionId: string, before: number, chunks: number): Promise<Stretch> {
  const parts: LogRecord[][] = [];
  let next = before - 1;
  let shown = 0;
  for (let pages = 0; next >= 1 && shown < chunks && pages < PAGES_PER_READ; pages++) {
    const run = await tx.run(sessionId, pageOf(next));
    if (run === null || run.from > next || run.to < next) break;
    const part = run.records.slice(0, next - run.from + 1);
    parts.unshift(part);
    shown += shownIn(part);
    next = run.from - 1;
  }
  return { records: parts.flat(), from: next + 1, to: before - 1 };
}

export async function readAfterIn(tx: MirrorTx, sessionId: string, after: number, chunks: number): Promise<Stretch> {
  const parts: LogRecord[][] = [];
  let next = after + 1;
  let shown = 0;
  for (let pages = 0; shown < chunks && pages < PAGES_PER_READ; pages++) {
    const run = await tx.run(sessionId, pageOf(next));
    if (run === null || run.from > next || run.to < next) break;
    const part = run.records.slice(next - run.from);
    parts.push(part);
    shown += shownIn(part);
    next = run.to + 1;
  }
  return { records: parts.flat(), from: after + 1, to: next - 1 };
}

export async function nextBelowIn(tx: MirrorTx, sessionId: string, before: number): Promise<number> {
  for (let page = before <= 1 ? null : pageOf(before - 1); page !== null;) {
    const found: number | null = await tx.pageBelow(sessionId, page);
    if (found === null) return 0;
    const run = await tx.run(sessionId, found);
    if (run !== null && run.from < before) return Math.min(run.to, before - 1);
    page = found === 0 ? null : found - 1;
  }
  return 0;
}
