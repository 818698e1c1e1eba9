/**
 * Copies one session's history to this device, newest first, a request at a time: its newest records if they are not here, then
 * the marks of all its turns, then its log downwards. Where to go on is read off the mirror's own coverage, so a kill at any
 * instant costs no more than the answer under way.
 */
import { isBlobRef, type LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { Timeline, TurnMark } from '#shared/protocol/summaries.ts';
import { isDense } from '../mirror/pages.ts';
import { APPLY_RECORDS, type Copied, type Coverage, type Mirror, type Span } from '../mirror/port.ts';
import type { Answer, Http } from './http.ts';
import { countIn, highestMissing, nextPages, pageEnd, topOf, withRun } from './missing.ts';

export interface SessionCopyParts {
  mirror: Mirror;
  http: Http;
  /** Waits until nobody needs the page or the link. */
  leisure(): Promise<void>;
  /** Subscribed: its replica keeps its end. */
  isReplicated(sessionId: string): boolean;
  applied(sessionId: string, records: readonly LogRecord[]): void;
}
/**
 * `more`: call again. `done`: all of it is here. `trouble`: no answer, try later. `full`: the disk takes no more. `odd`: the
 * server or the mirror does not do what it must; asked again it would go in a circle.
 */
export type CopyStep = 'more' | 'done' | 'trouble' | 'full' | 'odd';

/** Records of a first load: some screens full, and less than an answer's worth of bytes. */
const NEWEST = 200;
/** Data of text that is copied whole, in bytes. */
const BLOB_MOST = 1024 * 1024;
/** Steps in a row that may come to nothing. */
const STRIKES = 3;

export class SessionCopy {
  readonly sessionId: string;
  readonly #parts: SessionCopyParts;
  #signal: AbortSignal;
  #known: Coverage | null = null;
  #marksFrom = 1;
  /** The part that is being asked for, and what came of it that is no whole page yet. */
  #part: Span | null = null;
  #held: LogRecord[] = [];
  #pages = 2;
  #strikes = 0;
  #keepsBlobs = true;
  #sawNewest = false;

  /** `signal`: void once the copying has to end. */
  constructor(sessionId: string, parts: SessionCopyParts, signal: AbortSignal) {
    this.sessionId = sessionId;
    this.#parts = parts;
    this.#signal = signal;
  }
  under(signal: AbortSignal): this {
    this.#signal = signal;
    return this;
  }

  /** Records that are here, of as many as it has. */
  progress(): { done: number; of: number } {
    const { runs, cursor } = this.#known ?? { runs: [], cursor: 0 };
    return { done: countIn(runs, cursor), of: cursor };
  }
  /** The cursor when it was last looked at. */
  cursor(): number {
    return this.#known?.cursor ?? 0;
  }
  isLooked(): boolean {
    return this.#known !== null;
  }
  /** The newest records are not here, and nobody else keeps them. `head`: of the server's summary. */
  isBehind(head: number): boolean {
    return this.cursor() < head && !this.#parts.isReplicated(this.sessionId);
  }
  /** Something is still to be copied. */
  isMissing(head: number): boolean {
    const { runs, cursor } = this.#known ?? { runs: [], cursor: 0 };
    return this.isBehind(head) || this.#marksFrom > 1 || highestMissing(runs, cursor) !== null;
  }
  /** Records from `first` to `last` are in the mirror now. */
  applied(first: number, last: number): void {
    const known = this.#known;
    if (known === null) return;
    if (first > known.cursor + 1) return this.forget();
    this.#known = { ...known, cursor: Math.max(known.cursor, last), runs: withRun(known.runs, { from: first, to: last }) };
  }
  /** What is here is not what was thought. */
  forget(): void {
    this.#known = null;
    this.#part = null;
    this.#held = [];
  }
  async look(): Promise<void> {
    const { mirror } = this.#parts;
    this.forget();
    this.#known = await mirror.coverage(this.sessionId);
    this.#marksFrom = (await mirror.turnsReach(this.sessionId)).from;
  }

  /** Whatever comes next. */
  async step(head: number): Promise<CopyStep> {
    if (this.#known === null) await this.look();
    const known = this.#known!;
    if (this.isBehind(head)) return this.newest();
    if (!this.#sawNewest) return this.#newestWhole(known);
    if (this.#marksFrom > 1) return this.#marks(known);
    const missing = highestMissing(known.runs, known.cursor);
    if (missing !== null) return this.#records(known, missing);
    // Whether it all is here the mirror says, not what was meant to be written.
    await this.look();
    return this.isMissing(head) ? this.#strike() : 'done';
  }
  /** Fetches the data of words that is kept by reference. False: no answer. */
  async blobsOf(records: readonly LogRecord[]): Promise<boolean> {
    const { mirror } = this.#parts;
    const wanted = this.#keepsBlobs ? blobsIn(records) : [];
    if (wanted.length === 0) return true;
    const guard = await mirror.guard(this.sessionId);
    for (const sha256 of await mirror.blobsMissing(wanted)) {
      const answer = await this.#ask(ROUTES.blob(sha256));
      if (answer.kind === 'trouble' || (answer.kind === 'refused' && answer.retryable)) return false;
      if (answer.kind === 'refused') continue;
      this.#keepsBlobs = await mirror.putBlob(guard, this.sessionId, sha256, answer.value, 'stay');
      if (!this.#keepsBlobs) break;
    }
    return true;
  }

  /** Steps that came to nothing in a row end in giving up, never in a circle. */
  #strike(): CopyStep {
    this.forget();
    return ++this.#strikes >= STRIKES ? 'odd' : 'more';
  }
  #failed(answer: Answer & { kind: 'refused' | 'trouble' }): CopyStep {
    return answer.kind === 'trouble' || answer.retryable ? 'trouble' : 'odd';
  }
  #copied(copied: Copied): CopyStep | null {
    if (copied.ok) return null;
    return copied.reason === 'full' ? 'full' : this.#strike();
  }
  async #ask(path: string): Promise<Answer> {
    await this.#parts.leisure();
    const answer = await this.#parts.http.ask('GET', path, undefined, this.#signal);
    await this.#parts.leisure();
    return answer;
  }

  /** Its newest records, and what is pending. */
  async newest(): Promise<CopyStep> {
    const guard = await this.#parts.mirror.guard(this.sessionId);
    const answer = await this.#ask(`${ROUTES.timeline(this.sessionId)}?limit=${NEWEST}`);
    if (answer.kind !== 'ok') return this.#failed(answer);
    if (this.#parts.isReplicated(this.sessionId)) return this.#strike();
    const timeline = answer.value as Timeline;
    if (!(await this.blobsOf(timeline.records))) return 'trouble';
    const copied = await this.#parts.mirror.copy(guard, { kind: 'timeline', sessionId: this.sessionId, timeline });
    if (!copied.ok) return this.#copied(copied) ?? 'more';
    this.#parts.applied(this.sessionId, timeline.records);
    await this.look();
    return this.#known!.cursor >= timeline.head ? 'more' : this.#strike();
  }

  /** Words of the newest records that were mirrored by another way, and perhaps not whole. */
  async #newestWhole(known: Coverage): Promise<CopyStep> {
    const { records } = await this.#parts.mirror.readBefore(this.sessionId, known.cursor + 1, NEWEST);
    if (!(await this.blobsOf(records))) return 'trouble';
    this.#sawNewest = true;
    return 'more';
  }

  async #marks(known: Coverage): Promise<CopyStep> {
    const from = this.#marksFrom;
    const answer = await this.#ask(`${ROUTES.turns(this.sessionId)}?limit=${LIMITS.turnsPerPage}&before=${from}`);
    if (answer.kind !== 'ok') return this.#failed(answer);
    const { turns } = answer.value as { turns: TurnMark[] };
    const lowest = turns.length < LIMITS.turnsPerPage ? 1 : turns[0]!.seq;
    const copied = await this.#parts.mirror.putTurns(known.guard, this.sessionId, turns, { from: lowest, to: from - 1 });
    const trouble = this.#copied(copied);
    if (trouble !== null) return trouble;
    this.#marksFrom = (await this.#parts.mirror.turnsReach(this.sessionId)).from;
    return this.#marksFrom < from ? 'more' : this.#strike();
  }

  async #records(known: Coverage, missing: Span): Promise<CopyStep> {
    const { mirror } = this.#parts;
    if (this.#part === null) {
      // Somebody else (a reader, another tab) may have fetched it meanwhile.
      if ((await mirror.nextBelow(this.sessionId, missing.to + 1)) >= missing.from) return this.#lookAgain(missing);
      this.#part = topOf(missing, this.#pages);
    }
    const part = this.#part;
    const next = (this.#held.at(-1)?.seq ?? part.from - 1) + 1;
    const limit = part.to - next + 1;
    const answer = await this.#ask(`${ROUTES.log(this.sessionId)}?after=${next - 1}&limit=${limit}`);
    if (answer.kind !== 'ok') return this.#failed(answer);
    const came = (answer.value as { records: LogRecord[] }).records.filter(({ seq }) => seq <= part.to);
    if (came[0]?.seq !== next || !isDense(came)) return this.#strike();
    this.#pages = nextPages(this.#pages, limit, came.length);

    const all = [...this.#held, ...came];
    const end = all.at(-1)!.seq;
    // A page that is cut short is no page yet: another run may stand in it, and only one can.
    const to = end === part.to ? end : pageEnd(end);
    const whole = all.filter(({ seq }) => seq <= to);
    if (!(await this.blobsOf(whole))) return 'trouble';
    for (let at = 0; at < whole.length; at += APPLY_RECORDS) {
      const records = whole.slice(at, at + APPLY_RECORDS);
      const trouble = this.#copied(await mirror.copy(known.guard, { kind: 'backfill', sessionId: this.sessionId, records }));
      if (trouble !== null) return trouble;
    }
    if (whole.length > 0) this.#known = { ...known, runs: withRun(known.runs, { from: part.from, to }) };
    this.#held = all.slice(whole.length);
    this.#part = end === part.to ? null : { from: Math.max(part.from, to + 1), to: part.to };
    this.#strikes = 0;
    return 'more';
  }
  async #lookAgain(missing: Span): Promise<CopyStep> {
    await this.look();
    const now = highestMissing(this.#known!.runs, this.#known!.cursor);
    return now?.to === missing.to ? this.#strike() : 'more';
  }
}

/** Hashes of the data of words, not too large, that is kept by reference. */
export function blobsIn(records: readonly LogRecord[]): string[] {
  return records.flatMap(({ type, data }) =>
    (type === 'text' || type === 'prompt') && isBlobRef(data) && data.blob.size <= BLOB_MOST ? [data.blob.sha256] : [],
  );
}
