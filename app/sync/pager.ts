/**
 * Paging: the mirror first, if its pages are unbroken there, else the server's log, a page of the mirror at a time, written to
 * the mirror and read back, so that there is one source of what is shown. Without either, what is missing is told as missing.
 */
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import { firstOf, isDense, lastOf, pageOf } from '../mirror/pages.ts';
import type { Guard, Mirror, Stretch } from '../mirror/port.ts';
import type { Http } from './http.ts';
import type { Hole } from './views.ts';

export interface PagerParts {
  mirror: Mirror;
  http: Http;
}
/** Shown chunks: as many are read here as are wanted; the server is asked only while there are fewer than `least`. */
export interface Wanted {
  chunks: number;
  least: number;
}
/** `missing`: what lies beyond the stretch and could not be got; null when nothing does, or more can be asked for. */
export interface Paged {
  stretch: Stretch;
  missing: Hole | null;
}
/** An answer for a log that is no longer the one here, or that nobody waits for: it must not be joined to anything. */
export const STALE = 'stale';
/** Pages that one call walks at most, before it shows what it has. */
const ROUNDS = 30;

export function shownIn(records: readonly LogRecord[]): number {
  return records.reduce((sum, record) => sum + (record.kind === 'chunk' && isShown(record) ? 1 : 0), 0);
}

export class Pager {
  readonly #parts: PagerParts;
  readonly #sessionId: string;
  /**
   * The newest page of the server's, or as much of it as came: a page that the mirror cannot keep is not asked for twice, and one that was cut off goes on
   * where it ended.
   */
  #got: { guard: Guard; stretch: Stretch } | null = null;

  constructor(parts: PagerParts, sessionId: string) {
    this.#parts = parts;
    this.#sessionId = sessionId;
  }

