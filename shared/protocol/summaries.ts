/** What the server says about sessions, inputs and approvals beside the log itself. */
import type { ContentPart } from './content.ts';
import type { ApprovalState, Delivery, Effort, LogRecord, Mode, PauseReason, SessionStatus, ToolEffect } from './records.ts';

/** Where a fork was cut: the session it was copied from, and the last record of it that was copied (0: nothing). */
export interface SessionOrigin {
  sessionId: string;
  seq: number;
}
export interface SessionSummary {
  id: string;
  title: string;
  workspace: string;
  /** Null: the server's default model at the time of the turn. */
  model: string | null;
  effort: Effort | null;
  mode: Mode;
  status: SessionStatus;
  /** The turn in flight, or null. */
  turnId: string | null;
  /** Set while the queue is paused, also while the turn that was stopped is still settling. */
  paused: { seq: number; reason: PauseReason } | null;
  /** The last seq given, and the number of shown chunks (all but `usage`). */
  head: number;
  total: number;
  /** From one global counter, drawn at each change of anything here. */
  version: number;
  /** Rises with title, model, effort, mode, pinned and archived only: what `baseRev` is held against. */
  rev: number;
  pinned: boolean;
  archived: boolean;
  createdAt: number;
  updatedAt: number;
  /** First characters of the newest shown words, for the list. */
  lastWords: string;
  /** Of a fork; null, or absent where an older version said it: it is none. The session named may be deleted by now. */
  origin?: SessionOrigin | null;
}
export interface SessionTombstone {
  id: string;
  deleted: true;
  version: number;
}
export type SessionEntry = SessionSummary | SessionTombstone;
export function isTombstone(entry: SessionEntry): entry is SessionTombstone {
  return 'deleted' in entry;
}

export type InputState = 'pending' | 'promoted' | 'cancelled';
export interface Receipt {
  id: string;
  sessionId: string;
  /** The admitted event's seq; 0 for a tombstone of an input that never arrived. */
  seq: number;
  state: InputState;
  delivery: Delivery;
  content: ContentPart[];
  /** Order among queued inputs: lowest first. */
  rank: number;
  rev: number;
  composedAt: number;
  /** Seq of its `prompt` chunk once promoted. */
  promotedSeq: number | null;
  /** Admitted without waking: in an idle session it runs with the next prompt. Absent: it is not. */
  held?: true;
}
export interface Approval {
  id: string;
  sessionId: string;
  turnId: string;
  step: number;
  callId: string;
  name: string;
  effect: ToolEffect;
  /** One line: the command, or the path. */
  summary: string;
  state: ApprovalState;
  askedAt: number;
}
export interface TurnMark {
  turnId: string;
  seq: number;
  createdAt: number;
  words: string;
}
export interface ModelInfo {
  id: string;
  name: string;
  /** Efforts the model takes; empty: none to choose. */
  efforts: Effort[];
}

export interface Timeline {
  session: SessionSummary;
  records: LogRecord[];
  pendingInputs: Receipt[];
  approvals: Approval[];
  live: LiveSnapshot | null;
  head: number;
  epoch: string;
}

/** One chunk that is not sealed: the id it will be sealed under, and no seq. */
export interface LiveChunk {
  id: string;
  /** Its place in its phase. */
  i: number;
  role: 'assistant' | 'tool';
  type: string;
  data: unknown;
  /** More of it may come. */
  open: boolean;
}
export type Phase = 'message' | 'tools';
export interface LiveSnapshot {
  turnId: string;
  step: number;
  attempt: number;
  phase: Phase;
  /** Number of the last frame folded in. */
  n: number;
  /** The live part follows this seq: a client waits with it until its cursor is there. */
  afterSeq: number;
  /** Hash of the base URL that is streaming, from the attempt's `step-start`; absent: none was told. A signed thinking block needs it. */
  source?: string;
  /** The wait before the next attempt, while it lasts. */
  retry?: { at: number; reason: string };
  chunks: LiveChunk[];
}
