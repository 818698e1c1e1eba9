/**
 * The store: everything durable, behind coarse, atomic operations. Each is one transaction inside the adapter; each
 * either happens whole or throws and changes nothing. What comes back is already durable.
 *
 * Any adapter must pass `test/contract/store.ts`. Rules that need a decision (what admitting, editing, promoting means)
 * are pure functions of `server/inbox`, handed in at construction (`Decisions`): the adapter reads the facts they ask for
 * inside its transaction, asks, and writes the answer.
 *
 * Refusals that a caller can be told are thrown as `CodedError`; a write under a lost claim throws `FencedError`.
 */
import type { ChunkDraft } from '#shared/chunks/explode.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import type {
  ApprovalState,
  ChunkRecord,
  Delivery,
  Effort,
  EventDataByType,
  EventType,
  LogRecord,
  Mode,
  PauseReason,
  SettledReason,
  ToolEffect,
} from '#shared/protocol/records.ts';
import type { Settings, SettingsPatch } from '#shared/protocol/requests.ts';
import type { Approval, InputState, Receipt, SessionEntry, SessionOrigin, SessionSummary, TurnMark } from '#shared/protocol/summaries.ts';

/** What one commit made visible, told to listeners after it, in commit order. */
export interface Commit {
  sessionId: string;
  records: LogRecord[];
  /** Receipts that changed, as they now are. */
  receipts: Receipt[];
  /** The session as it now is, or its tombstone. */
  session: SessionEntry;
}
export type CommitListener = (commit: Commit) => void;

export type EventDraft = { [T in EventType]: { kind: 'event'; type: T; turnId: string | null; data: EventDataByType[T] } }[EventType];
/** Rows of one seal, in the order they get their seq. */
export type RecordDraft = ({ kind: 'chunk' } & ChunkDraft) | EventDraft;

/** Proof of being a session's one runner: every write of a turn carries it. */
export interface Claim {
  sessionId: string;
  owner: string;
  fence: number;
}
export class FencedError extends Error {
  constructor(sessionId: string) {
    super(`session ${sessionId} is claimed by another runner`);
    this.name = 'FencedError';
  }
}

export interface Command {
  /** A retry with the same id gets the first answer; null: no such protection was asked for. */
  id: string | null;
  now: number;
}

export interface SessionDraft {
  id: string;
  workspace: string;
  title: string;
  model: string | null;
  effort: Effort | null;
  mode: Mode;
  /** Hash of the payload as asked for: the same again is 200, another is a conflict, also after a rename. */
  payloadHash: string;
  /** A fork: it begins with a copy of that session up to there. Absent: it begins empty. */
  origin?: SessionOrigin;
  now: number;
}
export interface SessionChange {
  title?: string;
  model?: string | null;
  effort?: Effort | null;
  mode?: Mode;
  pinned?: boolean;
  archived?: boolean;
}

export interface Admission {
  sessionId: string;
  inputId: string;
  content: ContentPart[];
  delivery: Delivery;
  /** Over session, content and the delivery asked for. */
  payloadHash: string;
  composedAt: number;
  seenSeq: number | null;
  /** undefined: no check; null: aimed at an idle session. */
  aimedTurnId: string | null | undefined;
  resume: boolean | null;
  now: number;
}
export interface Admitted {
  outcome: 'admitted' | 'same';
  receipt: Receipt;
  /** The runner's doorbell should ring. */
  wake: boolean;
}
export interface InputEdit {
  content?: ContentPart[];
  delivery?: Delivery;
  /** Place among the queued: behind this input, or first (null). */
  after?: string | null;
}

/**
 * Pure: rows to append right after a turn's prompts. `header`: the session has a `wire-header` already. `context`: the `wire`
 * words of its newest `system` chunk of kind `context`, so that changing facts are told to the model only when they changed.
 */
export type Preface = (facts: { session: SessionSummary; turnId: string; header: boolean; context: string | null }) => RecordDraft[];
export interface OpenedTurn {
  claim: Claim;
  turnId: string;
  session: SessionSummary;
  /** The prompt chunks that opened it. */
  prompts: ChunkRecord[];
}
/** A turn that a dead process left behind. */
export interface OpenTurn {
  sessionId: string;
  turnId: string;
  owner: string;
  /** How many times it was resumed already. */
  resumes: number;
}

