/**
 * One session's subscription: a pure table, `state × event → {state, effects}`. Its effects are performed one after another
 * (`replica.ts`), and the next event is looked at only after them, so that the cursor a frame is judged by is the mirror's own.
 * `machine.md` beside this file is written from the table, and a test holds it to that.
 */
import type { DownFrame } from '#shared/protocol/frames.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Cursor } from '../mirror/port.ts';
import { afterApply, NO_LIVE, silent, takeFrame, takeSnapshot, unknown, type LiveState } from './live.ts';

/** Every phase, and what it means. */
export const SUB_PHASES = {
  down: 'no link, or nothing to be in step with',
  loading: '`timeline` is being fetched',
  replaying: 'subscribed, until `caught-up`',
  live: 'records and frames as they come',
} as const;
export type SubPhase = keyof typeof SUB_PHASES;

export interface SubState {
  phase: SubPhase;
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
  | { type: 'replace-inputs'; receipts: readonly Receipt[]; head: number }
  | { type: 'drop-log'; epoch: string };

type Step = { state: SubState; effects: SubEffect[] };
/** The columns of the table: each kind of frame is an event of its own. */
export type SubKey = Exclude<SubEvent['type'], 'frame'> | `frame ${SessionFrame['type']}`;
type FrameOf<T extends SessionFrame['type']> = Extract<SessionFrame, { type: T }>;
type EventOf<K extends SubKey> = K extends `frame ${infer T extends SessionFrame['type']}`
  ? { type: 'frame'; frame: FrameOf<T> }
  : Extract<SubEvent, { type: K }>;
type Rule<K extends SubKey> = (state: SubState, event: EventOf<K>) => Step;
type Row = { readonly [K in SubKey]: Rule<K> };

// ---- what rules are made of

const stay = (state: SubState): Step => ({ state, effects: [] });
function load(state: SubState): Step {
  return { state: { ...state, phase: 'loading', pending: [], live: NO_LIVE }, effects: [{ type: 'load-timeline' }] };
}
function subscribe(state: SubState, cursor: Cursor, live: LiveState): Step {
  return { state: { ...state, phase: 'replaying', cursor, pending: [], live }, effects: [{ type: 'subscribe', cursor }] };
}

// ---- the rules

/** From wherever the mirror is: with nothing of the session the newest is loaded, and the rest paged in when it is wanted. */
const start: Rule<'up'> & Rule<'adrift'> = (state, { cursor }) =>
  cursor.seq === 0 ? load({ ...state, cursor }) : subscribe(state, cursor, unknown(state.live));
const end = (state: SubState): Step => stay({ ...state, phase: 'down', pending: [], live: silent(state.live) });
const lose = (state: SubState): Step => stay({ ...state, live: unknown(state.live) });

const applied: Rule<'applied'> = (state, event) => {
  const cursor = event.cursor.seq > state.cursor.seq ? event.cursor : state.cursor;
  // Told again, a record ends nothing that began after it.
  const fresh = event.records.filter(({ seq }) => seq > state.cursor.seq);
  const live = afterApply(state.live, fresh, cursor.seq);
  const next = { ...state, cursor, head: Math.max(state.head, cursor.seq) };
  if (live !== null) return stay({ ...next, live });
  const left = afterApply(unknown(state.live), fresh, cursor.seq) ?? NO_LIVE;
  return subscribe(next, cursor, unknown(left));
};
/** The cursor is not of this history: all of it goes. */
const reset: Rule<'frame reset'> = (state, { frame }) => {
  const dropped = load(state);
  return { state: dropped.state, effects: [{ type: 'drop-log', epoch: frame.epoch }, ...dropped.effects] };
};
const gap: Rule<'frame gap'> = (state, { frame }) => load({ ...state, head: Math.max(state.head, frame.head) });
const records: Rule<'frame records'> = (state, { frame }) => {
  const head = Math.max(state.head, frame.records.at(-1)?.seq ?? 0);
  return { state: { ...state, head }, effects: [{ type: 'apply', records: frame.records }] };
};
/** What is told before the cut-over may be older than records that were replayed: only all of it together is true (I34). */
const gather: Rule<'frame input'> = (state, { frame: { receipt } }) => {
  const others = state.pending.filter(({ id }) => id !== receipt.id);
  return stay({ ...state, pending: receipt.state === 'pending' ? [...others, receipt] : others });
};
const put: Rule<'frame input'> = (state, { frame }) => ({ state, effects: [{ type: 'put-input', receipt: frame.receipt }] });
const cutOver: Rule<'frame caught-up'> = (state, { frame }) => ({
  state: { ...state, phase: 'live', head: Math.max(frame.head, state.cursor.seq), pending: [] },
  effects: [{ type: 'replace-inputs', receipts: state.pending, head: frame.head }],
});
const snapshot: Rule<'frame live-snapshot'> = (state, { frame }) =>
  stay({ ...state, live: takeSnapshot(state.live, frame, state.cursor.seq) });
const stream: Rule<'frame live'> = (state, { frame }) => {
  const live = takeFrame(state.live, frame);
  return live === null ? subscribe(state, state.cursor, unknown(state.live)) : stay({ ...state, live });
};

// ---- the table

const ALWAYS = { up: start, adrift: start, down: end, lost: lose, applied } as const;
/** Whatever is told without a subscription is of one that is over. */
const DEAF = {
  'frame reset': stay,
  'frame gap': stay,
  'frame records': stay,
  'frame input': stay,
  'frame caught-up': stay,
  'frame live-snapshot': stay,
  'frame live': stay,
} as const;
const HEARING = {
  'frame reset': reset,
  'frame gap': gap,
  'frame records': records,
  'frame live-snapshot': snapshot,
  'frame live': stream,
} as const;
export const SUB_TABLE: { readonly [P in SubPhase]: Row } = {
  down: { ...ALWAYS, ...DEAF, adrift: stay, loaded: stay },
  // What an older subscription still says would only be judged by a cursor of the past; but that it is no place in the log, holds.
  loading: { ...ALWAYS, ...DEAF, 'frame reset': reset, loaded: (state, { cursor }) => subscribe(state, cursor, NO_LIVE) },
  replaying: { ...ALWAYS, ...HEARING, 'frame input': gather, 'frame caught-up': cutOver, loaded: stay },
  live: { ...ALWAYS, ...HEARING, 'frame input': put, 'frame caught-up': stay, loaded: stay },
};

export function subscription(state: SubState, event: SubEvent): Step {
  const rule = SUB_TABLE[state.phase][event.type === 'frame' ? (`frame ${event.frame.type}` as const) : event.type];
  // The key was made from the event, so the rule is for just such an event; TypeScript does not follow that.
  return (rule as (state: SubState, event: SubEvent) => Step)(state, event);
}
