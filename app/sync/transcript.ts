/**
 * The open session: its window over the mirror, its live part, receipts and approvals, put on the screen as they change. All
 * changes of the window run in the replica's queue, so that no read of the mirror misses an apply.
 */
import { frozen } from '#shared/plain.ts';
import type { LiveFold } from '#shared/chunks/fold.ts';
import type { Approval, Receipt, SessionSummary } from '#shared/protocol/summaries.ts';
import type { Projections } from '../mirror/port.ts';
import type { OutboxRow } from '../own/port.ts';
import { Pager, type PagerParts } from './pager.ts';
import type { Screen } from './ports.ts';
import { receiptViews } from './receipts.ts';
import type { Replica, ReplicaNews } from './replica.ts';
import type { Hole, ReceiptView, Target } from './views.ts';
import {
  append,
  dropNewest,
  dropOldest,
  emptyWindow,
  extend,
  newestOf,
  oldestOf,
  prepend,
  windowOf,
  type Stretch,
  type Window,
} from './window.ts';

export interface TranscriptParts extends PagerParts {
  screen: Screen;
  /** Most sealed chunks in the window, as it is now. */
  chunkLimit(): number;
  rows(): readonly OutboxRow[];
  isPromoted(inputId: string): boolean;
  /** How many are known to be promoted: rises with each. */
  promotedCount(): number;
  /** Prompt chunks that were read from the mirror. */
  promoted(inputIds: readonly string[]): void;
  /** False while the session is made on this device only: then nothing of it is anywhere else. */
  isMade(): boolean;
  /** The link is up, and the server knows the session. */
  canLoad(): boolean;
  /** The newest words are on the screen. */
  read(sessionId: string, total: number): void;
}
/** Shown chunks of the first paint, and of one page. */
const FIRST = 80;
const PAGE = 60;
/** Fewer than this after an open, with more to be had: a page is loaded unasked. */
const SCREENFUL = 20;

export class Transcript {
  readonly sessionId: string;
  readonly #parts: TranscriptParts;
  readonly #replica: Replica;
  readonly #pager: Pager;
  #window: Window = emptyWindow(0);
  #cursor = 0;
  #summary: SessionSummary | null = null;
  #inputs: readonly Receipt[] = [];
  #approvals: readonly Approval[] = [];
  #atTail = true;
  #hole: Hole | null = null;
  #holeBelow: Hole | null = null;
  #target: Target | null = null;
  #loadingOlder = false;
  #loadingNewer = false;
  #loaded = false;
  #closed = false;
  #receipts: { rows: readonly OutboxRow[]; inputs: readonly Receipt[]; promoted: number; views: readonly ReceiptView[] } | null = null;

  constructor(replica: Replica, parts: TranscriptParts) {
    this.sessionId = replica.sessionId;
    this.#replica = replica;
    this.#pager = new Pager(parts, replica.sessionId);
    this.#parts = parts;
  }

