/**
 * The open session: where its reader is, its live part, receipts and approvals, put on the screen as they change. Within the
 * limit at every single change (law 9).
 */
import type { LiveFold } from '#shared/chunks/fold.ts';
import type { Approval, Receipt, SessionSummary } from '#shared/protocol/summaries.ts';
import type { Report } from '#shared/ports.ts';
import type { Projections } from '../mirror/port.ts';
import type { OutboxRow } from '../own/port.ts';
import type { PagerParts } from './pager.ts';
import type { Screen } from './ports.ts';
import { ReadAhead } from './read-ahead.ts';
import { Reader } from './reader.ts';
import { decisionsIn, receiptViews } from './receipts.ts';
import type { Replica, ReplicaNews } from './replica.ts';
import type { Decision, ReceiptView } from './views.ts';
import { Wholes, type Whole } from './wholes.ts';

export interface TranscriptParts extends PagerParts {
  screen: Screen;
  report: Report;
  /** Resolves when the page has nothing better to do, after `within` milliseconds at the latest. */
  idle(within: number): Promise<void>;
  /** Most sealed chunks in the window, as it is now. */
  chunkLimit(): number;
  rows(): readonly OutboxRow[];
  isPromoted(inputId: string): boolean;
  /** Rises with each input that becomes known to be promoted. */
  promotedChanges(): number;
  /** Prompt chunks that were read from the mirror. */
  promoted(inputIds: readonly string[]): void;
  /** False while the session is made on this device only: then nothing of it is anywhere else. */
  isMade(): boolean;
  /** The link is up, and the server knows the session. */
  canLoad(): boolean;
  /** The server may still be heard of: it is, or the first try to reach it is under way. */
  mayLoad(): boolean;
  /** The link does not answer: nothing shows as working, however open it is. */
  isDoubted(): boolean;
  /** The newest words are on the screen. */
  read(sessionId: string, total: number): void;
}

