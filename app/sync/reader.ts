/**
 * Where the reader is: the window, which end of it may give way, and the pages that are on their way to it. Whatever moves the window
 * elsewhere gives up the pages that were asked for before: an answer is only ever joined to the window that asked.
 */
import type { LiveFold } from '#shared/chunks/fold.ts';
import { frozen } from '#shared/plain.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import { bare, completedIn, newestLive, steadyLive } from './live-view.ts';
import { Pager, STALE, type Paged, type PagerParts } from './pager.ts';
import { promptsIn } from './promoted.ts';
import type { Hole, Target } from './views.ts';
import {
  append,
  dropOldest,
  emptyWindow,
  extend,
  newestOf,
  oldestOf,
  prepend,
  shrink,
  windowOf,
  type Stretch,
  type Window,
} from './window.ts';

export interface ReaderParts extends PagerParts {
  sessionId: string;
  /** Runs in the replica's queue, so that no read of the mirror misses an apply. */
  run<T>(task: () => Promise<T>): Promise<T>;
  /** How far the log is applied here. */
  cursor(): number;
  /** Most sealed chunks in the window, as it is now. */
  limit(): number;
  live(): LiveFold | null;
  /** Prompt chunks that were read. */
  promoted(inputIds: readonly string[]): void;
  /** Something of this changed. */
  changed(): void;
}
/** Shown chunks of the first paint, and of one page. */
const FIRST = 80;
const PAGE = 60;
/** With so many, a page is shown without waiting for the server's next. */
const ENOUGH = 20;