export interface LogPage {
  records: LogRecord[];
  head: number;
  epoch: string;
}
export interface ChunkPage {
  chunks: ChunkRecord[];
  total: number;
  oldestSeq: number | null;
  /** Every chunk with `from ≤ seq < before` is in `chunks`; 1 only at the true start. */
  from: number;
}
/** `timeline` without the live part, which only the runner knows. */
export interface TimelinePage {
  session: SessionSummary;
  records: LogRecord[];
  pendingInputs: Receipt[];
  approvals: Approval[];
  head: number;
  epoch: string;
}

export interface Device {
  id: string;
  name: string;
  createdAt: number;
  seenAt: number;
  revokedAt: number | null;
}

export interface Store {
  readonly epoch: string;
  /** Told after each commit. A listener that throws is reported and changes nothing (I17). Answers its own removal. */
  onCommit(listener: CommitListener): () => void;
  close(): Promise<void>;

  // ---- sessions
  /**
   * `session-deleted` after a delete, `id-conflict` on another payload.
   *
   * With an `origin`, its chunks up to there are copied, and of its events those that the wire needs (`wire-header`,
   * `thinking-off`, `context-cut`, `compacted`): numbered anew from 1, under new ids (of a turn's chunks only the turn part, so
   * that they stay `turnId.step.phase.i`), with the seqs in them mapped, data, times and call ids as they are, large data by the
   * same reference; marks of turns too. What was pending, asked or paused there is not. A title that was not given is made from
   * the origin's. `not-found`: no such origin. `gone`: it was deleted. `conflict`: the origin ends before `seq`, or a turn of it
   * is open there. Nobody sees any of the fork before all of it is there; a long one is copied with the process free in between.
   */
  createSession(draft: SessionDraft): Promise<{ outcome: 'created' | 'same'; session: SessionSummary }>;
  /** Null: never known. */
  session(id: string): Promise<SessionEntry | null>;
  /** The newest global version. */
  version(): Promise<number>;
  /** Ascending by version, tombstones too. */
  sessionsSince(since: number, limit: number): Promise<{ sessions: SessionEntry[]; version: number; more: boolean }>;
  /** Appends the events; `stale-edit` (details: current summary) when `baseRev` is not the session's rev and a changed field differs. */
  changeSession(id: string, change: SessionChange, baseRev: number | null, command: Command): Promise<SessionSummary>;
  /** Cancels pending inputs, closes approvals, voids the claim, leaves a tombstone; also for an id never seen. */
  deleteSession(id: string, command: Command): Promise<{ turnId: string | null }>;

  // ---- inbox
  admit(admission: Admission): Promise<Admitted>;
  input(sessionId: string, inputId: string): Promise<Receipt | null>;
  editInput(sessionId: string, inputId: string, edit: InputEdit, baseRev: number | null, command: Command): Promise<Admitted>;
  /** Unknown id: leaves a tombstone, so that a late `PUT` gets the cancelled receipt. `already-promoted` once it is in the transcript. */
  cancelInput(sessionId: string, inputId: string, command: Command): Promise<Receipt>;
  /** Sessions with runnable input and no turn: not paused, not claimed. */
  runnableSessions(): Promise<string[]>;

