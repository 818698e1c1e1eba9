/** What the stores hold beside the server's own shapes: states that only this device knows. */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';

/**
 * The stage of an input that is not in the transcript yet (DESIGN 4):
 * `held` on this device · `sending` · `steer` or `queued`: accepted · `refused` · `expired`: send anyway? · `cancelled` ·
 * `unknown`: attempted, now being looked up · `orphaned`: its session was deleted, or the server was restored without it.
 */
export type Stage = 'held' | 'sending' | 'steer' | 'queued' | 'refused' | 'expired' | 'cancelled' | 'unknown' | 'orphaned';

export interface ReceiptView {
  id: string;
  sessionId: string;
  content: readonly ContentPart[];
  delivery: Delivery;
  stage: Stage;
  /** Held: n-th of `of` waiting here. Queued: n-th in the run order of the session. Else null. */
  place: number | null;
  of: number | null;
  /** Tries so far, counting this one while sending. */
  tries: number;
  /** Refused or orphaned: the server's words, and its code. */
  reason: string | null;
  code: string | null;
  composedAt: number;
  /** Where it stands: exactly one place for each. */
  lane: 'transcript' | 'tray';
  /** The server has it, and does not wake for it: it runs with the next prompt. */
  asleep: boolean;
  /** What its author had seen; null: it was not written here. */
  seenSeq: number | null;
  /** An edit, move or cancel of it is held here and not yet with the server. */
  changeHeld: boolean;
  /** Words of an edit that is not with the server yet. */
  heldContent: readonly ContentPart[] | null;
  /** Being taken back; cancelled, by the user of this device: it can be undone. */
  undoable: boolean;
  /** It was edited here and elsewhere at once: the words of here, to choose from. Its own are those of elsewhere. */
  conflict: readonly ContentPart[] | null;
  note: ReceiptNote | null;
}
/** `other-turn`: a steer that was queued, since another turn ran · `not-moved`, `not-turned`: the change came too late for that. */
export type ReceiptNote = 'other-turn' | 'not-moved' | 'not-turned';

export type LinkKind = 'connecting' | 'catching-up' | 'live' | 'offline' | 'signed-out' | 'update-needed' | 'server-old';
export interface LinkView {
  kind: LinkKind;
  /** While it is not up: when the server last spoke, by its own clock; null: not known. */
  since: number | null;
  /** Connecting: which try. */
  tries: number;
  /** Catching up: records still to come. */
  left: number;
  /** Commands waiting on this device, and how many of them are prompts. */
  held: number;
  prompts: number;
  /** How far the server's clock is ahead of this device's, as last heard; null: not known. */
  skew: number | null;
  /** The server is another process than a moment ago: when that started, by its own clock. */
  restartedAt: number | null;
}

export interface SessionRow {
  summary: SessionSummary;
  /** Made on this device and not with the server yet. */
  heldHere: boolean;
  /** The server would not make it, in its own words; null: it will, or did. */
  notMade: string | null;
  /** The server has no such session: words that were written for it are all that is left. */
  gone: boolean;
  /** A change of it waits on this device. */
  changeHeld: boolean;
  /** Inputs waiting on this device. */
  heldInputs: number;
  unread: boolean;
  /** The summary is the server's word of now; else it is what was last seen, at `summary.updatedAt`. */
  fresh: boolean;
}

/** A stretch of the log that is not on this device, both ends included. */
export interface Hole {
  from: number;
  to: number;
}

/** A chunk that the reader asked to see: its row is brought into view and marked, once for each `nonce`. */
export interface Target {
  chunkId: string;
  seq: number;
  nonce: number;
}

/** Copying the history to this device, newest first. */
export interface CopyingView {
  sessionId: string;
  title: string;
  /** Records of this session that are here, of as many as it has. */
  done: number;
  of: number;
  /** `full`: the browser gives no more room. `paused`: the user held it. */
  state: 'running' | 'paused' | 'full';
}

/** An answer to an approval, given here. */
export interface Decision {
  readonly decision: 'allow' | 'deny';
  readonly remember: boolean;
  /** The server has it, and this page has not heard since what followed. */
  readonly heard?: boolean;
}

/** Told once, until dismissed. */
export interface Notice {
  id: string;
  tone: 'plain' | 'mist' | 'attn' | 'bad';
  strong: string;
  text: string;
  /** What can be done about it at once. */
  act?: 'reload';
}
