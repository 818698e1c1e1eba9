/**
 * A turn, from its opening to its settled event: boundary → message → seal → tools → seal → boundary → … → settle. What a
 * message's end means is decided by `afterAnswer` (pure); here it is carried out. The message is sealed before any of its
 * tools run, so a tool that may have run is always on record.
 */
import type { PauseReason, SettledReason } from '#shared/protocol/records.ts';
import type { StopReason } from '../agent/port.ts';
import type { RecordDraft } from '../store/port.ts';
import { afterAnswer } from './after-answer.ts';
import { resultRow, errorRow, notRun, systemRow, WORDS } from './notes.ts';
import { runMessage, type MessageEnd } from './step.ts';
import { runTools } from './tools.ts';
import { abortReason, catchUp, place, seal, type TurnParts, type TurnState } from './turn-state.ts';

/** Runs until the turn is settled, or until the server closes (then it is left for the next start). Throws only for the store's faults. */
export async function runTurn(parts: TurnParts, turn: TurnState): Promise<void> {
  for (;;) {
    if (turn.signal.aborted) return stopped(parts, turn, []);
    if (isLast(turn)) await tellLast(parts, turn);
    const end = await runMessage(parts, turn);
    if (end.kind === 'aborted') return stopped(parts, turn, end.rows);
    if (end.kind === 'failed') return failed(parts, turn, end);
    if (end.kind === 'cut') {
      await sealMessage(parts, turn, end.rows);
    } else {
      if (await afterMessage(parts, turn, end)) return;
      turn.stepsDone += 1;
    }
    if (turn.signal.aborted) return stopped(parts, turn, []);
    turn.step += 1;
    // A paused answer is sent back as it is: a steer waits until it is whole (WIRE 1).
    if (turn.pauses === 0) await boundary(parts, turn);
  }
}

function isLast(turn: TurnState): boolean {
  return turn.stepsDone + 1 >= turn.stepLimit;
}

/**
 * Before the last step's request: tools are forbidden in words at the tail, since to send `tool_choice` or no tools would cost
 * the cache its prefix (law 11, WIRE 3). A paused answer takes no words between: it is sent back as it is.
 */
async function tellLast(parts: TurnParts, turn: TurnState): Promise<void> {
  if (turn.toldLast || turn.pauses > 0) return;
  turn.toldLast = true;
  await seal(parts, turn, [{ kind: 'chunk', ...systemRow(place(turn), 'notice', WORDS.lastStep.text, WORDS.lastStep.wire) }]);
}

/** The safe boundary: steers that wait join here, after the step's tool results. */
async function boundary(parts: TurnParts, turn: TurnState): Promise<void> {
  const prompts = await parts.store.promoteSteers(turn.claim, turn.turnId, turn.step, parts.clock.now());
  if (prompts.length > 0) await catchUp(parts, turn);
}

/** Of a call in a message after which no tools run. One that did end as a tool request was the last step's. */
const WHY_NOT_RUN: Partial<Record<StopReason, string>> = { max_tokens: WORDS.cutCall, tool_use: WORDS.lastStepCall };

/** Carries out what a whole message asks for. True: the turn is settled. */
async function afterMessage(parts: TurnParts, turn: TurnState, end: MessageEnd & { kind: 'answer' }): Promise<boolean> {
  const said = end.rows.some((row) => row.kind === 'chunk' && row.role === 'assistant' && row.type !== 'thinking' && !isBlankText(row));
  const next = afterAnswer({
    stop: end.answer.stop,
    calls: end.calls.length,
    said,
    cutOffs: turn.cutOffs,
    pauses: turn.pauses,
    empties: turn.empties,
    last: isLast(turn),
  });
  ({ cutOffs: turn.cutOffs, pauses: turn.pauses, empties: turn.empties } = next.counts);
  const rows = end.rows;
  if (next.kind !== 'tools') {
    for (const call of end.calls) {
      const words = WHY_NOT_RUN[end.answer.stop] ?? WORDS.unfinishedCall;
      rows.push({ kind: 'chunk', ...resultRow(turn.turnId, turn.step, call.i, notRun(call.callId, words)) });
    }
  }
  if (next.note !== null) {
    const wire = 'wire' in next.note.words ? next.note.words.wire : undefined;
    rows.push({ kind: 'chunk', ...systemRow(place(turn), next.note.kind, next.note.words.text, wire) });
  }
  switch (next.kind) {
    case 'tools':
      await sealMessage(parts, turn, rows);
      await runTools(parts, turn, end.calls);
      return false;
    case 'go-on':
      await sealMessage(parts, turn, rows);
      return false;
    case 'settle':
      // At the step limit a steer that waits opens the next turn.
      return settle(parts, turn, { reason: 'done', rows, pause: null, unlessSteers: !isLast(turn) });
    case 'limit':
      rows.push({ kind: 'chunk', ...systemRow(place(turn), 'limit', WORDS.limit.text, WORDS.limit.wire) });
      return settle(parts, turn, { reason: 'limit', rows, pause: null, unlessSteers: false });
    case 'fail': {
      const message = end.answer.detail === null ? next.message : `${next.message} ${end.answer.detail}`;
      rows.push({ kind: 'chunk', ...errorRow(place(turn), { code: next.code, message }) });
      return settle(parts, turn, { reason: 'failed', rows, pause: next.pause, unlessSteers: false });
    }
  }
}

function isBlankText(row: RecordDraft): boolean {
  return row.kind === 'chunk' && row.type === 'text' && (row.data as { text: string }).text.trim() === '';
}

/** What was live is until its rows are committed: whoever looks in between sees it once, never not at all. */
async function sealMessage(parts: TurnParts, turn: TurnState, rows: RecordDraft[]): Promise<void> {
  await seal(parts, turn, rows);
  parts.live.end(turn.sessionId);
}

/** True: settled. False: a steer came first, the rows are sealed, and the turn makes one more step for it (I10). */
async function settle(
  parts: TurnParts,
  turn: TurnState,
  end: { reason: SettledReason; rows: RecordDraft[]; pause: PauseReason | null; unlessSteers: boolean },
): Promise<boolean> {
  const { outcome } = await parts.store.settle(turn.claim, turn.turnId, end, parts.clock.now());
  if (outcome === 'steers') await seal(parts, turn, end.rows);
  parts.live.end(turn.sessionId);
  return outcome === 'settled';
}

async function failed(parts: TurnParts, turn: TurnState, end: MessageEnd & { kind: 'failed' }): Promise<void> {
  const { code, message, status } = end.error;
  const rows: RecordDraft[] = [
    ...end.rows,
    { kind: 'chunk', ...errorRow(place(turn), status === null ? { code, message } : { code, message, status }) },
  ];
  await settle(parts, turn, { reason: 'failed', rows, pause: 'failed', unlessSteers: false });
}

/** After an abort: the user's Stop settles the turn; a closing server only seals what was shown, so that the next start goes on from it. */
async function stopped(parts: TurnParts, turn: TurnState, rows: RecordDraft[]): Promise<void> {
  if (abortReason(turn) === 'closing') {
    if (rows.length > 0) await seal(parts, turn, rows);
    parts.live.end(turn.sessionId);
    return;
  }
  const noted: RecordDraft[] =
    rows.length > 0 ? rows : [{ kind: 'chunk', ...systemRow(place(turn), 'interrupted', WORDS.stopped.text, WORDS.stopped.wire) }];
  await settle(parts, turn, { reason: 'stopped', rows: noted, pause: null, unlessSteers: false });
}