  // ---- a turn, under its claim
  /**
   * Claims the session and opens a turn in one transaction: every pending steer by seq, else the one queued input of lowest
   * rank, becomes `prompt` chunks; `turn-started`; then the rows that `preface` asks for; status running. With nothing
   * pending, a session that `resume` armed goes on with what its failed or cut turn left (`turn-started {resumes}`).
   * Null: nothing runnable, paused, claimed or deleted.
   */
  openTurn(sessionId: string, owner: string, turnId: string, now: number, preface: Preface): Promise<OpenedTurn | null>;
  /** Takes over the turn of a dead owner, under a higher fence; appends `turn-started {resumes}` when `resumes` is true. Null: no such turn any more. */
  takeOver(
    sessionId: string,
    owner: string,
    turnId: string,
    resume: boolean,
    now: number,
  ): Promise<{ claim: Claim; session: SessionSummary; resumes: number } | null>;
  openTurns(): Promise<OpenTurn[]>;
  /** At a safe boundary: pending steers become `prompt` chunks of the turn. Empty answer: no transaction was made. */
  promoteSteers(claim: Claim, turnId: string, step: number, now: number): Promise<ChunkRecord[]>;
  /** Appends rows in one transaction. Data over `LIMITS.inlineDataBytes` becomes a blob and a reference. */
  seal(claim: Claim, rows: RecordDraft[], now: number): Promise<LogRecord[]>;
  /**
   * Ends the turn: rows, `turn-settled`, `paused` if asked and not paused already, claim released, next status; one transaction.
   * `unlessSteers`: answers `steers` and changes nothing when a steer is pending and the session is not paused.
   */
  settle(
    claim: Claim,
    turnId: string,
    end: Settlement,
    now: number,
  ): Promise<{ outcome: 'settled'; runnable: boolean } | { outcome: 'steers' }>;
  /** Appends `paused {stopped}` if a turn (that turn, if given) runs and is not paused; closes its open approvals. Null: nothing to stop. */
  stop(sessionId: string, turnId: string | null, command: Command): Promise<{ turnId: string } | null>;
  /** Appends `resumed` if paused (at `pausedSeq`, if given). `wake`: runnable input waits, or the last turn failed or was cut and can go on (which this arms). */
  resume(sessionId: string, pausedSeq: number | null, command: Command): Promise<{ resumed: boolean; wake: boolean }>;

  // ---- approvals
  askApproval(claim: Claim, ask: ApprovalAsk, now: number): Promise<Approval>;
  /** The first decision wins: the same again is `same`; another, or too late, throws `gone`. */
  decideApproval(
    sessionId: string,
    approvalId: string,
    /** `remember` is kept in the event, so that "always in this session" outlives a restart. */
    verdict: { decision: 'allow' | 'deny'; remember: boolean; by: string | null },
    command: Command,
  ): Promise<{ outcome: 'decided' | 'same'; approval: Approval }>;
  approval(approvalId: string): Promise<Approval | null>;

  // ---- reads
  log(sessionId: string, after: number, limit: number, maxBytes: number): Promise<LogPage>;
  chunks(sessionId: string, before: number | null, limit: number): Promise<ChunkPage>;
  timeline(sessionId: string, limit: number): Promise<TimelinePage>;
  turns(sessionId: string, before: number | null, limit: number): Promise<TurnMark[]>;
  /**
   * Records with their data in full, oldest first, for building the wire: all, or the first `limit`. A row that cannot be read
   * is an opaque one of type `unreadable`, as in `log`, so that whoever reads on knows where they are.
   */
  history(sessionId: string, after: number, limit?: number): Promise<LogRecord[]>;
  /** The same of one turn alone, whatever the session's length. */
  turnRecords(sessionId: string, turnId: string): Promise<LogRecord[]>;
  /** Id of the record at `seq`, or null. */
  recordId(sessionId: string, seq: number): Promise<string | null>;
  blob(sha256: string): Promise<{ mime: string; size: number; bytes: Uint8Array } | null>;

  // ---- devices and settings
  addDevice(device: { id: string; name: string; tokenHash: string; now: number }): Promise<Device>;
  /** Revoked ones too, so that the door can say so. */
  deviceByTokenHash(tokenHash: string): Promise<Device | null>;
  devices(): Promise<Device[]>;
  /** Null: no such device. */
  revokeDevice(id: string, now: number): Promise<Device | null>;
  seenDevice(id: string, now: number): Promise<void>;
  settings(): Promise<Settings>;
  changeSettings(patch: SettingsPatch, command: Command): Promise<Settings>;
}

export interface Settlement {
  reason: SettledReason;
  rows: RecordDraft[];
  pause: PauseReason | null;
  unlessSteers: boolean;
}
export interface ApprovalAsk {
  id: string;
  turnId: string;
  step: number;
  callId: string;
  name: string;
  effect: ToolEffect;
  summary: string;
}
export type { ApprovalState, InputState };
