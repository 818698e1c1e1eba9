/**
 * The whole history comes down to this device while nobody needs the page: first the newest records of the newest sessions, then
 * all of the open one, then the others, those in the archive last. One request at a time, in one tab of a device. It stops while
 * the link is down, the user holds it, nothing outlives this window, or room runs out, and goes on from what is here.
 */
import { backoff } from '#shared/backoff.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import { CopyingShown } from './copying-shown.ts';
import type { WatchedHttp } from './http.ts';
import type { Screen, SyncParts } from './ports.ts';
import { blobsIn, SessionCopy, type CopyStep } from './session-copy.ts';
import type { CopyingView } from './views.ts';

type Given = 'mirror' | 'own' | 'clock' | 'timers' | 'random' | 'report' | 'locks' | 'channel' | 'idle' | 'roomUsed';
export interface CopyingParts extends Pick<SyncParts, Given> {
  http: WatchedHttp;
  screen: Pick<Screen, 'copying'>;
  newestFirst(): SessionSummary[];
  openId(): string | null;
  /** Subscribed: its replica keeps its end. */
  isReplicated(sessionId: string): boolean;
  isUp(): boolean;
  applied(sessionId: string, records: readonly LogRecord[]): void;
}
const LOCK = 'cairn-copy';
/** Sessions whose newest records come before all else. */
const FIRST = 20;
/** Milliseconds: after news of other sessions; until another tab's copying is looked after; that a busy page may delay a step. */
const SOON = 10_000;
const LOOK_AFTER = 15_000;
const IDLE_WITHIN = 1_000;
const RETRY = { base: 1_000, cap: 5 * 60_000 };
/** Share of the browser's room that may be used, and the steps between two looks at it. */
const ROOM = 0.8;
const STEPS_PER_LOOK = 16;
/** Lots of fresh records that may wait for their blobs; what does not fit is fetched when it is read. */
const FRESH = 64;

interface Next {
  copy: SessionCopy;
  summary: SessionSummary;
  take(): Promise<CopyStep>;
}

export class Copying {
  readonly #parts: CopyingParts;
  readonly #shown: CopyingShown;
  readonly #copies = new Map<string, SessionCopy>();
  /** Sessions that are here whole, by the cursor up to which. */
  readonly #done = new Map<string, number>();
  readonly #odd = new Set<string>();
  #fresh: { sessionId: string; records: readonly LogRecord[] }[] = [];
  /** Void once the copying under way has to end. */
  #running: AbortController | null = null;
  #again = false;
  #paused = false;
  #full = false;
  #failed = 0;
  #planned = false;
  #wake: () => void = () => undefined;

  constructor(parts: CopyingParts) {
    this.#parts = parts;
    this.#shown = new CopyingShown(parts);
  }

