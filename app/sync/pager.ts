/**
 * Paging: the mirror first, if its pages are unbroken there, else the server's log, written to the mirror and read back, so
 * that there is one source of what is shown. Without either, what is missing is told as missing.
 */
import { PAGE_RECORDS } from '#shared/protocol/limits.ts';
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import { pageOf } from '../mirror/pages.ts';
import type { Mirror, Stretch } from '../mirror/port.ts';
import type { Http } from './http.ts';
import type { Hole } from './views.ts';

export interface PagerParts {
  mirror: Mirror;
  http: Http;
}
/** `missing`: what lies beyond the stretch and could not be got; null when nothing does, or more can be asked for. */
export interface Paged {
  stretch: Stretch;
  missing: Hole | null;
}
/** Answers that one call may ask the server for, before it shows what it has. */
const ROUNDS = 30;

export function shownIn(records: readonly LogRecord[]): number {
  return records.reduce((sum, record) => sum + (record.kind === 'chunk' && isShown(record) ? 1 : 0), 0);
}

/** The stretch that ends right above `before`, until it has `chunks` shown ones or the true start. */
export async function older(parts: PagerParts, sessionId: string, before: number, chunks: number): Promise<Paged> {
  let stretch: Stretch = { records: [], from: before, to: before - 1 };
  for (let round = 0; round < ROUNDS && stretch.from > 1 && shownIn(stretch.records) < chunks; round++) {
    const more = await parts.mirror.readBefore(sessionId, stretch.from, chunks - shownIn(stretch.records));
    if (more.from < stretch.from) {
      stretch = { records: [...more.records, ...stretch.records], from: more.from, to: stretch.to };
      continue;
    }
    // A whole page below, so that the mirror's pages fill from their start.
    const after = Math.max(0, pageOf(stretch.from - 1) - 1) * PAGE_RECORDS;
    const got = await fetchLog(parts, sessionId, after, stretch.from);
    if (got === null)
      return { stretch, missing: { from: (await parts.mirror.nextBelow(sessionId, stretch.from)) + 1, to: stretch.from - 1 } };
    // Read back when it can be; what the mirror cannot keep (another run stays in that page) is shown from the answer itself.
    const back = await parts.mirror.readBefore(sessionId, stretch.from, chunks - shownIn(stretch.records));
    const found = back.from < stretch.from ? back : got;
    stretch = { records: [...found.records, ...stretch.records], from: found.from, to: stretch.to };
  }
  return { stretch, missing: null };
}

/** The stretch that begins right below `after`, until it has `chunks` shown ones or reaches `head`. */
export async function newer(parts: PagerParts, sessionId: string, after: number, head: number, chunks: number): Promise<Paged> {
  let stretch: Stretch = { records: [], from: after + 1, to: after };
  for (let round = 0; round < ROUNDS && stretch.to < head && shownIn(stretch.records) < chunks; round++) {
    const more = await parts.mirror.readAfter(sessionId, stretch.to, chunks - shownIn(stretch.records));
    if (more.to > stretch.to) {
      stretch = { records: [...stretch.records, ...more.records], from: stretch.from, to: more.to };
      continue;
    }
    const end = Math.min(head, stretch.to + PAGE_RECORDS * 2);
    const got = await fetchLog(parts, sessionId, stretch.to, end + 1);
    if (got === null) return { stretch, missing: { from: stretch.to + 1, to: head } };
    stretch = { records: [...stretch.records, ...got.records], from: stretch.from, to: got.to };
  }
  return { stretch, missing: null };
}

/** All of `after < seq < before` from the server, stored in the mirror too. Null: no answer, or one that is not dense. */
async function fetchLog(parts: PagerParts, sessionId: string, after: number, before: number): Promise<Stretch | null> {
  const records: LogRecord[] = [];
  for (let at = after; at < before - 1;) {
    const guard = await parts.mirror.guard(sessionId);
    const answer = await parts.http.ask('GET', `${ROUTES.log(sessionId)}?after=${at}&limit=${before - 1 - at}`);
    if (answer.kind !== 'ok') return null;
    const page = (answer.value as { records: LogRecord[] }).records.filter((record) => record.seq < before);
    if (page[0]?.seq !== at + 1) return null;
    await parts.mirror.apply(guard, { kind: 'backfill', sessionId, records: page });
    records.push(...page);
    at = page.at(-1)!.seq;
  }
  return { records, from: after + 1, to: before - 1 };
}
