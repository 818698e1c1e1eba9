/**
 * What a dead process left of a turn, made whole before anything else runs: every open call gets its result, the cut is
 * said, and the turn goes on within its budget, or is settled. Pure: decides rows and what comes next.
 */
import { isChunk, isEvent, type LogRecord } from '#shared/protocol/records.ts';
import type { RecordDraft } from '../store/port.ts';
import { openCalls } from './calls.ts';
import { freePlace, notRun, resultRow, systemRow, WORDS } from './notes.ts';
import { BUDGET } from './turn-state.ts';

export interface Recovered {
  rows: RecordDraft[];
  /** The step that was cut: the turn goes on with the next one. */
  step: number;
  next: 'resume' | 'settle-stopped' | 'settle-cut';
}

/** `stopped`: the user's Stop was committed before the process died. `resumes`: how often the turn was resumed before. */
export interface CutFacts {
  stopped: boolean;
  resumes: number;
}

/** Decided before a record is read, so that a turn whose reading ends the process has used up its budget some day. */
export function afterCut({ stopped, resumes }: CutFacts): Recovered['next'] {
  if (stopped) return 'settle-stopped';
  return resumes >= BUDGET.resumes ? 'settle-cut' : 'resume';
}

export function recoverTurn(records: readonly LogRecord[], turnId: string, facts: CutFacts): Recovered {
  const step = lastStep(records, turnId);
  const rows = openCallRows(records, turnId);
  const next = afterCut(facts);
  const words = { 'settle-stopped': WORDS.stopped, 'settle-cut': WORDS.cutForGood, resume: WORDS.cutByRestart }[next];
  // A server that closed in good order has said it already.
  if (next !== 'resume' || !saidLast(records, turnId)) {
    const place = { turnId, step, i: freePlace(records, turnId, step) };
    rows.push({ kind: 'chunk', ...systemRow(place, 'interrupted', words.text, words.wire) });
  }
  return { rows, step, next };
}

/** A result for each call of the turn that has none: "not run" if the user had not said yes, else "may have run". */
export function openCallRows(records: readonly LogRecord[], turnId: string): RecordDraft[] {
  const undecided = new Set<string>();
  for (const record of records) {
    if (isEvent(record, 'approval-asked') && record.turnId === turnId) undecided.add(record.data.callId);
    if (isEvent(record, 'approval-decided') && record.data.decision === 'allow') undecided.delete(record.data.callId);
  }
  return openCalls(records, turnId).map((call) => {
    const data = undecided.has(call.callId) ? notRun(call.callId, WORDS.undecided) : notRun(call.callId, WORDS.mayHaveRun, 'interrupted');
    return { kind: 'chunk', ...resultRow(turnId, call.step, call.i, data) };
  });
}

export function lastStep(records: readonly LogRecord[], turnId: string): number {
  let step = 0;
  for (const record of records)
    if (record.kind === 'chunk' && record.turnId === turnId && record.step !== null) step = Math.max(step, record.step);
  return step;
}

function saidLast(records: readonly LogRecord[], turnId: string): boolean {
  for (let at = records.length - 1; at >= 0; at--) {
    const record = records[at]!;
    if (record.kind !== 'chunk' || record.turnId !== turnId) continue;
    return isChunk(record, 'system') && record.data.kind === 'interrupted';
  }
  return false;
}