  /** The stretch that ends right above `before`. `reach`: what is asked for may go on to there, since it is wanted next. */
  async older(before: number, wanted: Wanted, signal: AbortSignal, reach = 0): Promise<Paged | typeof STALE> {
    const { mirror } = this.#parts;
    const guard = await mirror.guard(this.#sessionId);
    let stretch: Stretch = { records: [], from: before, to: before - 1 };
    let missing: Hole | null = null;
    for (let round = 0; round < ROUNDS && stretch.from > 1 && shownIn(stretch.records) < wanted.chunks; round++) {
      let more = await this.#below(stretch.from, wanted.chunks - shownIn(stretch.records), guard);
      if (more === null) {
        if (shownIn(stretch.records) >= wanted.least) break;
        const hole = { from: (await mirror.nextBelow(this.#sessionId, stretch.from)) + 1, to: stretch.from - 1 };
        const page = pageOf(hole.to);
        const from = Math.max(hole.from, firstOf(page));
        const got = await this.#ask(guard, from, Math.min(lastOf(page), Math.max(reach, hole.to)), signal);
        if (got === STALE) return STALE;
        more = got ? await this.#below(stretch.from, wanted.chunks - shownIn(stretch.records), guard) : null;
        if (more === null) {
          missing = hole;
          break;
        }
      }
      stretch = { records: [...more.records, ...stretch.records], from: more.from, to: stretch.to };
    }
    return (await this.#isStale(guard, signal)) ? STALE : { stretch, missing };
  }

  /** The stretch that begins right below `after`, up to `head` at most. */
  async newer(after: number, head: number, wanted: Wanted, signal: AbortSignal): Promise<Paged | typeof STALE> {
    const guard = await this.#parts.mirror.guard(this.#sessionId);
    let stretch: Stretch = { records: [], from: after + 1, to: after };
    let missing: Hole | null = null;
    for (let round = 0; round < ROUNDS && stretch.to < head && shownIn(stretch.records) < wanted.chunks; round++) {
      let more = await this.#above(stretch.to, wanted.chunks - shownIn(stretch.records), guard);
      if (more === null) {
        if (shownIn(stretch.records) >= wanted.least) break;
        const got = await this.#ask(guard, stretch.to + 1, Math.min(head, lastOf(pageOf(stretch.to + 1))), signal);
        if (got === STALE) return STALE;
        more = got ? await this.#above(stretch.to, wanted.chunks - shownIn(stretch.records), guard) : null;
        if (more === null) {
          missing = await this.#holeAbove(stretch.to, head);
          break;
        }
      }
      stretch = { records: [...stretch.records, ...more.records], from: stretch.from, to: more.to };
    }
    if (await this.#isStale(guard, signal)) return STALE;
    // What another tab wrote beyond `head` is told to this one in its turn.
    const records = stretch.to > head ? stretch.records.filter(({ seq }) => seq <= head) : stretch.records;
    return { stretch: { records, from: stretch.from, to: Math.min(stretch.to, Math.max(head, after)) }, missing };
  }

  /** Both sides of `seq`, which is the newest of `above`: one read a side, or one request for the page it is on. Null: it cannot be had. */
  async around(seq: number, head: number, chunks: number, signal: AbortSignal): Promise<{ above: Paged; below: Paged } | null> {
    const wanted = { chunks, least: 1 };
    const guard = await this.#parts.mirror.guard(this.#sessionId);
    const above = await this.older(seq + 1, wanted, signal, head);
    if (above === STALE || above.stretch.from > seq) return null;
    const below = await this.newer(seq, head, wanted, signal);
    return below === STALE || (await this.#isStale(guard, signal)) ? null : { above, below };
  }

  async #holeAbove(after: number, head: number): Promise<Hole> {
    const { runs } = await this.#parts.mirror.coverage(this.#sessionId);
    const next = runs.find((run) => run.from > after + 1);
    return { from: after + 1, to: Math.min(head, next === undefined ? head : next.from - 1) };
  }
  async #isStale(guard: Guard, signal: AbortSignal): Promise<boolean> {
    return signal.aborted || !isSame(guard, await this.#parts.mirror.guard(this.#sessionId));
  }

  /** What is here right above `before`, from the mirror or from the page that it could not keep; null: nothing. */
  async #below(before: number, chunks: number, guard: Guard): Promise<Stretch | null> {
    const held = await this.#parts.mirror.readBefore(this.#sessionId, before, chunks);
    if (held.from < before) return held;
    const got = this.#gotAt(before - 1, guard);
    return got && { records: got.records.filter(({ seq }) => seq < before), from: got.from, to: before - 1 };
  }
  async #above(after: number, chunks: number, guard: Guard): Promise<Stretch | null> {
    const held = await this.#parts.mirror.readAfter(this.#sessionId, after, chunks);
    if (held.to > after) return held;
    const got = this.#gotAt(after + 1, guard);
    return got && { records: got.records.filter(({ seq }) => seq > after), from: after + 1, to: got.to };
  }
  #gotAt(seq: number, guard: Guard): Stretch | null {
    const got = this.#got;
    return got !== null && isSame(got.guard, guard) && got.stretch.from <= seq && seq <= got.stretch.to ? got.stretch : null;
  }

  /**
   * All of `from … to`, which is of one page, from the server, and into the mirror. An answer ends early past a bound of bytes: then the rest
   * is asked for. False: no answer, or one that is not dense; what came before it is kept for the next try.
   */
  async #ask(guard: Guard, from: number, to: number, signal: AbortSignal): Promise<boolean | typeof STALE> {
    const { mirror, http } = this.#parts;
    const before = this.#got;
    const goesOn = before !== null && isSame(before.guard, guard) && before.stretch.from === from && before.stretch.to < to;
    const records: LogRecord[] = goesOn ? [...before.stretch.records] : [];
    while (from + records.length <= to) {
      const next = from + records.length;
      const answer = await http.ask('GET', `${ROUTES.log(this.#sessionId)}?after=${next - 1}&limit=${to - next + 1}`, undefined, signal);
      if (signal.aborted) return STALE;
      // Another history answers than the one that the request was about.
      if (answer.kind === 'ok' && guard.epoch !== null && answer.epoch !== guard.epoch) return STALE;
      const part = answer.kind === 'ok' ? (answer.value as { records: LogRecord[] }).records.filter(({ seq }) => seq <= to) : [];
      if (part[0]?.seq !== next || !isDense(part)) break;
      records.push(...part);
    }
    if (records.length === 0) return false;
    this.#got = { guard, stretch: { records, from, to: from + records.length - 1 } };
    const applied = await mirror.apply(guard, { kind: 'backfill', sessionId: this.#sessionId, records });
    if (!applied.ok && applied.reason === 'stale') return STALE;
    return from + records.length > to;
  }
}

function isSame(a: Guard, b: Guard): boolean {
  return a.epoch === b.epoch && a.generation === b.generation;
}
