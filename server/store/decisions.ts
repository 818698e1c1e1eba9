/**
 * Every rule that needs judgement about inputs, as pure functions of facts. The adapter reads the facts inside its
 * transaction, asks, and writes the answer; `server/inbox` holds the answers. So any adapter keeps the same rules, and
 * the rules are tested without a database.
 */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { ErrorCode } from '#shared/protocol/errors.ts';
import type { Delivery } from '#shared/protocol/records.ts';
import type { InputState } from '#shared/protocol/summaries.ts';
import type { Admission, InputEdit } from './port.ts';

/** A refusal that the caller is told as a `CodedError`; it changes nothing. */
export interface Refusal {
  kind: 'refuse';
  code: ErrorCode;
  message: string;
}

/** Of a session that exists. */
export interface SessionFacts {
  head: number;
  /** The turn in flight, or null. */
  turnId: string | null;
  /** Seq of the `paused` event in force, or null. */
  pausedSeq: number | null;
}

/** A pending input, without its words. */
export interface Waiting {
  id: string;
  seq: number;
  delivery: Delivery;
  rank: number;
  /** Admitted into an idle session with `resume: false`: opens no turn by itself, but runs with the first thing that does. */
  held: boolean;
}

export interface AdmitFacts {
  admission: Admission;
  session: SessionFacts;
  /** The input that has this id already; `payloadHash` null: a tombstone of one that never arrived. */
  known: { sessionId: string; payloadHash: string | null; state: InputState; held: boolean } | null;
  /** The id is that of a record that is no prompt of a known input (I3). */
  taken: boolean;
  /** Pending inputs of the session. */
  pending: number;
}
export type AdmitDecision =
  | Refusal
  /** Nothing is written: the receipt as it now is. */
  | { kind: 'same'; wake: boolean }
  /** `resumes`: a pause ends with it. */
  | { kind: 'admit'; delivery: Delivery; held: boolean; resumes: boolean; wake: boolean };

export interface EditFacts {
  edit: InputEdit;
  baseRev: number | null;
  input: { id: string; state: InputState; delivery: Delivery; rev: number; content: ContentPart[]; held: boolean };
  /** The session's pending queued inputs by rank, the edited one among them if it is queued. */
  queued: { id: string; rank: number }[];
  /** State of the input that `edit.after` names; null: none named, or never seen in this session. */
  afterState: InputState | null;
  session: SessionFacts;
}
export type EditDecision =
  | Refusal
  | { kind: 'same' }
  /** `ranks`: every input whose rank changes, the edited one too if it does. */
  | {
      kind: 'edit';
      content: ContentPart[];
      delivery: Delivery;
      held: boolean;
      ranks: { id: string; rank: number }[];
      wake: boolean;
    };

export type CancelDecision = Refusal | { kind: 'same' } | { kind: 'cancel' } | { kind: 'tombstone' };

export interface PromotionFacts {
  /** `idle`: a turn would open. `boundary`: before a step of a running turn. */
  at: 'idle' | 'boundary';
  paused: boolean;
  /** `resume` armed the session to go on with its failed or cut turn. */
  armed: boolean;
  waiting: readonly Waiting[];
}
export interface Promotion {
  /** Ids, in the order they become prompts. */
  inputs: string[];
  /** Opens a turn that goes on with the failed or cut one, with no prompt. */
  goesOn: boolean;
}

export interface Decisions {
  decideAdmit(facts: AdmitFacts): AdmitDecision;
  decideEdit(facts: EditFacts): EditDecision;
  decideCancel(state: InputState | null): CancelDecision;
  /** Nothing to promote: no inputs, `goesOn` false. */
  choosePromotions(facts: PromotionFacts): Promotion;
}
