/** What a running turn knows, and the parts it works with. One turn, one runner, one claim. */
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import type { Effort } from '#shared/protocol/records.ts';
import type { Agent } from '../agent/port.ts';
import type { Claim, RecordDraft, Store } from '../store/port.ts';
import type { Toolbox } from '../tools/port.ts';
import type { Approvals } from './approvals.ts';
import type { Awake } from './awake.ts';
import type { SessionHistory } from './history.ts';
import type { LiveBoard } from './live.ts';
import { freePlace, type RowPlace } from './notes.ts';
import type { Shelf } from './shelf.ts';

export interface RunnerParts {
  store: Store;
  agent: Agent;
  toolbox: Toolbox;
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
  /** Absent: the machine may go to sleep in the middle of a turn. */
  awake?: Awake;
}
export interface TurnParts extends RunnerParts {
  live: LiveBoard;
  shelf: Shelf;
  approvals: Approvals;
}

/** Why a turn's signal was aborted. `stopped`: by the user (or the session was deleted), committed already. `closing`: the server ends; the next start resumes. */
export type AbortReason = 'stopped' | 'closing';

/** Bounds of one turn. */
export const BUDGET = {
  /** Attempts in a row that may fail before the turn does. */
  tries: 5,
  /** Times a turn that a dead process left is resumed unasked. */
  resumes: 3,
  /** Answers in a row cut by the token limit that are asked to go on. */
  cutOffs: 2,
  /** `pause_turn` answers in a row that are sent back. */
  pauses: 5,
  backoff: { base: 1000, cap: 32_000 },
  /** A settled result is sealed alone once another has been open for this long. */
  sealAloneAfter: 1000,
} as const;

export interface TurnState {
  readonly sessionId: string;
  readonly turnId: string;
  readonly claim: Claim;
  readonly workspace: string;
  readonly model: string;
  readonly effort: Effort | null;
  readonly stepLimit: number;
  readonly keepAwake: boolean;
  readonly signal: AbortSignal;
  step: number;
  /** Steps the turn has made to their end, also before a restart. */
  stepsDone: number;
  /** The model was told that this is its last step. */
  toldLast: boolean;
  /** The session's log with data in full: what the wire is built from. */
  readonly history: SessionHistory;
  /** Attempts that failed in a row. */
  failures: number;
  /** Before the next attempt: what the last failure asked to wait for. */
  wait: { ms: number; reason: string } | null;
  cutOffs: number;
  pauses: number;
  empties: number;
  /** `s` rows of the current step that are drafted and not sealed. */
  drafted: number;
}

/** The place of the next `s` row of the current step. */
export function place(turn: TurnState): RowPlace {
  const i = freePlace(turn.history.records, turn.turnId, turn.step) + turn.drafted;
  turn.drafted += 1;
  return { turnId: turn.turnId, step: turn.step, i };
}

/** Seals rows and reads back what the log now holds, in full: also what others appended meanwhile. */
export async function seal(parts: TurnParts, turn: TurnState, rows: RecordDraft[]): Promise<void> {
  await parts.store.seal(turn.claim, rows, parts.clock.now());
  await catchUp(parts, turn);
}

export async function catchUp(parts: TurnParts, turn: TurnState): Promise<void> {
  await parts.shelf.readOn(turn.history);
  turn.drafted = 0;
}

export function abortReason(turn: TurnState): AbortReason | null {
  return turn.signal.aborted ? (turn.signal.reason as AbortReason) : null;
}
