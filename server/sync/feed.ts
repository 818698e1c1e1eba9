/**
 * One subscription: a session's log from a cursor, then live, without gap or repeat (law 8). Three phases:
 *
 * 1. backfill: pages of the log, each waiting until the one before has left, so that a slow client holds back its own
 *    replay and no memory. Commits are not looked at: the log will have them.
 * 2. cut-over: commits are held while one snapshot is read. What the snapshot does not hold follows from the held ones; then,
 *    in the same tick, `caught-up` and what is live.
 * 3. live: commits and live frames as they come. A record is sent when its seq is above the last one sent, and never else.
 *
 * Knows no socket: frames go to a link.
 */
import { isTombstone, type LiveSnapshot } from '#shared/protocol/summaries.ts';
import { LIMITS, PAGE_RECORDS } from '#shared/protocol/limits.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { LiveSource } from '../runner/port.ts';
import type { Store } from '../store/port.ts';
import { encode, type EncodedCommit, recordFrames } from './encode.ts';

/** Further behind than this a client is told to load the newest instead of being replayed everything. */
export const REPLAY_RECORDS = 5000;
/** Commits held during a cut-over; past it the client is told to load the newest. */
const HELD_COMMITS = 256;

export interface FeedLink {
  /** Hands a frame to the network at once. */
  send(bytes: Buffer): void;
  /** The same; resolves once it has left this process, or the socket is gone. */
  flush(bytes: Buffer): Promise<void>;
}
export type FeedStore = Pick<Store, 'epoch' | 'session' | 'log' | 'timeline' | 'recordId'>;
export interface FeedParts {
  store: FeedStore;
  live: Pick<LiveSource, 'snapshot'>;
  link: FeedLink;
  /** Missed records up to which they are replayed. */
  replayRecords?: number | undefined;
  /** The subscription has ended by itself: after `reset`, `gap`, or the session's deletion. */
  over(subscription: Subscription): void;
  /** A commit was missed: call `resume` when the socket's turn comes. */
  behind(subscription: Subscription): void;
}
/** How far a client says it has come. */
export interface Cursor {
  sessionId: string;
  epoch: string | null;
  after: number;
  lastId: string | null;
}

export class Subscription {
  readonly sessionId: string;
  readonly #parts: FeedParts;
  readonly #cursor: Cursor;
  #phase: 'backfill' | 'cut-over' | 'live' | 'over' = 'backfill';
  /** Seq of the last record sent. */
  #sent: number;
  #held: EncodedCommit[] = [];

  constructor(cursor: Cursor, parts: FeedParts) {
    this.sessionId = cursor.sessionId;
    this.#cursor = cursor;
    this.#sent = cursor.after;
    this.#parts = parts;
  }

