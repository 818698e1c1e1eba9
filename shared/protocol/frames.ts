/** The WebSocket, `GET /api/live`: every frame is one JSON text message `{type, …}`. */
import type { AgentEvent } from './agent-events.ts';
import type { LogRecord } from './records.ts';
import type { LiveSnapshot, Phase, Receipt, SessionEntry } from './summaries.ts';

export type UpFrame =
  | { type: 'hello'; protocol: number; device: string | null }
  /** `after`: the cursor's seq; `lastId`: id of the record there, null at 0. */
  | { type: 'subscribe'; sessionId: string; epoch: string | null; after: number; lastId: string | null }
  | { type: 'unsubscribe'; sessionId: string }
  | { type: 'ping' };

/** The server's process: one id for its life, and when it started, by its own clock. */
export interface Boot {
  id: string;
  at: number;
}
export type DownFrame =
  /** `now`: the server's clock. That and `boot` are absent where an older server says it. */
  | { type: 'welcome'; protocol: number; epoch: string; version: number; boot?: Boot; now?: number }
  | { type: 'session'; summary: SessionEntry }
  | { type: 'input'; sessionId: string; receipt: Receipt }
  /** Dense; the first is cursor + 1. */
  | { type: 'records'; sessionId: string; records: LogRecord[] }
  /** Sent after the replay, the `input` frames of all that is pending, and before the snapshot. */
  | { type: 'caught-up'; sessionId: string; head: number }
  | { type: 'live'; sessionId: string; turnId: string; step: number; attempt: number; phase: Phase; n: number; events: AgentEvent[] }
  | LiveSnapshotFrame
  /** Too far behind for a replay: load `timeline`, replace inputs and approvals wholesale, page the rest in later. Ends the subscription: subscribe again from the timeline's head. */
  | { type: 'gap'; sessionId: string; head: number }
  /** The cursor is not of this history. Ends the subscription too: drop what is mirrored and subscribe from 0. */
  | { type: 'reset'; sessionId: string; epoch: string }
  | { type: 'pong' };

/** Nothing live: `turnId` null and nothing else. */
export type LiveSnapshotFrame =
  ({ type: 'live-snapshot'; sessionId: string } & LiveSnapshot) | { type: 'live-snapshot'; sessionId: string; turnId: null };

export const CLOSE = { badFrame: 4400, revoked: 4401, slow: 4408, tooOld: 4426, goingAway: 1001 } as const;
