/**
 * Own work: what was written on this device and is not with the server yet. Never evicted, strictly durable. Adapters:
 * IndexedDB (`indexeddb.ts`) and memory (`memory.ts`).
 */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import type { Aside } from './aside.ts';
import type { NewSessionBody, SessionPatchBody } from './bodies.ts';

/** Format of a row. A worker or tab that does not know it leaves the row for one that does. */
export const FORMAT = 1;

/** What is known of an input that is being cancelled. */
export interface Kept {
  content: ContentPart[];
  delivery: Delivery;
  /** Its admission's place, and in the queue the one that it stands behind (null: it is the first). */
  seq: number;
  after: string | null;
  /** The id that its words go under when the cancel is undone after all: always the same, so that they go once. */
  againId: string;
}

/** What a command asks of the server. */
export type Command =
  | { kind: 'create'; body: NewSessionBody }
  | {
      kind: 'input';
      content: ContentPart[];
      delivery: Delivery;
      /** What the author had seen: the cursor's seq. */
      seenSeq: number;
      /** Absent: no check. Null: an idle session. */
      aimedTurnId?: string | null;
      /** Stands for one that was cancelled, and goes only once that one certainly will not run. */
      replaces?: string;
      /** Where it stood in the queue: behind this one, or first. */
      after?: string | null;
    }
  /** `base`: the words that were there when `content` was written. */
  | {
      kind: 'edit';
      inputId: string;
      content?: ContentPart[];
      delivery?: Delivery;
      after?: string | null;
      baseRev?: number;
      base?: readonly ContentPart[];
    }
  /** `kept`: what it takes to undo it; absent once it was undone. */
  | { kind: 'cancel'; inputId: string; kept?: Kept }
  /** `base`: what was there, of what it changes. */
  | { kind: 'patch'; patch: SessionPatchBody; base?: SessionPatchBody }
  | { kind: 'delete' }
  | { kind: 'stop'; turnId: string }
  | { kind: 'resume'; pausedSeq: number }
  | { kind: 'decide'; approvalId: string; decision: 'allow' | 'deny'; remember: boolean };
export type CommandKind = Command['kind'];

/**
 * `held`: waits here. `sending`: a request is out. `unknown`: attempted, now being looked up. `acked` (inputs only): the
 * server has it, its chunk is not mirrored yet. `refused`, `expired`, `orphaned`, `cancelled`: waits for the user. `cancelled`
 * of a cancel: it is done, and can be undone for a while.
 */
export type RowState = 'held' | 'sending' | 'unknown' | 'acked' | 'refused' | 'expired' | 'orphaned' | 'cancelled';

export interface OutboxRow {
  v: number;
  /** Input id, session id of a create, else the command's id. For life. */
  id: string;
  /** First in, first out. Two rows never have the same. */
  order: number;
  sessionId: string;
  command: Command;
  state: RowState;
  /** This device's clock, and how far the server's was ahead of it then (null: not known). */
  composedAt: number;
  skew: number | null;
  /** Epoch under which it was first attempted; null: never. */
  attempted: string | null;
  /** Requests made so far. */
  tries: number;
  /**
   * Refused or orphaned: the server's code and words. Else what the user is told of it: `other-turn`, a steer that was admitted
   * as queue; `cancelled-here`, taken back by the user of this device.
   */
  code: string | null;
  reason: string | null;
  /** The user said: send anyway. Its age is asked no more. */
  confirmed: boolean;
}
export type NewRow = Omit<OutboxRow, 'v' | 'order' | 'state' | 'attempted' | 'tries' | 'code' | 'reason' | 'confirmed'>;
export type RowPatch = Partial<Omit<OutboxRow, 'v' | 'id' | 'sessionId' | 'composedAt' | 'skew'>>;

/** The server's last word: when, by this device's clock, and how far the server's was known to be ahead (null: not known). */
export interface Good {
  at: number;
  skew: number | null;
}
/** Small facts of this device that are no secret. */
export interface Facts {
  /** The mark of a database that was made here and never wiped; null: kept in memory, or emptied on purpose. */
  made: string;
  /** This device's id, as the server gave it. */
  device: string;
  /** The latest time that this device's clock has shown. */
  clock: number;
  /** Milliseconds that the server's clock was ahead when last heard. */
  skew: number;
  /** When the link was last known good. */
  good: Good;
  /** Hints about this browser that the user has put away. */
  hintsAway: readonly string[];
  /** What the server last said to questions that a choice is made from, the newest last. */
  answers: readonly { path: string; value: unknown }[];
  /** Most sealed chunks in view, as the user set it; null or absent: the default. */
  chunkLimit: number;
  /** The user holds the copying of older history. */
  copyingPaused: boolean;
}

export interface Own {
  readonly durable: boolean;
  /** In order; rows of a format not known here are left out. */
  rows(): Promise<OutboxRow[]>;
  /** One transaction: the row in, the draft of that session out. The same id again changes nothing and answers the row held. */
  add(row: NewRow, clearDraft: boolean): Promise<OutboxRow>;
  /** One transaction: all of them, in this order. Ids that are there already change nothing. */
  addAll(rows: readonly NewRow[]): Promise<void>;
  /** `only`: no change unless the row is in one of these states. `fence`: nor unless it is the newest given. Answers whether it happened. */
  change(id: string, patch: RowPatch, only?: { states?: readonly RowState[]; fence?: number }): Promise<boolean>;
  /** One transaction: `old` out, `row` in at the same place. */
  replace(old: string, row: NewRow): Promise<void>;
  /** `states`: only those that are in one of these. */
  remove(ids: readonly string[], states?: readonly RowState[]): Promise<void>;
  /** The right to flush: voids every earlier fence, and rows left in `sending` wait again with no try counted. */
  claim(): Promise<number>;

  draft(sessionId: string): Promise<string>;
  saveDraft(sessionId: string, text: string): Promise<void>;

  fact<K extends keyof Facts>(key: K): Promise<Facts[K] | null>;
  setFact<K extends keyof Facts>(key: K, value: Facts[K]): Promise<void>;
  /** One transaction: what was kept aside joins what is here. The same again changes nothing. */
  merge(aside: Aside): Promise<void>;
  /** The user's own sign-out, once warned: everything goes. */
  wipe(): Promise<void>;
  close(): void;
}