  /** From the cursor to live. Rejects when the store fails: the socket is then of no use. */
  async run(): Promise<void> {
    if (await this.#cursorHolds()) await this.resume();
  }

  /** From what was sent last to live. */
  async resume(): Promise<void> {
    this.#phase = this.#ended() ? 'over' : 'backfill';
    if (!this.#ended() && (await this.#backfill())) await this.#cutOver();
  }

  /** Ends without a word: the client or its socket asked for it. */
  end(): void {
    this.#phase = 'over';
    this.#held = [];
  }

  /** Ends because the session is no more, which the client was told. */
  deleted(): void {
    if (!this.#ended()) this.#over();
  }

  commit(commit: EncodedCommit): void {
    if (this.#phase === 'live') this.#forward(commit, true);
    else if (this.#phase === 'cut-over' && this.#held.length <= HELD_COMMITS) this.#held.push(commit);
  }

  liveFrame(bytes: Buffer): void {
    // Before the cut-over the snapshot has them.
    if (this.#phase === 'live') this.#parts.link.send(bytes);
  }

  /** Whether the cursor is a place in this log; else says what the client is to do, and ends. */
  async #cursorHolds(): Promise<boolean> {
    const { store, link } = this.#parts;
    const { epoch, after, lastId } = this.#cursor;
    if (epoch !== null && epoch !== store.epoch) return this.#reset();
    const entry = await store.session(this.sessionId);
    if (this.#ended()) return false;
    if (entry !== null && isTombstone(entry)) {
      link.send(encode({ type: 'session', summary: entry }));
      return this.#over();
    }
    if (after > 0) {
      // With neither an epoch nor an id nothing shows that the cursor is of this history.
      const id = await store.recordId(this.sessionId, after);
      if (this.#ended()) return false;
      if (id === null || (lastId === null ? epoch === null : lastId !== id)) return this.#reset();
    }
    if (entry !== null && entry.head - after > (this.#parts.replayRecords ?? REPLAY_RECORDS)) return this.#gap(entry.head);
    return true;
  }

  // ---- phase 1

  /** Replays to the head as it was at the last look. */
  async #backfill(): Promise<boolean> {
    const known = await this.#parts.store.session(this.sessionId);
    return known === null || isTombstone(known) || this.#replayTo(known.head);
  }

  async #replayTo(head: number): Promise<boolean> {
    for (let goal = head; this.#sent < goal;) {
      const page = await this.#parts.store.log(this.sessionId, this.#sent, LIMITS.recordsPerPage, LIMITS.logPageBytes);
      if (this.#ended()) return false;
      if (page.records.length === 0) throw new Error(`the log of ${this.sessionId} ends at ${this.#sent}, before its head`);
      await this.#replay(wholePages(page.records, goal));
      if (this.#ended()) return false;
      // A replay takes time: what was committed meanwhile is replayed too, so that the cut-over is short.
      if (this.#phase === 'backfill') goal = page.head;
    }
    return !this.#ended();
  }

  async #replay(records: readonly LogRecord[]): Promise<void> {
    for (const frame of recordFrames(this.sessionId, records)) {
      this.#sent = frame.last;
      await this.#parts.link.flush(frame.bytes);
      if (this.#ended()) return;
    }
  }

  // ---- phase 2

  async #cutOver(): Promise<void> {
    const { store, live, link } = this.#parts;
    this.#held = [];
    this.#phase = 'cut-over';
    const entry = await store.session(this.sessionId);
    if (this.#ended()) return;
    // A session that is made later starts with an empty log: its first commit will find the subscription live.
    if (entry !== null && isTombstone(entry)) return void this.#over();
    const page = entry === null ? null : await store.timeline(this.sessionId, 1);
    if (this.#ended()) return;
    if (page !== null && !(await this.#replayTo(page.head))) return;

    // From here to the end is one tick: nothing can be committed or streamed between these frames.
    const held = this.#held;
    this.#held = [];
    if (held.length > HELD_COMMITS) return void this.#gap(Math.max(page?.head ?? 0, this.#sent));
    for (const receipt of page?.pendingInputs ?? []) link.send(encode({ type: 'input', sessionId: this.sessionId, receipt }));
    this.#phase = 'live';
    for (const commit of held) this.#forward(commit, page === null || commit.version >= page.session.version);
    if (!this.#isLive()) return;
    link.send(encode({ type: 'caught-up', sessionId: this.sessionId, head: this.#sent }));
    link.send(encode(snapshotFrame(this.sessionId, live.snapshot(this.sessionId))));
  }

  // ---- phase 3

  /** Sends what of a commit was not sent. `receipts`: they are newer than the snapshot that was. */
  #forward(commit: EncodedCommit, receipts: boolean): void {
    const { link } = this.#parts;
    if (commit.records.length > 0 && commit.records.at(-1)!.seq > this.#sent) {
      for (const frame of commit.frames()) {
        if (frame.last <= this.#sent) continue;
        if (frame.first > this.#sent + 1) {
          this.#phase = 'backfill';
          return this.#parts.behind(this);
        }
        if (frame.first === this.#sent + 1) link.send(frame.bytes);
        else {
          const rest = commit.records.filter((record) => record.seq > this.#sent && record.seq <= frame.last);
          for (const part of recordFrames(this.sessionId, rest)) link.send(part.bytes);
        }
        this.#sent = frame.last;
      }
    }
    // A fork is made with its history, which no commit tells record by record.
    if (commit.head > this.#sent) {
      this.#phase = 'backfill';
      return this.#parts.behind(this);
    }
    if (receipts) for (const bytes of commit.inputs()) link.send(bytes);
  }

  // ---- ends

  #ended(): boolean {
    return this.#phase === 'over';
  }
  #isLive(): boolean {
    return this.#phase === 'live';
  }
  #reset(): false {
    this.#parts.link.send(encode({ type: 'reset', sessionId: this.sessionId, epoch: this.#parts.store.epoch }));
    return this.#over();
  }
  #gap(head: number): false {
    this.#parts.link.send(encode({ type: 'gap', sessionId: this.sessionId, head }));
    return this.#over();
  }
  #over(): false {
    this.end();
    this.#parts.over(this);
    return false;
  }
}

/**
 * What is to be followed by more ends where a page of the client's mirror does: half a page would be written as single records,
 * and packed once more with the next frame. Records that reach no such end, or `goal`, go as they are.
 */
function wholePages(records: readonly LogRecord[], goal: number): readonly LogRecord[] {
  const last = records.at(-1)!.seq;
  const end = last - (last % PAGE_RECORDS);
  return last >= goal || end < records[0]!.seq ? records : records.slice(0, end - last || undefined);
}

function snapshotFrame(sessionId: string, snapshot: LiveSnapshot | null) {
  return snapshot === null
    ? { type: 'live-snapshot' as const, sessionId, turnId: null }
    : { type: 'live-snapshot' as const, sessionId, ...snapshot };
}