export class Transcript {
  readonly sessionId: string;
  readonly #parts: TranscriptParts;
  readonly #replica: Replica;
  readonly #reader: Reader;
  readonly #ahead: ReadAhead;
  readonly #wholes = new Wholes();
  #cursor = 0;
  #summary: SessionSummary | null = null;
  #inputs: readonly Receipt[] = [];
  #approvals: readonly Approval[] = [];
  /** The window was read. */
  #painted = false;
  /** And an empty one is truly empty, or all that can be had. */
  #loaded = false;
  #closed = false;
  /** What streamed before the news at hand. */
  #lastLive: LiveFold | null;
  #readingOn = false;
  /** A seq to be shown once the log is here that far. */
  #awaited: { seq: number; come: (here: boolean) => void } | null = null;
  #receipts: {
    rows: readonly OutboxRow[];
    inputs: readonly Receipt[];
    promoted: number;
    views: readonly ReceiptView[];
    decisions: ReadonlyMap<string, Decision>;
  } | null = null;

  constructor(replica: Replica, parts: TranscriptParts) {
    this.sessionId = replica.sessionId;
    this.#replica = replica;
    this.#parts = parts;
    this.#lastLive = replica.state.live.fold;
    this.#reader = new Reader({
      mirror: parts.mirror,
      http: parts.http,
      sessionId: replica.sessionId,
      run: (task) => replica.run(task),
      cursor: () => this.#cursor,
      limit: () => parts.chunkLimit(),
      live: () => replica.state.live.fold,
      promoted: (ids) => parts.promoted(ids),
      changed: () => this.#publish(),
    });
    this.#ahead = new ReadAhead({
      sessionId: replica.sessionId,
      report: parts.report,
      idle: (within) => parts.idle(within),
      run: (task) => replica.run(task),
      more: () => this.#reader.readAhead(),
      isClosed: () => this.#closed,
      changed: () => this.#publish(),
    });
  }

  /** First paint, from the mirror: the part about `at`, else the newest. Resolves when it is known whether `at` can be shown. */
  async open(at: number | null): Promise<void> {
    this.#publish();
    await this.#replica.run(async () => {
      const now = await this.#parts.mirror.projections(this.sessionId);
      this.#cursor = Math.max(now.cursor.seq, this.#cursor);
      this.#project(now);
    });
    // What is named may be newer than this copy: then its newest is what there is to see until it comes.
    if (at !== null && at > this.#cursor && this.#cursor > 0) await this.#paintTail();
    if (at !== null && (await this.showAt(at))) this.#setLoaded();
    else if (!this.#painted || (this.#reader.follows && !this.#reader.atEnd())) await this.#paintTail();
    this.#fill();
  }
  async #paintTail(): Promise<void> {
    await this.#replica.run(async () => {
      if (this.#closed) return;
      await this.#reader.readTail();
      this.#setLoaded();
    });
  }
  #setLoaded(): void {
    this.#painted = true;
    // In step already, as one with prompts on their way is, there is nothing more to come, though there may be nothing at all.
    this.#loaded = this.#cursor > 0 || !this.#parts.canLoad() || this.#replica.state.phase === 'live';
    this.#publish();
  }
  /** True once the log is here that far, or no more of it is to be heard for now; false when the reader went elsewhere first. */
  #arrival(seq: number): Promise<boolean> {
    return new Promise((come) => (this.#awaited = { seq, come }));
  }
  #mayCome(): boolean {
    if (!this.#parts.isMade() || !this.#parts.mayLoad() || this.#replica.refused) return false;
    return !(this.#parts.canLoad() && this.#replica.state.phase === 'live');
  }
  /** The log grew, or nothing more of it is to be heard for now. */
  #lookForAwaited(): void {
    if (this.#awaited === null || (this.#awaited.seq > this.#cursor && this.#mayCome())) return;
    this.#giveUpAwaited(true);
  }
  #giveUpAwaited(here = false): void {
    this.#awaited?.come(here);
    this.#awaited = null;
  }
  close(): void {
    this.#closed = true;
    this.#reader.close();
    this.#giveUpAwaited();
  }

  /** News of the replica, in order, within its queue. */
  take(news: ReplicaNews): void {
    // Another history: what was known of the old one is no measure.
    if (news.jumped && news.now?.cursor.seq === 0) this.#summary = null;
    if (news.now !== null) this.#project(news.now);
    if (news.jumped) this.#jump(news.now?.cursor.seq ?? 0);
    else this.#goOn(news);
    this.#lookForAwaited();
  }
  #goOn({ records }: ReplicaNews): void {
    const { phase, cursor } = this.#replica.state;
    if (phase !== 'down') this.#cursor = Math.max(this.#cursor, cursor.seq);
    if (records.length > 0) {
      this.#keepWhole(this.#wholes.take(this.#lastLive, records));
      this.#reader.take(records);
    }
    this.#lastLive = this.#replica.state.live.fold;
    // Down while the link is up: the server has nothing of it.
    if (phase === 'live' || phase === 'down') this.#loaded = this.#painted;
    this.#publish();
    // Another tab has written more than was told here.
    this.#keepUp();
  }
  /** In the mirror too, so that it need not be fetched to be read again. */
  #keepWhole(fresh: readonly Whole[]): void {
    const { mirror, report } = this.#parts;
    if (fresh.length === 0) return;
    const keep = async (): Promise<void> => {
      const guard = await mirror.guard(this.sessionId);
      for (const { sha256, data } of fresh) await mirror.putBlob(guard, this.sessionId, sha256, data, 'go');
    };
    keep().catch((error: unknown) => report('transcript.whole', { sessionId: this.sessionId, error }));
  }
  /** The cursor jumped. Who follows the tail is taken along; who has scrolled up keeps what is read, unless that log is gone. */
  #jump(cursor: number): void {
    this.#cursor = cursor;
    this.#lastLive = null;
    const dropped = cursor === 0;
    if (dropped) {
      this.#reader.clear();
      this.#wholes.clear();
      this.#loaded = false;
    } else if ((this.#reader.follows || this.#reader.window.chunks.length === 0) && !this.#isOnItsWay()) {
      void this.#paintTail().then(() => this.#fill());
      return;
    } else this.#loaded = this.#painted;
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
    this.#reader.clear();
    this.#wholes.clear();
    this.#summary = null;
    this.#inputs = [];
    this.#approvals = [];
    this.#cursor = 0;
    this.#loaded = true;
    this.#publish();
    this.#giveUpAwaited();
  }
  /** The outbox changed, the link did, or the limit. */
  refresh(): void {
    if (!this.#parts.canLoad()) this.#loaded = this.#painted;
    else this.#reader.retry();
    this.#publish();
    this.#lookForAwaited();
  }
  /** An answer changed what the mirror holds of inputs and approvals. */
  async reproject(): Promise<void> {
    await this.#replica.run(async () => {
      this.#project(await this.#parts.mirror.projections(this.sessionId));
      this.#publish();
    });
  }
  /** Another tab wrote to the mirror while this one has no link. */
  async catchUp(): Promise<void> {
    await this.#replica.run(async () => {
      const now = await this.#parts.mirror.projections(this.sessionId);
      if (this.#closed) return;
      this.#cursor = Math.max(this.#cursor, now.cursor.seq);
      this.#project(now);
      await this.#reader.readOn();
      this.#publish();
    });
    this.#lookForAwaited();
  }
  /** To a place that was named, which decides what is read. */
  #isOnItsWay(): boolean {
    return this.#awaited !== null || this.#reader.jumping;
  }
  /** Who follows the tail is never left behind it. */
  #keepUp(): void {
    const isBehind = this.#painted && this.#reader.follows && !this.#reader.atEnd();
    if (!isBehind || this.#readingOn || this.#isOnItsWay()) return;
    this.#readingOn = true;
    void this.#replica.run(async () => {
      this.#readingOn = false;
      if (this.#isOnItsWay()) return;
      await this.#reader.readOn();
      this.#publish();
    });
  }

  atTail(at: boolean): void {
    if (!at) this.#giveUpAwaited();
    this.#reader.at(at);
    this.#publish();
  }
  async toTail(): Promise<void> {
    this.#giveUpAwaited();
    await this.#reader.toTail();
    this.#fill();
  }
  /** The window around the chunk at `seq`, or the nearest shown one. False: it is not here and could not be got. */
  async showAt(seq: number): Promise<boolean> {
    this.#giveUpAwaited();
    if (seq > this.#cursor && this.#mayCome() && !(await this.#arrival(seq))) return false;
    const exists = seq <= (this.#summary?.head ?? 0);
    const shown = !(exists && seq > this.#cursor) && (await this.#reader.showAt(seq));
    if (!shown) this.#keepUp();
    return shown;
  }
  loadOlder(): Promise<void> {
    return this.#reader.older();
  }
  loadNewer(): Promise<void> {
    return this.#reader.newer();
  }
  /** Less than a screen, with more to be had: a page is loaded unasked. What the window has room for besides comes at idle. */
  #fill(): void {
    this.#ahead.begin();
    const isWanted = this.#cursor > 0 && this.#reader.isShort() && !this.#atStart();
    if (isWanted && (this.#parts.canLoad() || this.#reader.window.chunks.length === 0)) void this.#reader.older();
  }

  #project(now: Projections): void {
    if (now.summary !== null && !isOlder(now.summary, this.#summary)) this.#summary = now.summary;
    this.#inputs = now.inputs;
    this.#approvals = now.approvals;
  }
  /** Nothing mirrored looks like an empty log: only the server's word makes it one (law 10). */
  #atStart(): boolean {
    const { from, to } = this.#reader.window;
    if (from !== 1) return false;
    if (to > 0) return true;
    return this.#summary === null ? !this.#parts.isMade() : this.#summary.head === 0;
  }

  /** The same array while nothing of it changed: a streaming answer must not redraw the receipts. */
  #own(): { views: readonly ReceiptView[]; decisions: ReadonlyMap<string, Decision> } {
    const rows = this.#parts.rows();
    const promoted = this.#parts.promotedChanges();
    const held = this.#receipts;
    if (held !== null && held.rows === rows && held.inputs === this.#inputs && held.promoted === promoted) return held;
    const facts = { sessionId: this.sessionId, rows, pending: this.#inputs, isPromoted: (id: string) => this.#parts.isPromoted(id) };
    const decisions = held?.rows === rows ? held.decisions : decisionsIn(this.sessionId, rows);
    const own = { rows, inputs: this.#inputs, promoted, views: receiptViews(facts), decisions };
    this.#receipts = own;
    return own;
  }

  #publish(): void {
    if (this.#closed) return;
    const { sessionId } = this;
    const reader = this.#reader;
    reader.fit();
    const inStep = this.#replica.state.phase === 'live' || this.#replica.state.phase === 'replaying';
    const total = this.#summary?.total ?? 0;
    const missing = !this.#parts.canLoad() && this.#cursor === 0 && (this.#summary?.head ?? 0) > 0;
    const { chunks } = reader.window;
    const own = this.#own();
    this.#parts.screen.transcript({
      sessionId,
      chunks,
      live: reader.live,
      turnId: inStep && !this.#parts.isDoubted() ? (this.#summary?.turnId ?? null) : null,
      oldestLoadedSeq: chunks[0]?.seq ?? null,
      newestLoadedSeq: chunks.at(-1)?.seq ?? null,
      total,
      atStart: this.#atStart(),
      atEnd: reader.atEnd(),
      hole: missing ? { from: 1, to: this.#summary?.head ?? 1 } : reader.hole,
      holeBelow: reader.holeBelow,
      target: reader.target,
      wholes: this.#wholes.view,
      loadingOlder: reader.loadingOlder,
      loadingNewer: reader.loadingNewer,
      loaded: this.#loaded,
      receipts: own.views,
      approvals: this.#approvals,
      decisions: own.decisions,
    });
    if (this.#loaded && reader.follows && reader.atEnd()) this.#parts.read(sessionId, total);
  }
}

/** Whether `summary` knows less than `held`. A summary that records were projected onto keeps its version and has a higher head. */
function isOlder(summary: SessionSummary, held: SessionSummary | null): boolean {
  return held !== null && (summary.head < held.head || (summary.head === held.head && summary.version < held.version));
}
