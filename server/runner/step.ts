/**
 * One step's message: attempts at one provider request until one answers, output is cut, or it is hopeless. Nothing is
 * sealed here; what comes back says what to seal. An attempt that failed before any output leaves nothing visible.
 */
import { explode } from '#shared/chunks/explode.ts';
import { backoff } from '#shared/backoff.ts';
import { ProviderError, type StepAnswer } from '../agent/port.ts';
import type { RecordDraft } from '../store/port.ts';
import { callsOf, type ToolCall } from './calls.ts';
import { notRun, resultRow, systemRow, usageRow, WORDS } from './notes.ts';
import { abortReason, BUDGET, place, type TurnParts, type TurnState } from './turn-state.ts';

export type MessageEnd =
  /** The message is whole. */
  | { kind: 'answer'; rows: RecordDraft[]; answer: StepAnswer; calls: ToolCall[] }
  /** Cut after output by a fault that may pass: seal, wait, go on with the next step. */
  | { kind: 'cut'; rows: RecordDraft[] }
  | { kind: 'failed'; rows: RecordDraft[]; error: ProviderError }
  /** The turn's signal was aborted. */
  | { kind: 'aborted'; rows: RecordDraft[] };

export async function runMessage(parts: TurnParts, turn: TurnState): Promise<MessageEnd> {
  const spent: RecordDraft[] = [];
  for (let attempt = 0; ; attempt++) {
    const key = { turnId: turn.turnId, step: turn.step, attempt, phase: 'message' as const };
    parts.live.begin(turn.sessionId, key, turn.history.head);
    if (turn.wait !== null) {
      parts.live.push(turn.sessionId, { type: 'retry', at: parts.clock.now() + turn.wait.ms, reason: turn.wait.reason });
      await pause(parts, turn.wait.ms, turn.signal);
      turn.wait = null;
    }
    if (turn.signal.aborted) return { kind: 'aborted', rows: [...spent, ...cutRows(parts, turn, stopWords(turn))] };
    parts.live.push(turn.sessionId, { type: 'step-start', attempt, source: parts.agent.source });
    const request = { records: turn.history.records, model: turn.model, effort: turn.effort, attempt };
    try {
      const answer = await parts.agent.attempt(request, turn.signal, (event) => parts.live.push(turn.sessionId, event));
      turn.failures = 0;
      return { kind: 'answer', ...answered(parts, turn, answer, spent) };
    } catch (error) {
      if (turn.signal.aborted)
        return { kind: 'aborted', rows: [...spent, ...usageOf(turn, error), ...cutRows(parts, turn, stopWords(turn))] };
      const fault = asProviderError(error);
      turn.failures += 1;
      spent.push(...usageOf(turn, fault));
      const hopeless = !fault.retryable || turn.failures >= BUDGET.tries;
      const wait = fault.retryAfter ?? backoff(turn.failures - 1, BUDGET.backoff, parts.random);
      if (!hopeless) turn.wait = { ms: wait, reason: fault.message };
      const hasOutput = (parts.live.current(turn.sessionId)?.chunks.length ?? 0) > 0;
      if (hopeless)
        return { kind: 'failed', rows: [...spent, ...(hasOutput ? cutRows(parts, turn, WORDS.cutAndFailed) : [])], error: fault };
      if (hasOutput) return { kind: 'cut', rows: [...spent, ...cutRows(parts, turn, WORDS.cutByProvider)] };
      parts.report('provider.retry', { sessionId: turn.sessionId, code: fault.code, status: fault.status, wait });
    }
  }
}

function answered(
  parts: TurnParts,
  turn: TurnState,
  answer: StepAnswer,
  spent: RecordDraft[],
): { rows: RecordDraft[]; answer: StepAnswer; calls: ToolCall[] } {
  const live = parts.live.current(turn.sessionId);
  const drafts = live === null ? [] : explode(live, 'complete');
  const rows: RecordDraft[] = [...spent];
  // Before the message's own rows: the thinking it brought is signed over a wire that has none before it.
  if (answer.thinkingOff) rows.push({ kind: 'event', type: 'thinking-off', turnId: turn.turnId, data: { to: turn.history.head } });
  rows.push(...drafts.map((draft) => ({ kind: 'chunk' as const, ...draft })));
  rows.push({ kind: 'chunk', ...usageRow(place(turn), answer.usage) });
  return { rows, answer, calls: callsOf(drafts) };
}

/**
 * Rows of a message that was cut: what was shown, a result for each call whose block had ended (nobody ran it), and why.
 */
function cutRows(parts: TurnParts, turn: TurnState, words: { text: string; wire: string }): RecordDraft[] {
  const live = parts.live.current(turn.sessionId);
  const drafts = live === null || live.phase !== 'message' ? [] : explode(live, 'interrupted');
  const results = callsOf(drafts).map((call) => resultRow(turn.turnId, turn.step, call.i, notRun(call.callId, WORDS.cutCall)));
  const rows: RecordDraft[] = [...drafts, ...results].map((draft) => ({ kind: 'chunk', ...draft }));
  rows.push({ kind: 'chunk', ...systemRow(place(turn), 'interrupted', words.text, words.wire) });
  return rows;
}

function stopWords(turn: TurnState): { text: string; wire: string } {
  return abortReason(turn) === 'closing' ? WORDS.cutByRestart : WORDS.stopped;
}

function usageOf(turn: TurnState, error: unknown): RecordDraft[] {
  if (!(error instanceof ProviderError) || error.usage === null) return [];
  return [{ kind: 'chunk', ...usageRow(place(turn), error.usage) }];
}

function asProviderError(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ProviderError('internal', message, { retryable: false, cause: error });
}

/** The most that the system's timers can wait: asked for more, they fire at once. */
const MOST_MS = 2 ** 31 - 1;

/** Waits `ms`, or until the signal aborts. */
export function pause(parts: TurnParts, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = parts.timers.after(Math.min(ms, MOST_MS), done);
    signal.addEventListener('abort', done, { once: true });
  });
}
