/** Records, receipts and summaries as a server would make them, for tests of this device's side. */
import type { ChunkRecord, EventDataByType, EventRecord, EventType, LogRecord } from '#shared/protocol/records.ts';
import type { Receipt, SessionSummary, Timeline } from '#shared/protocol/summaries.ts';

export function textChunk(sessionId: string, seq: number, text = `words ${seq}`, turnId = 'turn', step = 0): ChunkRecord {
  return { kind: 'chunk', sessionId, seq, id: `r${seq}`, turnId, step, role: 'assistant', type: 'text', data: { text }, createdAt: seq };
}
export function usageChunk(sessionId: string, seq: number): ChunkRecord {
  return {
    ...textChunk(sessionId, seq),
    type: 'usage',
    role: 'system',
    data: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, model: 'm' },
  };
}
export function promptChunk(sessionId: string, seq: number, inputId: string, text = 'go'): ChunkRecord {
  return { ...textChunk(sessionId, seq), id: inputId, role: 'user', type: 'prompt', data: { content: [{ type: 'text', text }] } };
}
export function eventRecord<T extends EventType>(
  sessionId: string,
  seq: number,
  type: T,
  data: EventDataByType[T] | Record<string, unknown>,
): EventRecord {
  return { kind: 'event', sessionId, seq, id: `e${seq}`, turnId: null, type, data, createdAt: seq };
}
export function approvalAsked(sessionId: string, seq: number, approvalId: string, turnId: string): EventRecord {
  const data = { approvalId, callId: `call-${approvalId}`, name: 'run', effect: 'run', summary: 'ls' };
  return { ...eventRecord(sessionId, seq, 'approval-asked', data), turnId };
}
/** Text chunks 1 … `to`. */
export function recordsTo(sessionId: string, to: number): LogRecord[] {
  return Array.from({ length: to }, (_, at) => textChunk(sessionId, at + 1));
}
export function receiptOf(sessionId: string, id: string, over: Partial<Receipt> = {}): Receipt {
  const content = [{ type: 'text' as const, text: `words of ${id}` }];
  return {
    id,
    sessionId,
    seq: 1,
    state: 'pending',
    delivery: 'queue',
    content,
    rank: 1,
    rev: 1,
    composedAt: 1,
    promotedSeq: null,
    ...over,
  };
}
export function summaryOf(id: string, over: Partial<SessionSummary> = {}): SessionSummary {
  return {
    id,
    title: id,
    workspace: '/w',
    model: null,
    effort: null,
    mode: 'ask',
    status: 'idle',
    turnId: null,
    paused: null,
    head: 0,
    total: 0,
    version: 0,
    rev: 0,
    pinned: false,
    archived: false,
    createdAt: 1,
    updatedAt: 1000,
    lastWords: '',
    ...over,
  };
}
/** A snapshot whose newest records are these. */
export function timelineOf(sessionId: string, records: LogRecord[], over: Partial<Timeline> = {}): Timeline {
  const head = records.at(-1)?.seq ?? 0;
  const session = summaryOf(sessionId, { head, total: head, version: 1_000_000 });
  return { session, records, pendingInputs: [], approvals: [], live: null, head, epoch: 'epoch-1', ...over };
}
