/**
 * The live part of one session: a snapshot, then numbered frames, folded. Pure. Nothing here is ever stored: a reload asks
 * for a new snapshot.
 */
import { emptyFold, fold, foldOfSnapshot, sameKey, type LiveFold } from '#shared/chunks/fold.ts';
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
  if (frame.turnId === null || isDone(state.done, frame)) return none;
  if (frame.afterSeq > cursor) return { ...none, fold: state.fold, waiting: { snapshot: frame, frames: [] } };
  const fold = foldOfSnapshot(frame);
  const { results } = state.done ?? { results: [] };
  return { ...none, fold: withoutIds(fold, new Set(results)), n: frame.n };
}

/** Takes a frame. Null: a frame is missing before it, so only a new snapshot helps. */
export function takeFrame(state: LiveState, frame: LiveFrame): LiveState | null {
  if (!state.known || isDone(state.done, frame)) return state;
  if (state.waiting !== null) return { ...state, waiting: { ...state.waiting, frames: [...state.waiting.frames, frame] } };
  if (state.fold !== null && sameKey(state.fold, frame)) {
    if (frame.n <= state.n) return state;
    if (frame.n !== state.n + 1) return null;
    return { ...state, fold: fold(state.fold, frame.events), n: frame.n };
  }
  // Numbers begin anew with each key.
  if (frame.n > 1) return null;
  return { ...state, fold: fold(emptyFold(frame), frame.events), n: frame.n };
}

/**
 * After records were applied up to `cursor`: live chunks whose sealed row is here are gone, a message that was sealed is gone
 * whole (what was never finished is not sealed), a settled turn leaves nothing. A snapshot that waited may now begin.
 * Null: as for `takeFrame`.
 */
export function afterApply(state: LiveState, records: readonly LogRecord[], cursor: number): LiveState | null {
  const done = records.reduce(doneAfter, state.done);
  let next: LiveState = { ...state, done, fold: state.fold === null ? null : unsealed(state.fold, records, done) };
  if (next.fold === null && state.fold !== null) next = { ...next, n: 0 };
  if (next.waiting === null || next.waiting.snapshot.afterSeq > cursor) return next;
  const { snapshot, frames } = next.waiting;
  let started: LiveState | null = takeSnapshot({ ...next, waiting: null }, snapshot, cursor);
  for (const frame of frames) started = started === null ? null : takeFrame(started, frame);
  return started;
}

function unsealed(live: LiveFold, records: readonly LogRecord[], done: Done | null): LiveFold | null {
  if (isDone(done, live)) return null;
  return withoutIds(live, new Set(records.map(({ id }) => id)));
}
function withoutIds(live: LiveFold, ids: ReadonlySet<string>): LiveFold {
  if (!live.chunks.some((chunk) => ids.has(chunk.id))) return live;
  return { ...live, chunks: live.chunks.filter((chunk) => !ids.has(chunk.id)) };
}

/** A sealed part of a message ends the message; a result, whatever came before its phase; a settled turn leaves nothing. */
function doneAfter(done: Done | null, record: LogRecord): Done | null {
  if (isEvent(record, 'turn-settled')) return { turnId: record.data.turnId, step: Infinity, phase: 'tools', results: [] };
  if (record.kind !== 'chunk' || record.turnId === null || record.step === null) return done;
  const letter = PHASE.exec(record.id)?.[1];
  if (letter === undefined) return done;
  const { turnId, step } = record;
  const isSameStep = done?.turnId === turnId && done.step === step;
  if (done?.turnId === turnId && step < done.step) return done;
  if (letter === 'm') return isSameStep ? done : { turnId, step, phase: 'message', results: [] };
  return { turnId, step, phase: 'tools', results: [...(isSameStep ? done.results : []), record.id] };
}
const PHASE = /\.\d+\.([mt])\.\d+$/;

function isDone(done: Done | null, key: { turnId: string; step: number; phase: Phase }): boolean {
  if (done === null || done.turnId !== key.turnId || key.step > done.step) return false;
  return key.step < done.step || key.phase === 'message';
}
