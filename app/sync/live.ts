/**
 * The live part of one session: a snapshot, then numbered frames, folded. Pure. Nothing here is ever stored: a reload asks
 * for a new snapshot.
 */
import { emptyFold, fold, foldOfSnapshot, sameKey, type LiveFold } from '#shared/chunks/fold.ts';
import type { DownFrame, LiveSnapshotFrame } from '#shared/protocol/frames.ts';
import { isEvent, type LogRecord } from '#shared/protocol/records.ts';

export type LiveFrame = Extract<DownFrame, { type: 'live' }>;
export interface LiveState {
  /** A snapshot came since the last subscribe: before that, frames mean nothing. */
  known: boolean;
  fold: LiveFold | null;
  /** Number of the last frame folded in. */
  n: number;
  /** A snapshot whose `afterSeq` the cursor has not reached, and the frames that came after it. */
  waiting: { snapshot: LiveSnapshotFrame & { turnId: string }; frames: readonly LiveFrame[] } | null;
}
export const NO_LIVE: LiveState = { known: false, fold: null, n: 0, waiting: null };

/** Takes a snapshot; one that is ahead of the cursor waits. */
export function takeSnapshot(frame: LiveSnapshotFrame, cursor: number): LiveState {
  if (frame.turnId === null) return { ...NO_LIVE, known: true };
  if (frame.afterSeq > cursor) return { known: true, fold: null, n: 0, waiting: { snapshot: frame, frames: [] } };
  return { known: true, fold: foldOfSnapshot(frame), n: frame.n, waiting: null };
}

/** Takes a frame. Null: a frame is missing before it, so only a new snapshot helps. */
export function takeFrame(state: LiveState, frame: LiveFrame): LiveState | null {
  if (!state.known) return state;
  if (state.waiting !== null) return { ...state, waiting: { ...state.waiting, frames: [...state.waiting.frames, frame] } };
  if (state.fold !== null && sameKey(state.fold, frame)) {
    if (frame.n <= state.n) return state;
    if (frame.n !== state.n + 1) return null;
    return { ...state, fold: fold(state.fold, frame.events), n: frame.n };
  }
  // Numbers begin anew with each key.
  if (frame.n > 1) return null;
  return { known: true, fold: fold(emptyFold(frame), frame.events), n: frame.n, waiting: null };
}

/**
 * After records were applied up to `cursor`: live chunks whose sealed row is here are gone, a message that was sealed is gone
 * whole (what was never finished is not sealed), a settled turn leaves nothing. A snapshot that waited may now begin.
 * Null: as for `takeFrame`.
 */
export function afterApply(state: LiveState, records: readonly LogRecord[], cursor: number): LiveState | null {
  let next: LiveState = { ...state, fold: state.fold === null ? null : unsealed(state.fold, records) };
  if (next.fold === null && state.fold !== null) next = { ...next, n: 0 };
  if (next.waiting === null || next.waiting.snapshot.afterSeq > cursor) return next;
  const { snapshot, frames } = next.waiting;
  let started: LiveState | null = takeSnapshot(snapshot, cursor);
  for (const frame of frames) started = started === null ? null : takeFrame(started, frame);
  return started;
}

function unsealed(live: LiveFold, records: readonly LogRecord[]): LiveFold | null {
  const sealed = new Set<string>();
  const message = `${live.turnId}.${live.step}.m.`;
  for (const record of records) {
    if (isEvent(record, 'turn-settled') && record.data.turnId === live.turnId) return null;
    if (record.kind !== 'chunk') continue;
    if (live.phase === 'message' && record.id.startsWith(message)) return null;
    sealed.add(record.id);
  }
  if (!live.chunks.some((chunk) => sealed.has(chunk.id))) return live;
  return { ...live, chunks: live.chunks.filter((chunk) => !sealed.has(chunk.id)) };
}
