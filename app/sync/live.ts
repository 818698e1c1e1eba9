/**
 * The live part of one session: a snapshot, then numbered frames, folded. Pure. Nothing here is ever stored: a reload asks
 * for a new snapshot.
 */
import { emptyFold, fold, foldOfSnapshot, sameKey, type LiveFold, type LiveKey } from '#shared/chunks/fold.ts';
import type { DownFrame, LiveSnapshotFrame } from '#shared/protocol/frames.ts';
import { isEvent, type LogRecord } from '#shared/protocol/records.ts';
import type { Phase } from '#shared/protocol/summaries.ts';

export type LiveFrame = Extract<DownFrame, { type: 'live' }>;
export interface LiveState {
  /** A snapshot came since the last subscribe: before that, frames mean nothing. */
  known: boolean;
  fold: LiveFold | null;
  /** Number of the last frame folded in. */
  n: number;
  /** How far the log has sealed what streamed: what is told of that again, late, streams no more. */
  done: Done | null;
  /** A snapshot whose `afterSeq` the cursor has not reached, and the frames that came after it. */
  waiting: { snapshot: LiveSnapshotFrame & { turnId: string }; frames: readonly LiveFrame[] } | null;
}
/** Of a turn: all before this phase of this step, and the phase itself if it is a message. */
export interface Done {
  turnId: string;
  step: number;
  phase: Phase;
  /** Results of this step that are sealed. */
  results: readonly string[];
  /** The turn before, of which nothing streams any more. */
  before: string | null;
}
export const NO_LIVE: LiveState = { known: false, fold: null, n: 0, done: null, waiting: null };

/** Asked for a new snapshot: until it comes, what was live stays in view, and grows no more. */
export function unknown(state: LiveState): LiveState {
  return { ...state, known: false, waiting: null };
}
/** The link is gone: nothing is live, and what was sealed stays sealed. */
export function silent(state: LiveState): LiveState {
  return { ...NO_LIVE, done: state.done };
}

/** Takes a snapshot; one that is ahead of the cursor waits, and what was in view stays until then. */
export function takeSnapshot(state: LiveState, frame: LiveSnapshotFrame, cursor: number): LiveState {
  const none: LiveState = { known: true, fold: null, n: 0, done: state.done, waiting: null };
  // Told again: what streams since is further. Where nothing is live any more, the log has said so before.
  if (frame.turnId === null) return state.known && state.waiting === null ? state : none;
  if (isOver(state, frame) || (state.known && state.fold !== null && sameKey(state.fold, frame) && frame.n <= state.n)) {
    return { ...state, known: true };
  }
  if (frame.afterSeq > cursor) return { ...none, fold: state.fold, waiting: { snapshot: frame, frames: [] } };
  return { ...none, fold: unsealed(foldOfSnapshot(frame), state.done), n: frame.n };
}

/** Takes a frame. Null: a frame is missing before it, so only a new snapshot helps. */
export function takeFrame(state: LiveState, frame: LiveFrame): LiveState | null {
  if (!state.known || isOver(state, frame)) return state;
  if (state.waiting !== null) return { ...state, waiting: { ...state.waiting, frames: [...state.waiting.frames, frame] } };
  if (state.fold !== null && sameKey(state.fold, frame)) {
    if (frame.n <= state.n) return state;
    if (frame.n !== state.n + 1) return null;
    return { ...state, fold: fold(state.fold, frame.events), n: frame.n };
  }
  // Numbers begin anew with each key.
  if (frame.n > 1) return null;
  return { ...state, fold: unsealed(fold(emptyFold(frame), frame.events), state.done), n: frame.n };
}

/**
 * After records were applied up to `cursor`: live chunks whose sealed row is here are gone, a message that was sealed is gone
 * whole (what was never finished is not sealed), a settled turn leaves nothing. A snapshot that waited may now begin.
 * Null: as for `takeFrame`.
 */
export function afterApply(state: LiveState, records: readonly LogRecord[], cursor: number): LiveState | null {
  let { done, fold: left } = state;
  for (const record of records) {
    done = doneAfter(done, record);
    if (left !== null) left = isDone(done, left) ? null : unsealed(left, done);
  }
  let next: LiveState = { ...state, done, fold: left };
  if (next.fold === null && state.fold !== null) next = { ...next, n: 0 };
  if (next.waiting === null || next.waiting.snapshot.afterSeq > cursor) return next;
  const { snapshot, frames } = next.waiting;
  let started: LiveState | null = takeSnapshot({ ...next, waiting: null }, snapshot, cursor);
  for (const frame of frames) started = started === null ? null : takeFrame(started, frame);
  return started;
}

/** Without the results that are sealed. */
function unsealed(live: LiveFold, done: Done | null): LiveFold {
  if (done === null || !live.chunks.some(({ id }) => done.results.includes(id))) return live;
  return { ...live, chunks: live.chunks.filter(({ id }) => !done.results.includes(id)) };
}

/** A sealed part of a message ends the message; a result, whatever came before its phase; a settled turn leaves nothing. */
function doneAfter(done: Done | null, record: LogRecord): Done | null {
  if (isEvent(record, 'turn-settled')) {
    const { turnId } = record.data;
    return { turnId, step: Infinity, phase: 'tools', results: [], before: beforeTurn(done, turnId) };
  }
  if (record.kind !== 'chunk' || record.turnId === null || record.step === null) return done;
  const letter = PHASE.exec(record.id)?.[1];
  if (letter === undefined) return done;
  const { turnId, step } = record;
  const isSameTurn = done?.turnId === turnId;
  if (isSameTurn && step < done.step) return done;
  const before = beforeTurn(done, turnId);
  const isSameStep = isSameTurn && done.step === step;
  if (letter === 'm') return isSameStep ? done : { turnId, step, phase: 'message', results: [], before };
  return { turnId, step, phase: 'tools', results: [...(isSameStep ? done.results : []), record.id], before };
}
function beforeTurn(done: Done | null, turnId: string): string | null {
  return done?.turnId === turnId ? done.before : (done?.turnId ?? null);
}
const PHASE = /\.\d+\.([mt])\.\d+$/;

/** Older than what streams or was sealed: told again, or late. */
function isOver(state: LiveState, key: LiveKey): boolean {
  const { fold: now, done } = state;
  if (isDone(done, key)) return true;
  if (now === null || now.turnId !== key.turnId) return false;
  if (now.step !== key.step) return key.step < now.step;
  return now.phase === key.phase ? key.attempt < now.attempt : now.phase === 'tools';
}
function isDone(done: Done | null, key: LiveKey): boolean {
  if (done === null || done.turnId !== key.turnId) return done?.before === key.turnId;
  return key.step < done.step || (key.step === done.step && key.phase === 'message');
}
