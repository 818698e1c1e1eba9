/** What a record at cursor + 1 does to a session's projections. Pure. */
import { wordsOf } from '#shared/protocol/content.ts';
import { isChunk, isEvent, isShown, type LogRecord } from '#shared/protocol/records.ts';
import type { Approval, Receipt, SessionSummary } from '#shared/protocol/summaries.ts';
import { isBlank, oneLine, plainLine } from '#shared/text.ts';

export interface Projected {
  summary: SessionSummary | null;
  inputs: readonly Receipt[];
  approvals: readonly Approval[];
  /** Step of the newest chunk, which an approval asked right after it belongs to. */
  step: number;
}
const LAST_WORDS = 160;

/** Projections after `record`. Nothing to change: the same arrays come back. */
export function project(before: Projected, record: LogRecord): Projected {
  return {
    summary: before.summary === null ? null : summaryAfter(before.summary, record),
    inputs: inputsAfter(before.inputs, record),
    approvals: approvalsAfter(before.approvals, record, before.step),
    step: record.kind === 'chunk' && record.step !== null ? record.step : before.step,
  };
}

function inputsAfter(inputs: readonly Receipt[], record: LogRecord): readonly Receipt[] {
  const gone =
    record.kind === 'chunk' ? (record.type === 'prompt' ? record.id : null) : isEvent(record, 'cancelled') ? record.data.inputId : null;
  return gone === null || !inputs.some((input) => input.id === gone) ? inputs : inputs.filter((input) => input.id !== gone);
}

function approvalsAfter(approvals: readonly Approval[], record: LogRecord, step: number): readonly Approval[] {
  if (isEvent(record, 'approval-asked')) {
    const { approvalId, callId, name, effect, summary } = record.data;
    const asked: Approval = {
      id: approvalId,
      sessionId: record.sessionId,
      turnId: record.turnId ?? '',
      step,
      callId,
      name,
      effect,
      summary,
      state: 'open',
      askedAt: record.createdAt,
    };
    return [...approvals.filter((approval) => approval.id !== approvalId), asked];
  }
  if (isEvent(record, 'approval-decided')) return without(approvals, (approval) => approval.id === record.data.approvalId);
  if (isEvent(record, 'turn-settled')) return without(approvals, (approval) => approval.turnId === record.data.turnId);
  return approvals;
}
function without(approvals: readonly Approval[], gone: (approval: Approval) => boolean): readonly Approval[] {
  return approvals.some(gone) ? approvals.filter((approval) => !gone(approval)) : approvals;
}

/** A summary that the server made after this record knows it already (`head`): then nothing changes. */
function summaryAfter(summary: SessionSummary, record: LogRecord): SessionSummary {
  if (record.seq <= summary.head) return summary;
  const next: SessionSummary = { ...summary, head: record.seq, updatedAt: Math.max(summary.updatedAt, record.createdAt) };
  if (record.kind === 'chunk') {
    if (isShown(record)) next.total += 1;
    if (isChunk(record, 'prompt')) next.lastWords = oneLine(wordsOf(record.data.content), LAST_WORDS);
    else if (isChunk(record, 'text') && !isBlank(record.data.text)) next.lastWords = plainLine(record.data.text, LAST_WORDS);
  } else if (isEvent(record, 'turn-started')) {
    next.turnId = record.data.turnId;
    next.status = 'running';
  } else if (isEvent(record, 'turn-settled')) {
    next.turnId = null;
    next.status = next.paused === null ? 'idle' : 'paused';
  } else if (isEvent(record, 'paused')) {
    next.paused = { seq: record.seq, reason: record.data.reason };
    if (next.turnId === null) next.status = 'paused';
  } else if (isEvent(record, 'resumed')) {
    next.paused = null;
    if (next.turnId === null) next.status = 'idle';
  } else if (isEvent(record, 'approval-asked')) next.status = 'waiting';
  else if (isEvent(record, 'approval-decided') && next.status === 'waiting') next.status = 'running';
  else if (isEvent(record, 'renamed')) next.title = record.data.title;
  else if (isEvent(record, 'mode-changed')) next.mode = record.data.mode;
  else if (isEvent(record, 'model-changed')) {
    next.model = record.data.model;
    next.effort = record.data.effort;
  }
  return next;
}