  /** The list is the server's word of now: what failed, was odd, or found no room, may be so no more. */
  run(): void {
    this.#odd.clear();
    this.#failed = 0;
    this.#full = false;
    this.#wake();
    this.#start();
  }
  /** There is news, of which more may come at once. */
  soon(): void {
    this.#startIn(SOON);
  }
  /** Records of a session came into the mirror, by whatever way. */
  applied(sessionId: string, records: readonly LogRecord[]): void {
    const [first, last] = [records[0], records.at(-1)];
    if (first === undefined || last === undefined) return;
    if (blobsIn(records).length > 0) this.#fresh = [...this.#fresh.slice(1 - FRESH), { sessionId, records }];
    const reached = this.#done.get(sessionId);
    const goesOn = reached !== undefined && first.seq <= reached + 1;
    if (goesOn) this.#done.set(sessionId, Math.max(reached, last.seq));
    else this.#done.delete(sessionId);
    this.#copies.get(sessionId)?.applied(first.seq, last.seq);
    if (this.#running === null && (!goesOn || this.#fresh.length > 0)) this.soon();
  }
  /** The cursor of a session jumped, or its log was dropped. */
  jumped(sessionId: string): void {
    this.#done.delete(sessionId);
    this.#copies.get(sessionId)?.forget();
    if (this.#running === null) this.soon();
  }
  /** The user's word, for every tab and from now on. */
  async pause(paused: boolean): Promise<void> {
    await this.#parts.own.setFact('copyingPaused', paused);
    this.#parts.channel?.tell({ type: 'own' });
    await this.recall();
  }
  /** Another tab may have been told. */
  async recall(): Promise<void> {
    const paused = (await this.#parts.own.fact('copyingPaused')) === true;
    if (paused === this.#paused) return;
    this.#paused = paused;
    if (paused) this.#stop();
    this.#shown.held(paused);
    this.#start();
  }
  /** The mirror is another one, or nobody's any more. */
  reset(): void {
    this.#stop();
    this.#copies.clear();
    this.#done.clear();
    this.#odd.clear();
    this.#fresh = [];
    this.#shown.put(null);
  }

  #stop(): void {
    this.#running?.abort();
    this.#wake();
  }
  #startIn(ms: number): void {
    if (this.#planned) return;
    this.#planned = true;
    this.#parts.timers.after(ms, () => {
      this.#planned = false;
      this.#start();
    });
  }
  #start(): void {
    this.#again = this.#running !== null;
    if (this.#again) return;
    const running = new AbortController();
    this.#running = running;
    this.#hold(running.signal)
      .catch((error: unknown) => {
        // The disk, most likely: later it may do, and the next start looks at what is here.
        this.#parts.report('copying.run', { error });
        for (const copy of this.#copies.values()) copy.forget();
        this.#startIn(backoff(this.#failed++, RETRY, this.#parts.random));
      })
      .finally(() => {
        this.#running = null;
        if (this.#again) this.#start();
      });
  }
  #goesOn(signal: AbortSignal): boolean {
    return !signal.aborted && this.#parts.isUp() && this.#parts.mirror.durable;
  }

  async #hold(signal: AbortSignal): Promise<void> {
    const { locks, own, random } = this.#parts;
    this.#paused = (await own.fact('copyingPaused')) === true;
    if (!this.#goesOn(signal)) return;
    if (this.#paused) return this.#showHeld(signal);
    if (locks === null) return this.#all(signal);
    const held = await locks.hold(LOCK, false, () => this.#all(signal));
    if (!held) this.#startIn(LOOK_AFTER * (1 + random.unit()));
  }
  /** What would come next, while nothing may. */
  async #showHeld(signal: AbortSignal): Promise<void> {
    const next = await this.#unfinished(this.#inOrder().slice(0, FIRST), signal);
    this.#shown.put(next && viewOf(next, 'paused'));
  }
  async #all(signal: AbortSignal): Promise<void> {
    for (let steps = 0; this.#goesOn(signal); steps++) {
      if (steps % STEPS_PER_LOOK === 0) this.#full ||= ((await this.#parts.roomUsed()) ?? 0) > ROOM;
      const next = (await this.#fromFirst(signal)) ?? (await this.#unfinished(this.#inOrder(), signal));
      if (!this.#goesOn(signal)) break;
      this.#shown.put(next && viewOf(next, this.#full ? 'full' : 'running'));
      if (next === null || this.#full) return;
      await this.#took(await next.take(), next, signal);
    }
    if (!this.#paused) this.#shown.put(null);
  }
  async #took(step: CopyStep, { copy, summary }: Next, signal: AbortSignal): Promise<void> {
    if (step === 'full') this.#full = true;
    else if (step === 'odd') {
      this.#parts.report('copying.odd', { sessionId: summary.id });
      this.#odd.add(summary.id);
      this.#copies.delete(summary.id);
    } else if (step === 'trouble') {
      if (this.#goesOn(signal)) await this.#wait(backoff(this.#failed++, RETRY, this.#parts.random));
    } else {
      this.#failed = 0;
      if (step === 'done') this.#finished(copy);
    }
  }
  #finished(copy: SessionCopy): void {
    this.#done.set(copy.sessionId, copy.cursor());
    this.#copies.delete(copy.sessionId);
  }
  #wait(ms: number): Promise<void> {
    return new Promise<void>((resolve) => {
      const cancel = this.#parts.timers.after(ms, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
  }

  /** The open one, then those that changed last; those in the archive come last. */
  #inOrder(): SessionSummary[] {
    const openId = this.#parts.openId();
    const rank = ({ id, archived }: SessionSummary): number => (id === openId ? 0 : archived ? 2 : 1);
    return this.#parts
      .newestFirst()
      .filter(({ id }) => !this.#odd.has(id))
      .toSorted((a, b) => rank(a) - rank(b));
  }
  /** What many want at once: words of fresh records, and the newest records of the newest sessions. */
  async #fromFirst(signal: AbortSignal): Promise<Next | null> {
    const order = this.#inOrder();
    const fresh = this.#fresh[0];
    const about = order.find(({ id }) => id === fresh?.sessionId);
    if (fresh !== undefined && about !== undefined) {
      const copy = this.#copyOf(about.id, signal);
      const take = async (): Promise<CopyStep> => {
        if (!(await copy.blobsOf(fresh.records))) return 'trouble';
        this.#fresh = this.#fresh.filter((other) => other !== fresh);
        return 'more';
      };
      return { copy, summary: about, take };
    }
    this.#fresh = this.#fresh.slice(1);
    for (const summary of order.filter(({ archived }) => !archived).slice(0, FIRST)) {
      const copy = await this.#looked(summary, signal);
      if (copy?.isBehind(summary.head) === true) return { copy, summary, take: () => copy.newest() };
    }
    return null;
  }
  async #unfinished(order: readonly SessionSummary[], signal: AbortSignal): Promise<Next | null> {
    for (const summary of order) {
      const copy = await this.#looked(summary, signal);
      if (copy === null) continue;
      if (copy.isMissing(summary.head)) return { copy, summary, take: () => copy.step(summary.head) };
      this.#finished(copy);
    }
    return null;
  }
  /** Null: it is here whole, or nothing is to be looked at any more. */
  async #looked({ id, head }: SessionSummary, signal: AbortSignal): Promise<SessionCopy | null> {
    const reached = this.#done.get(id);
    if (signal.aborted || (reached !== undefined && (reached >= head || this.#parts.isReplicated(id)))) return null;
    const copy = this.#copyOf(id, signal);
    if (!copy.isLooked()) {
      await this.#parts.idle(IDLE_WITHIN);
      await copy.look();
    }
    return copy;
  }
  #copyOf(sessionId: string, signal: AbortSignal): SessionCopy {
    const { mirror, http, idle, isReplicated, applied } = this.#parts;
    const known = this.#copies.get(sessionId);
    if (known !== undefined) return known.under(signal);
    const leisure = async (): Promise<void> => {
      await idle(IDLE_WITHIN);
      await http.quiet();
    };
    const copy = new SessionCopy(sessionId, { mirror, http, leisure, isReplicated, applied }, signal);
    this.#copies.set(sessionId, copy);
    return copy;
  }
}

function viewOf({ copy, summary }: Next, state: CopyingView['state']): CopyingView {
  return { sessionId: summary.id, title: summary.title, ...copy.progress(), state };
}
