/**
 * Paging: the mirror first, if its pages are unbroken there, else the server's log, written to the mirror and read back, so
 * that there is one source of what is shown. Without either, what is missing is told as missing.
 */
import { PAGE_RECORDS } from '#shared/protocol/limits.ts';
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import { isDense, pageOf } from '../mirror/pages.ts';
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

export class Pager {
  readonly #parts: PagerParts;
  readonly #sessionId: string;
  /** Got before an answer failed, and not joined to anything yet: the next try goes on behind it instead of from its start. */
  #partial: Stretch | null = null;

  constructor(parts: PagerParts, sessionId: string) {
    this.#parts = parts;
    this.#sessionId = sessionId;
  }

  /** The stretch that ends right above `before`, until it has `chunks` shown ones or the true start. */
  async older(before: number, chunks: number): Promise<Paged> {
    const { mirror } = this.#parts;
    let stretch: Stretch = { records: [], from: before, to: before - 1 };
    for (let round = 0; round < ROUNDS && stretch.from > 1 && shownIn(stretch.records) < chunks; round++) {
      const left = chunks - shownIn(stretch.records);
      const more = await mirror.readBefore(this.#sessionId, stretch.from, left);
      if (more.from < stretch.from) {
        stretch = { records: [...more.records, ...stretch.records], from: more.from, to: stretch.to };
        continue;
      }
      // A whole page below, so that the mirror's pages fill from their start.
      const after = Math.max(0, pageOf(stretch.from - 1) - 1) * PAGE_RECORDS;
      const got = await this.#log(after, stretch.from);
      if (got === null) {
        const below = await mirror.nextBelow(this.#sessionId, stretch.from);
        return { stretch, missing: { from: below + 1, to: stretch.from - 1 } };
      }
      // Read back when it can be; what the mirror cannot keep (another run stays in that page) is shown from the answer itself.
      const back = await mirror.readBefore(this.#sessionId, stretch.from, left);
      const found = back.from < stretch.from ? back : got;
      stretch = { records: [...found.records, ...stretch.records], from: found.from, to: stretch.to };
    }
    return { stretch, missing: null };
  }

  /** The stretch that begins right below `after`, until it has `chunks` shown ones or reaches `head`. */
  async newer(after: number, head: number, chunks: number): Promise<Paged> {
    let stretch: Stretch = { records: [], from: after + 1, to: after };
    for (let round = 0; round < ROUNDS && stretch.to < head && shownIn(stretch.records) < chunks; round++) {
      const more = await this.#parts.mirror.readAfter(this.#sessionId, stretch.to, chunks - shownIn(stretch.records));
      if (more.to > stretch.to) {
        stretch = { records: [...stretch.records, ...more.records], from: stretch.from, to: more.to };
        continue;
      }
      const end = Math.min(head, stretch.to + PAGE_RECORDS * 2);
      const got = await this.#log(stretch.to, end + 1);
      if (got === null) return { stretch, missing: { from: stretch.to + 1, to: head } };
      stretch = { records: [...stretch.records, ...got.records], from: stretch.from, to: got.to };
    }
    return { stretch, missing: null };
  }

  /** All of `after < seq < before` from the server, stored in the mirror too. Null: no answer, or one that is not dense. */
  async #log(after: number, before: number): Promise<Stretch | null> {
    const { mirror, http } = this.#parts;
    const kept = this.#partial !== null && this.#partial.from === after + 1 && this.#partial.to < before ? this.#partial.records : [];
    this.#partial = null;
    const records: LogRecord[] = [...kept];
    while (after + records.length < before - 1) {
      const at = after + records.length;
      const guard = await mirror.guard(this.#sessionId);
      const answer = await http.ask('GET', `${ROUTES.log(this.#sessionId)}?after=${at}&limit=${before - 1 - at}`);
      const page = answer.kind === 'ok' ? (answer.value as { records: LogRecord[] }).records.filter(({ seq }) => seq < before) : [];
      if (page[0]?.seq !== at + 1 || !isDense(page)) {
        if (records.length > 0) this.#partial = { records, from: after + 1, to: at };
        return null;
      }
      records.push(...page);
      await mirror.apply(guard, { kind: 'backfill', sessionId: this.#sessionId, records });
    }
    return { records, from: after + 1, to: before - 1 };
  }
}
