/** What the sync rooms are handed: the network, the browser's own signals, and the screen. `main.ts` names the real ones. */
import type { LiveFold } from '#shared/chunks/fold.ts';
import type { ChunkRecord } from '#shared/protocol/records.ts';
import type { Approval } from '#shared/protocol/summaries.ts';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import type { Mirror } from '../mirror/port.ts';
import type { Own } from '../own/port.ts';
import type { ModelFacts } from './model-facts.ts';
import type { Copying } from './copying.ts';
import type { Transcript } from './transcript.ts';
import type { CopyingView, Decision, Hole, LinkView, Notice, ReceiptView, SessionRow, Target } from './views.ts';

/** The part of `fetch` that is used. */
export type Fetch = (path: string, init: FetchInit) => Promise<FetchAnswer>;
export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  signal: AbortSignal;
  cache: 'no-store';
}
export interface FetchAnswer {
  status: number;
  headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** A WebSocket that has begun to connect. */
export interface RawSocket {
  send(text: string): void;
  close(): void;
}
export type OpenSocket = (listener: SocketListener) => RawSocket;
export interface SocketListener {
  opened(): void;
  message(data: unknown): void;
  closed(code: number): void;
}

/** Flushing is for one tab at a time. Null: the browser has no Web Locks; then fences and ids alone keep it right. */
export interface Locks {
  /** Runs `task` under the lock; answers false, and runs nothing, when another tab holds it and `steal` is not set. */
  hold(name: string, steal: boolean, task: () => Promise<void>): Promise<boolean>;
  /** Resolves once nobody holds it, or when `signal` gives up. */
  freed(name: string, signal: AbortSignal): Promise<void>;
}

/** News between tabs of one device. */
export type TabNews =
  | { type: 'own' }
  | { type: 'applied'; sessionId: string }
  /** What stands in this session's composer now. */
  | { type: 'draft'; sessionId: string; text: string }
  | { type: 'wiped' }
  | { type: 'signed-in' };
export interface Channel {
  tell(news: TabNews): void;
  listen(callback: (news: TabNews) => void): void;
}

/** Signals of the page: `wake` on visible, online and pageshow; `hide` on hidden. None of them decides a state. */
export interface Page {
  visible(): boolean;
  onWake(callback: () => void): void;
  onHide(callback: () => void): void;
}

export interface TranscriptView {
  sessionId: string | null;
  chunks: readonly ChunkRecord[];
  /** Without its chunks while the window does not reach the end: they would only be held, not shown. */
  live: LiveFold | null;
  turnId: string | null;
  oldestLoadedSeq: number | null;
  newestLoadedSeq: number | null;
  total: number;
  atStart: boolean;
  atEnd: boolean;
  /** What lies above the window and is missing here; null: it can be paged, or there is nothing. */
  hole: Hole | null;
  /** Likewise below. */
  holeBelow: Hole | null;
  target: Target | null;
  /** Data of chunks kept by reference that this device has whole, by hash: what was live here does not shrink at its seal. */
  wholes: ReadonlyMap<string, unknown>;
  loadingOlder: boolean;
  loadingNewer: boolean;
  loaded: boolean;
  receipts: readonly ReceiptView[];
  approvals: readonly Approval[];
  /** Answers given on this device that the server has not heard of, by approval. */
  decisions: ReadonlyMap<string, Decision>;
}

/** No session is open. */
export const CLOSED: TranscriptView = {
  sessionId: null,
  chunks: [],
  live: null,
  turnId: null,
  oldestLoadedSeq: null,
  newestLoadedSeq: null,
  total: 0,
  atStart: false,
  atEnd: true,
  hole: null,
  holeBelow: null,
  target: null,
  wholes: new Map(),
  loadingOlder: false,
  loadingNewer: false,
  loaded: false,
  receipts: [],
  approvals: [],
  decisions: new Map(),
};

/** The stores, as sync writes them. */
export interface Screen {
  link(view: LinkView): void;
  memoryOnly(only: boolean): void;
  notice(notice: Notice): void;
  model(model: ModelFacts | null): void;
  /** Null: nothing is left to copy, or nothing can be copied now. */
  copying(view: CopyingView | null): void;
  sessions(changed: readonly SessionRow[], removed: readonly string[]): void;
  /** The mirror was read. */
  sessionsLoaded(): void;
  transcript(change: Partial<TranscriptView>): void;
  /** Everything that came from the mirror leaves the screen. */
  clear(): void;
}

export interface SyncParts {
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
  fetch: Fetch;
  /** Begins to connect to `GET /api/live`. */
  socket: OpenSocket;
  locks: Locks | null;
  channel: Channel | null;
  page: Page;
  /** Resolves when the page has nothing better to do, after `within` ms at most. */
  idle(within: number): Promise<void>;
  /** How much of the room that the browser gives is used, 0 to 1; null: it does not say. */
  roomUsed(): Promise<number | null>;
  mirror: Mirror;
  own: Own;
  screen: Screen;
  /** What shows an open session. It comes when the first one is opened: the list paints without it. */
  transcripts(): Promise<typeof Transcript>;
  /** What copies older history. It comes when the list is first in step. */
  copying(): Promise<typeof Copying>;
  /** Most sealed chunks in reactive state. */
  chunkLimit: number;
}