  /** First paint from the mirror. */
  async open(): Promise<void> {
    this.#publish();
    await this.#replica.run(async () => {
      this.#project(await this.#parts.mirror.projections(this.sessionId));
      await this.#readTail();
      this.#loaded = this.#cursor > 0 || !this.#parts.canLoad();
      this.#publish();
    });
    this.#fill();
  }
  close(): void {
    this.#closed = true;
  }

  /** News of the replica, in order, within its queue. */
  take(news: ReplicaNews): void {
    // Another history: what was known of the old one is no measure.
    if (news.jumped && news.now?.cursor.seq === 0) this.#summary = null;
    if (news.now !== null) this.#project(news.now);
    if (news.jumped) return this.#jump(news);
    if (news.records.length > 0) {
      const records = news.records.map((record) => frozen(record));
      this.#window = append(this.#window, records, this.#room(), this.#atTail);
    }
    this.#evictForLive();
    // Down while the link is up: the server has nothing of it.
    if (this.#replica.state.phase === 'live' || this.#replica.state.phase === 'down') this.#loaded = true;
    this.#publish();
  }
  /** The list heard of a session: what is shown of this one is never older. */
  told(summary: SessionSummary): void {
    if (summary.id !== this.sessionId || isOlder(summary, this.#summary)) return;
    this.#summary = summary;
    this.#publish();
  }
  /** The session was deleted: what is shown of it goes; own words stay where they stand. */
  gone(): void {
    this.#window = emptyWindow(0);
    this.#summary = null;
    this.#inputs = [];
    this.#approvals = [];
    this.#cursor = 0;
    this.#hole = null;
    this.#loaded = true;
    this.#publish();
  }
  /** The outbox changed, or the link did. */
  refresh(): void {
    if (!this.#parts.canLoad()) this.#loaded = true;
    else this.#hole = null;
    this.#publish();
  }
  /** Another tab wrote to the mirror while this one has no link. */
  async catchUp(): Promise<void> {
    await this.#replica.run(async () => {
      const now = await this.#parts.mirror.projections(this.sessionId);
      const next = await this.#parts.mirror.readAfter(this.sessionId, this.#window.to, this.#parts.chunkLimit());
      this.#project(now);
      if (next.records.length > 0) this.#window = append(this.#window, next.records.map(frozen), this.#room(), this.#atTail);
      this.#publish();
    });
  }

  atTail(at: boolean): void {
    this.#atTail = at;
    if (!at || !this.#atEnd()) return;
    this.#evictForLive();
    this.#publish();
  }
  async toTail(): Promise<void> {
    this.#atTail = true;
    await this.#replica.run(async () => {
      if (!this.#atEnd()) await this.#readTail();
      this.#publish();
    });
  }
  /** The window around the chunk at `seq`. False: it is not here and could not be got. */
  async showAt(seq: number): Promise<boolean> {
    const wanted = Math.max(1, Math.min(seq, this.#cursor));
    const above = await this.#pager.older(wanted + 1, this.#page());
    if (above.stretch.from > wanted) return false;
    const below = await this.#pager.newer(wanted, this.#cursor, this.#page());
    await this.#replica.run(async () => {
      const top = cold(newestOf(above.stretch, this.#page()));
      this.#atTail = false;
      this.#window = extend(windowOf(top, this.#parts.chunkLimit()), cold(oldestOf(below.stretch, this.#page())), this.#parts.chunkLimit());
      this.#hole = above.missing;
      this.#holeBelow = below.missing;
      const chunk = this.#window.chunks.findLast((at) => at.seq <= wanted) ?? this.#window.chunks[0];
      if (chunk !== undefined) this.#target = { chunkId: chunk.id, seq: chunk.seq, nonce: (this.#target?.nonce ?? 0) + 1 };
      this.#publish();
    });
    return true;
  }
  async loadOlder(): Promise<void> {
    // Above seq 1 is nothing to ask for, also while only the server could say that it is the start.
    if (this.#loadingOlder || this.#window.from === 1) return;
    this.#loadingOlder = true;
    this.#publish();
    try {
      const { stretch, missing } = await this.#pager.older(this.#window.from, this.#page());
      this.#notePrompts(stretch);
      await this.#replica.run(async () => {
        this.#window = prepend(this.#window, cold(newestOf(stretch, this.#page())), this.#parts.chunkLimit());
        this.#hole = missing;
      });
    } finally {
      this.#loadingOlder = false;
      this.#publish();
    }
  }
  async loadNewer(): Promise<void> {
    if (this.#loadingNewer || this.#atEnd()) return;
    this.#loadingNewer = true;
    this.#publish();
    try {
      const { stretch, missing } = await this.#pager.newer(this.#window.to, this.#cursor, this.#page());
      await this.#replica.run(async () => {
        this.#window = extend(this.#window, cold(oldestOf(stretch, this.#page())), this.#parts.chunkLimit());
        this.#holeBelow = missing;
      });
    } finally {
      this.#loadingNewer = false;
      this.#publish();
    }
  }

  /** The cursor jumped. A reader at the tail follows; one who has scrolled up keeps what is read, unless that log is gone. */
  #jump(news: ReplicaNews): void {
    const dropped = news.now !== null && news.now.cursor.seq === 0;
    if (dropped) {
      this.#window = emptyWindow(0);
      this.#loaded = false;
    }
    this.#hole = null;
    void this.#replica.run(async () => {
      if (this.#atTail || this.#window.chunks.length === 0) await this.#readTail();
      if (!dropped) this.#loaded = true;
      this.#publish();
    });
    this.#publish();
    if (!dropped) this.#fill();
  }
  async #readTail(): Promise<void> {
    const stretch = await this.#parts.mirror.readBefore(this.sessionId, this.#cursor + 1, Math.min(FIRST, this.#parts.chunkLimit()));
    this.#notePrompts(stretch);
    this.#window = windowOf(cold(stretch), this.#room());
  }
  #fill(): void {
    void this.#replica.run(async () => {
      if (this.#cursor > 0 && this.#window.chunks.length < SCREENFUL && !this.#atStart() && this.#parts.canLoad()) void this.loadOlder();
    });
  }
  #notePrompts(stretch: Stretch): void {
    this.#parts.promoted(stretch.records.filter((record) => record.type === 'prompt').map(({ id }) => id));
  }
  #project(now: Projections): void {
    this.#cursor = Math.max(now.cursor.seq, now.cursor.seq === 0 ? 0 : this.#cursor);
    if (now.summary !== null && !isOlder(now.summary, this.#summary)) this.#summary = now.summary;
    this.#inputs = now.inputs;
    this.#approvals = now.approvals;
  }

  /** Never so many that what is being read would be pushed out at the other end. */
  #page(): number {
    return Math.max(1, Math.min(PAGE, Math.floor(this.#parts.chunkLimit() / 2)));
  }
  #atEnd(): boolean {
    return this.#window.to >= this.#cursor;
  }
  /** Nothing mirrored looks like an empty log: only the server's word makes it one (law 10). */
  #atStart(): boolean {
    if (this.#window.from !== 1) return false;
    if (this.#window.to > 0) return true;
    return this.#summary === null ? !this.#parts.isMade() : this.#summary.head === 0;
  }
  /** Sealed chunks that fit beside the completed live ones. */
  #room(): number {
    const live = this.#replica.state.live.fold;
    const completed = live === null ? 0 : live.chunks.filter(({ open }) => !open).length;
    return Math.max(0, this.#parts.chunkLimit() - completed);
  }
  #evictForLive(): void {
    if (!this.#atEnd()) return;
    const room = this.#room();
    this.#window = this.#atTail ? dropOldest(this.#window, room) : dropNewest(this.#window, Math.max(room, this.#parts.chunkLimit() / 2));
  }
  /** Past the limit even without sealed chunks, the completed leading ones go; they come back at the seal. */
  #shownLive(): LiveFold | null {
    const live = this.#replica.state.live.fold;
    if (live === null) return null;
    let over = live.chunks.filter(({ open }) => !open).length - this.#parts.chunkLimit();
    if (over <= 0) return live;
    const firstOpen = live.chunks.findIndex(({ open }) => open);
    over = firstOpen === -1 ? over : Math.min(over, firstOpen);
    return { ...live, chunks: live.chunks.slice(over) };
  }

  /** The same array while nothing of it changed: a streaming answer must not redraw the receipts. */
  #receiptViews(): readonly ReceiptView[] {
    const rows = this.#parts.rows();
    const promoted = this.#parts.promotedCount();
    const held = this.#receipts;
    if (held !== null && held.rows === rows && held.inputs === this.#inputs && held.promoted === promoted) return held.views;
    const facts = { sessionId: this.sessionId, rows, pending: this.#inputs, isPromoted: (id: string) => this.#parts.isPromoted(id) };
    this.#receipts = { rows, inputs: this.#inputs, promoted, views: receiptViews(facts) };
    return this.#receipts.views;
  }

  #publish(): void {
    if (this.#closed) return;
    const { sessionId } = this;
    const inStep = this.#replica.state.phase === 'live' || this.#replica.state.phase === 'replaying';
    const total = this.#summary?.total ?? 0;
    const missing = !this.#parts.canLoad() && this.#cursor === 0 && (this.#summary?.head ?? 0) > 0;
    this.#parts.screen.transcript({
      sessionId,
      chunks: this.#window.chunks,
      live: this.#shownLive(),
      turnId: inStep ? (this.#summary?.turnId ?? null) : null,
      oldestLoadedSeq: this.#window.chunks[0]?.seq ?? null,
      newestLoadedSeq: this.#window.chunks.at(-1)?.seq ?? null,
      total,
      atStart: this.#atStart(),
      atEnd: this.#atEnd(),
      holeBelow: this.#holeBelow,
      target: this.#target,
      hole: missing ? { from: 1, to: this.#summary?.head ?? 1 } : this.#hole,
      loadingOlder: this.#loadingOlder,
      loadingNewer: this.#loadingNewer,
      loaded: this.#loaded,
      receipts: this.#receiptViews(),
      approvals: this.#approvals,
    });
    if (this.#loaded && this.#atEnd() && this.#atTail) this.#parts.read(sessionId, total);
  }
}

/** Whether `summary` knows less than `held`. A summary that records were projected onto keeps its version and has a higher head. */
function isOlder(summary: SessionSummary, held: SessionSummary | null): boolean {
  return held !== null && (summary.head < held.head || (summary.head === held.head && summary.version < held.version));
}

/** Sealed data is frozen at every depth, so that nothing ever makes it reactive. */
function cold(stretch: Stretch): Stretch {
  return { ...stretch, records: stretch.records.map((record) => frozen(record)) };
}