export class Reader {
  window: Window = emptyWindow(0);
  /** What of the live part is on the screen. */
  live: LiveFold | null = null;
  hole: Hole | null = null;
  holeBelow: Hole | null = null;
  target: Target | null = null;
  /** The newest is followed as it comes. */
  follows = true;
  readonly #parts: ReaderParts;
  readonly #pager: Pager;
  /** Stands at the lower end of what there is to scroll, by the list's last word. */
  #below = true;
  /** The seq that the reader was last known to be at. */
  #near = Infinity;
  #older: AbortController | null = null;
  #newer: AbortController | null = null;
  #jump: AbortController | null = null;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
    this.#pager = new Pager(parts, parts.sessionId);
  }

  get loadingOlder(): boolean {
    return this.#older !== null;
  }
  get loadingNewer(): boolean {
    return this.#newer !== null;
  }
  /** A chunk that was named is being looked for. */
  get jumping(): boolean {
    return this.#jump !== null;
  }
  atEnd(): boolean {
    return this.window.to >= this.#parts.cursor();
  }

  /** The log is another one, or gone. */
  clear(): void {
    this.#leave();
    this.window = emptyWindow(0);
    this.target = null;
    this.follows = true;
    this.#near = Infinity;
  }
  /** Nothing of this is waited for any more. */
  close(): void {
    this.#leave();
  }
  #leave(): void {
    for (const asked of [this.#older, this.#newer, this.#jump]) asked?.abort();
    this.#older = null;
    this.#newer = null;
    this.#jump = null;
    this.hole = null;
    this.holeBelow = null;
  }

  /** What was missing may be had by now. */
  retry(): void {
    this.hole = null;
    this.holeBelow = null;
  }

  /** Within the limit, whatever changed: sealed chunks, live ones, the limit itself. What the reader looks at goes last. */
  fit(): void {
    const limit = this.#parts.limit();
    const live = this.#parts.live();
    if (this.follows) this.window = dropOldest(this.window, this.#atTail() ? limit - completedIn(live) : limit);
    else this.window = shrink(this.window, this.#near, limit);
    const room = limit - this.window.chunks.length;
    if (live === null) this.live = null;
    else if (!this.atEnd()) this.live = bare(live);
    else this.live = this.follows ? newestLive(live, room) : steadyLive(live, this.live, room);
  }
  #atTail(): boolean {
    return this.follows && this.atEnd();
  }

  /** Records that were applied, in order. Who follows sees the newest; who has scrolled up keeps what is there, and the rest is below. */
  take(records: readonly LogRecord[]): void {
    const limit = this.#parts.limit();
    const cold = records.map((record) => frozen(record));
    if (this.follows) {
      this.window = append(this.window, cold, limit, true);
      return;
    }
    const still = new Set(this.#parts.live()?.chunks.map(({ id }) => id));
    const stays = this.live?.chunks.reduce((sum, { id }) => sum + (still.has(id) ? 1 : 0), 0) ?? 0;
    this.window = append(this.window, cold, limit - stays, false);
  }

  /** The list's word on where its reader stands. */
  at(below: boolean): void {
    this.#below = below;
    if (!below && this.#atTail()) {
      // All that is live has its place from now on, so that what completes pushes nothing out.
      this.window = dropOldest(this.window, this.#parts.limit() - (this.live?.chunks.length ?? 0));
      this.#near = this.window.to;
    }
    if (!below) this.follows = false;
    else this.#followAtEnd();
  }
  #followAtEnd(): void {
    if (!this.#below || !this.atEnd()) return;
    this.follows = true;
    this.#near = Infinity;
  }

  async toTail(): Promise<void> {
    this.#leave();
    this.#below = true;
    this.follows = true;
    this.#near = Infinity;
    this.#parts.changed();
    await this.#parts.run(async () => {
      if (this.follows && !this.atEnd()) await this.readTail();
    });
    this.#parts.changed();
  }
  /** Within the queue: the newest part, as it is mirrored. */
  async readTail(): Promise<void> {
    const { mirror, sessionId } = this.#parts;
    const stretch = await mirror.readBefore(sessionId, this.#parts.cursor() + 1, Math.min(FIRST, this.#parts.limit()));
    this.#leave();
    this.#note(stretch.records);
    this.window = windowOf(cold(stretch), this.#parts.limit());
  }
  /** Within the queue: the mirror has more than was told here. */
  async readOn(): Promise<void> {
    if (this.atEnd()) return;
    const { mirror, sessionId } = this.#parts;
    const after = this.window.to;
    const { records } = await mirror.readAfter(sessionId, after, this.#parts.limit());
    if (this.window.to !== after) return;
    this.take(records.filter(({ seq }) => seq <= this.#parts.cursor()));
    if (this.follows && !this.atEnd()) await this.readTail();
  }

  /** Within the queue: one page more of what the mirror holds above, while the tail is followed. False: there is none, or no room. */
  async readAhead(): Promise<boolean> {
    const before = this.window.from;
    const chunks = Math.min(PAGE, this.#roomAbove());
    if (!this.#atTail() || before === 1 || chunks === 0 || this.window.chunks.length === 0) return false;
    const stretch = await this.#parts.mirror.readBefore(this.#parts.sessionId, before, chunks);
    if (stretch.from === before) return false;
    // Another page was joined meanwhile: the next round begins above that.
    if (this.window.from !== before) return true;
    this.#note(stretch.records);
    this.window = prepend(this.window, cold(newestOf(stretch, Math.min(chunks, this.#roomAbove()))), this.#parts.limit());
    return this.window.from !== before;
  }

  async older(): Promise<void> {
    // Above seq 1 is nothing to ask for, also while only the server could say that it is the start.
    const before = this.window.from;
    if (this.#older !== null || before === 1 || this.#roomAbove() === 0) return;
    const asked = new AbortController();
    this.#older = asked;
    if (!this.follows) this.#near = before;
    this.#parts.changed();
    try {
      const paged = await this.#pager.older(before, this.#wanted(), asked.signal);
      if (paged !== STALE && !asked.signal.aborted && this.window.from === before) this.#join(paged, 'older');
    } finally {
      if (this.#older === asked) this.#older = null;
      this.#parts.changed();
    }
  }
  async newer(): Promise<void> {
    const after = this.window.to;
    if (this.#newer !== null || this.atEnd()) return;
    const asked = new AbortController();
    this.#newer = asked;
    if (!this.follows) this.#near = after;
    this.#parts.changed();
    try {
      const paged = await this.#pager.newer(after, this.#parts.cursor(), this.#wanted(), asked.signal);
      if (paged !== STALE && !asked.signal.aborted && this.window.to === after) this.#join(paged, 'newer');
    } finally {
      if (this.#newer === asked) this.#newer = null;
      this.#parts.changed();
    }
  }
  #join({ stretch, missing }: Paged, side: 'older' | 'newer'): void {
    this.#note(stretch.records);
    if (side === 'older') {
      this.window = prepend(this.window, cold(newestOf(stretch, Math.min(this.#page(), this.#roomAbove()))), this.#parts.limit());
      this.hole = missing;
    } else {
      this.window = extend(this.window, cold(oldestOf(stretch, this.#page())), this.#parts.limit());
      this.holeBelow = missing;
      this.#followAtEnd();
    }
  }

  /** The window about the chunk at `seq`, or the nearest shown one. False: it is not here and could not be got; then nothing has changed. */
  async showAt(seq: number): Promise<boolean> {
    this.#jump?.abort();
    if (this.#parts.cursor() === 0) return false;
    const asked = new AbortController();
    this.#jump = asked;
    try {
      const wanted = Math.max(1, Math.min(Math.floor(seq) || 1, this.#parts.cursor()));
      const around = await this.#pager.around(wanted, this.#parts.cursor(), this.#page(), asked.signal);
      if (around === null || asked.signal.aborted) return false;
      const { above, below } = around;
      const limit = this.#parts.limit();
      const top = windowOf(cold(newestOf(above.stretch, this.#page())), limit);
      const window = extend(top, cold(oldestOf(below.stretch, this.#page())), limit);
      const chunk = nearest(window, wanted);
      if (chunk === null) return false;
      this.#leave();
      this.#note(window.chunks);
      this.window = window;
      this.hole = above.missing;
      this.holeBelow = below.missing;
      this.follows = false;
      this.#below = false;
      this.#near = chunk.seq;
      this.target = { chunkId: chunk.id, seq: chunk.seq, nonce: (this.target?.nonce ?? 0) + 1 };
      this.#parts.changed();
      return true;
    } finally {
      if (this.#jump === asked) this.#jump = null;
    }
  }

  /** Chunks that an older page may add: for who follows the tail never so many that the tail would give way. */
  #roomAbove(): number {
    if (!this.#atTail()) return Infinity;
    return Math.max(0, this.#parts.limit() - completedIn(this.#parts.live()) - this.window.chunks.length);
  }
  /** Never so many that what is being read would be pushed out at the other end. */
  #page(): number {
    return Math.max(1, Math.min(PAGE, Math.floor(this.#parts.limit() / 2)));
  }
  #wanted(): { chunks: number; least: number } {
    const chunks = this.#page();
    return { chunks, least: Math.min(ENOUGH, chunks) };
  }
  #note(records: readonly LogRecord[]): void {
    this.#parts.promoted(promptsIn(records));
  }
  /** Too few for a screen, and more to be had. */
  isShort(): boolean {
    return this.window.from > 1 && this.window.chunks.length < ENOUGH;
  }
}

function nearest(window: Window, seq: number): { id: string; seq: number } | null {
  const above = window.chunks.findLast((chunk) => chunk.seq <= seq) ?? null;
  const below = window.chunks.find((chunk) => chunk.seq > seq) ?? null;
  if (above === null || below === null) return above ?? below;
  return seq - above.seq <= below.seq - seq ? above : below;
}

/** Sealed data is frozen at every depth, so that nothing ever makes it reactive. */
function cold(stretch: Stretch): Stretch {
  return { ...stretch, records: stretch.records.map((record) => frozen(record)) };
}
