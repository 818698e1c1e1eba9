/**
 * One session's subscription: a pure table, `state × event → {state, effects}`. Its effects are performed one after another,
 * and the next event is looked at only after them, so that the cursor a frame is judged by is the mirror's own.
 *
 * `down`: no link. `loading`: `timeline` is being fetched. `replaying`: subscribed, until `caught-up`. `live`.
 */
import type { DownFrame } from '#shared/protocol/frames.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Cursor } from '../mirror/port.ts';
import { afterApply, NO_LIVE, silent, takeFrame, takeSnapshot, unknown, type LiveState } from './live.ts';

export interface SubState {
  phase: 'down' | 'loading' | 'replaying' | 'live';
  cursor: Cursor;
  /** The newest seq that the server has told of. */
  head: number;
  /** Receipts told of during the replay: together they are all that is pending. */
  pending: readonly Receipt[];
  live: LiveState;
}
export function downAt(cursor: Cursor): SubState {
  return { phase: 'down', cursor, head: cursor.seq, pending: [], live: NO_LIVE };
}

/** Frames that carry a `sessionId`. */
export type SessionFrame = Extract<DownFrame, { sessionId: string }>;
export type SubEvent =
  | { type: 'up'; cursor: Cursor }
  | { type: 'down' }
  | { type: 'frame'; frame: SessionFrame }
  | { type: 'applied'; cursor: Cursor; records: readonly LogRecord[] }
  /** Records did not join: what is live is not understood until a new snapshot. */
  | { type: 'lost' }
  /** The mirror is not where this subscription thought: another tab reset it, or the disk was lost. */
  | { type: 'adrift'; cursor: Cursor }
  | { type: 'loaded'; cursor: Cursor };
export type SubEffect =
  | { type: 'subscribe'; cursor: Cursor }
  | { type: 'load-timeline' }
  | { type: 'apply'; records: readonly LogRecord[] }
  | { type: 'put-input'; receipt: Receipt }
  | { type: 'replace-inputs'; receipts: readonly Receipt[] }
  | { type: 'drop-log'; epoch: string };

type Step = { state: SubState; effects: SubEffect[] };
const stay = (state: SubState): Step => ({ state, effects: [] });

export function subscription(state: SubState, event: SubEvent): Step {
  switch (event.type) {
    case 'down':
      return stay({ ...state, phase: 'down', pending: [], live: silent(state.live) });
    case 'up':
    case 'adrift':
      return event.cursor.seq === 0 ? load({ ...state, cursor: event.cursor }) : subscribe(state, event.cursor, unknown(state.live));
    case 'lost':
      return stay({ ...state, live: unknown(state.live) });
    case 'loaded':
      return state.phase === 'loading' ? subscribe(state, event.cursor, NO_LIVE) : stay(state);
    case 'applied': {
      const cursor = event.cursor.seq > state.cursor.seq ? event.cursor : state.cursor;
      // Told again, a record ends nothing that began after it.
      const fresh = event.records.filter(({ seq }) => seq > state.cursor.seq);
      const live = afterApply(state.live, fresh, cursor.seq);
      const next = { ...state, cursor, head: Math.max(state.head, cursor.seq) };
      if (live !== null) return stay({ ...next, live });
      const left = afterApply(unknown(state.live), fresh, cursor.seq) ?? NO_LIVE;
      return subscribe(next, cursor, unknown(left));
    }
    case 'frame':
      return state.phase === 'down' ? stay(state) : frame(state, event.frame);
  }
}

function load(state: SubState): Step {
  return { state: { ...state, phase: 'loading', pending: [], live: NO_LIVE }, effects: [{ type: 'load-timeline' }] };
}
function subscribe(state: SubState, cursor: Cursor, live: LiveState): Step {
  return { state: { ...state, phase: 'replaying', cursor, pending: [], live }, effects: [{ type: 'subscribe', cursor }] };
}

function frame(state: SubState, frame: SessionFrame): Step {
  if (frame.type === 'reset') {
    const dropped = load(state);
    return { state: dropped.state, effects: [{ type: 'drop-log', epoch: frame.epoch }, ...dropped.effects] };
  }
  // While the timeline is on its way, what an older subscription still says would only be judged by a cursor of the past.
  if (state.phase === 'loading') return stay(state);
  switch (frame.type) {
    case 'gap':
      return load({ ...state, head: Math.max(state.head, frame.head) });
    case 'records': {
      const head = Math.max(state.head, frame.records.at(-1)?.seq ?? 0);
      return { state: { ...state, head }, effects: [{ type: 'apply', records: frame.records }] };
    }
    case 'input': {
      // What is told before the cut-over may be older than records that were replayed: only all of it together is true (I34).
      if (state.phase !== 'replaying') return { state, effects: [{ type: 'put-input', receipt: frame.receipt }] };
      const others = state.pending.filter((receipt) => receipt.id !== frame.receipt.id);
      const pending = frame.receipt.state === 'pending' ? [...others, frame.receipt] : others;
      return stay({ ...state, pending });
    }
    case 'caught-up': {
      if (state.phase !== 'replaying') return stay(state);
      const next: SubState = { ...state, phase: 'live', head: Math.max(frame.head, state.cursor.seq), pending: [] };
      return { state: next, effects: [{ type: 'replace-inputs', receipts: state.pending }] };
    }
    case 'live-snapshot':
      return stay({ ...state, live: takeSnapshot(state.live, frame, state.cursor.seq) });
    case 'live': {
      const live = takeFrame(state.live, frame);
      return live === null ? subscribe(state, state.cursor, unknown(state.live)) : stay({ ...state, live });
    }
  }
}
