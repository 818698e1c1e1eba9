/**
 * What a component can ask for. Handed to the tree by `main.ts` (`provide(COMMANDS, …)`), implemented by the engine.
 * Every command that changes something is durable on this device before its promise resolves, and reaches the server when it
 * can; none of them rejects for want of a network.
 */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery, Effort, Mode } from '#shared/protocol/records.ts';
import type { Settings, SettingsPatch } from '#shared/protocol/requests.ts';
import type { ModelInfo, SessionOrigin, TurnMark } from '#shared/protocol/summaries.ts';

export interface NewSession {
  workspace: string;
  title?: string;
  model?: string | null;
  effort?: Effort | null;
  mode?: Mode;
}
/** Begins with a copy of the origin's history up to `seq`, which no turn is open at. */
export interface NewFork extends NewSession {
  origin: SessionOrigin;
}
/** What is said first in a fork. */
export interface ForkPrompt {
  id: string;
  content: ContentPart[];
}
export interface SessionPatch {
  title?: string;
  model?: string | null;
  effort?: Effort | null;
  mode?: Mode;
  pinned?: boolean;
  archived?: boolean;
}
export interface FolderView {
  path: string | null;
  parent: string | null;
  folders: { name: string; path: string }[];
  recent: string[];
  /** As they were last seen: the server is not there to be asked. */
  remembered?: boolean;
}
/** Turns to jump to, ascending. `earlier`: there are older ones than these; `missing`: and they are not on this device. */
export interface TurnPage {
  turns: TurnMark[];
  earlier: boolean;
  missing: boolean;
}
/** A device that may come in. `current`: this one. */
export interface DeviceInfo {
  id: string;
  name: string;
  createdAt: number;
  seenAt: number;
  current: boolean;
}
/** Answers that need the server and have no meaning offline: `offline` says so plainly. */
export type Asked<T> = { ok: true; value: T } | { ok: false; reason: 'offline' | 'signed-out' | 'refused'; message: string };

export interface Commands {
  /** An id for a session or an input: a call site that may be entered twice makes it once and passes it both times (I33). */
  newId(): string;
  /** Makes the id (or takes it) and the outbox row; the session is in the list at once, dashed until the server has it. The same id again is the same session. */
  createSession(draft: NewSession, id?: string): Promise<string>;
  /**
   * A new session that goes on from another's history, which is not changed, with `prompt` or with nothing yet. All of it is one durable change of this device, and
   * shown at once; the history comes when the server has made it. The same ids again are the same fork (I33).
   */
  forkSession(fork: NewFork, prompt: ForkPrompt | null, id: string): Promise<void>;
  /**
   * The last seq of the turn that the record at `seq` is of: where a fork that holds it whole is cut. Null: it is still open, or
   * its end is not on this device and could not be got.
   */
  turnEnd(sessionId: string, seq: number): Promise<number | null>;
  patchSession(sessionId: string, patch: SessionPatch): Promise<void>;
  deleteSession(sessionId: string): Promise<void>;

  /** Moves the draft to the outbox in one transaction. Resolves, with the input's id, once the words are on this device's disk: only then may the composer clear. */
  send(sessionId: string, content: ContentPart[], delivery: Delivery, id?: string): Promise<string>;
  editInput(sessionId: string, inputId: string, content: ContentPart[]): Promise<void>;
  convertInput(sessionId: string, inputId: string, delivery: Delivery): Promise<void>;
  /** Behind `after`, or first among the queued. */
  moveInput(sessionId: string, inputId: string, after: string | null): Promise<void>;
  /** It was edited here and elsewhere at once: which words stay. */
  chooseEdit(sessionId: string, inputId: string, words: 'here' | 'elsewhere'): Promise<void>;
  /** Takes it back at once, as soon as the server can be told; its words stay here for a while. */
  cancelInput(sessionId: string, inputId: string): Promise<void>;
  /** The words stand there again, at their place; nothing, once they ran or were let go. */
  undoCancel(sessionId: string, inputId: string): Promise<void>;
  /** Refused, expired or orphaned: send the same words (a new id where the old one can never be accepted). */
  resendInput(sessionId: string, inputId: string): Promise<void>;
  /** Drops the row of an input that is not with the server, words and all: only after the user said so. */
  discardInput(sessionId: string, inputId: string): Promise<void>;
  /** What is told at a receipt was read. */
  dismissNote(sessionId: string, inputId: string): Promise<void>;

  stop(sessionId: string): Promise<void>;
  resume(sessionId: string): Promise<void>;
  decide(sessionId: string, approvalId: string, decision: 'allow' | 'deny', remember: boolean): Promise<void>;

  /**
   * Shows a session: window from the mirror at once, subscription when there is a link. Null: none. `at`: the seq to show, in
   * place of the tail.
   */
  open(sessionId: string | null, at?: number | null): Promise<void>;
  /** Moves the window of the open session to the chunk at `seq`, or the nearest shown one; tells the screen which (`target`). False: it is not on this device and could not be got. */
  showAt(seq: number): Promise<boolean>;
  loadOlder(): Promise<void>;
  loadNewer(): Promise<void>;
  /** The reader stands at the tail or not: decides which end of the window may be dropped. */
  atTail(at: boolean): void;
  /** Shows the newest part of the open session at once, however far up the reader is. */
  toTail(): Promise<void>;

  draft(sessionId: string): Promise<string>;
  saveDraft(sessionId: string, text: string): void;
  /** `hear`: another window of this device changed this draft. Answers how to end it. */
  watchDraft(sessionId: string, hear: (text: string) => void): () => void;

  folders(path: string | null): Promise<Asked<FolderView>>;
  models(): Promise<Asked<ModelInfo[]>>;
  /** What is set on the server for every device. */
  serverSettings(): Promise<Asked<Settings>>;
  /** Answers them as they then are. Needs the server: nothing is held here. */
  changeServerSettings(patch: SettingsPatch): Promise<Asked<Settings>>;
  /** The newest turns below `before` (null: the newest of all): from the server, or offline from what this device knows of them. */
  turns(sessionId: string, before: number | null): Promise<Asked<TurnPage>>;
  /** The whole JSON data of a chunk that is held by reference: from this device if it was fetched before, else from the server. */
  blob(sha256: string): Promise<Asked<unknown>>;
  devices(): Promise<Asked<DeviceInfo[]>>;
  /** Signs another device out, at once; what it has not handed over stays on it. */
  revokeDevice(id: string): Promise<Asked<null>>;
  signIn(token: string): Promise<Asked<null>>;
  /** Unsent words are told first by the caller: this wipes everything on this device. */
  signOut(): Promise<void>;
  /** Most sealed chunks in view on this device, as it is in force. */
  chunkLimit(): number;
  /** A setting of this device. 0 or not finite means the built-in safe maximum, never unlimited. */
  setChunkLimit(limit: number): Promise<void>;
  /** Holds the copying of older history on this device, or lets it go on. */
  pauseCopying(paused: boolean): Promise<void>;
  /** Hints about this browser that were put away, on this device. */
  hintsAway(): Promise<readonly string[]>;
  putHintAway(id: string): Promise<void>;
  /** Try the link now instead of waiting for the backoff. */
  retryLink(): void;
}
