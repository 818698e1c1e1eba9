/** What the log of one session must be like at every moment, and what more when nothing runs. Pure; answers what is wrong. */
import { isChunk, isEvent, type ChunkRecord, type EventRecord, type LogRecord } from '#shared/protocol/records.ts';
import { BUDGET } from '../../../server/runner/turn-state.ts';

/** `running`: the turn that is open, or null. `copied`: records that a fork began with, whose events stayed behind. */
export function breachesOf(records: readonly LogRecord[], running: string | null, copied = 0): string[] {
  const own = records.filter((record) => record.seq > copied);
  return [
    ...density(records),
    ...prompts(own),
    ...calls(records, running),
    ...turns(own, running),
    ...pauses(records),
    ...approvals(records),
  ];
}

function density(records: readonly LogRecord[]): string[] {
  const holes = records.flatMap((record, at) => (record.seq === at + 1 ? [] : [`law 5: ${record.seq} stands at place ${at + 1}`]));
  const twice = repeated(records.map((record) => record.id)).map((id) => `law 5: the id ${id} is there twice`);
  return [...holes.slice(0, 1), ...twice];
}

/** Law 1: each input at most once, after its admission and never after its cancellation. */
function prompts(records: readonly LogRecord[]): string[] {
  const bad: string[] = [];
  const admitted = new Set<string>();
  const cancelled = new Set<string>();
  for (const record of records) {
    if (isEvent(record, 'admitted')) admitted.add(record.data.inputId);
    if (isEvent(record, 'cancelled')) cancelled.add(record.data.inputId);
    if (!isPrompt(record)) continue;
    if (!admitted.has(record.id)) bad.push(`law 1: ${record.id} was promoted and never admitted`);
    if (cancelled.has(record.id)) bad.push(`law 1: ${record.id} was promoted after it was cancelled`);
  }
  return bad;
}

/** Law 12: one result a call, in its own step, before that turn goes on. Only the newest step of a running turn may have open ones. */
function calls(records: readonly LogRecord[], running: string | null): string[] {
  const bad: string[] = [];
  const open = new Map<string, ChunkRecord>();
  const answered = new Set<string>();
  for (const record of records) {
    if (record.kind !== 'chunk') continue;
    if (isChunk(record, 'tool_result')) {
      const key = `${record.turnId}/${record.step}/${record.data.callId}`;
      if (answered.has(key)) bad.push(`law 12: ${record.data.callId} has two results`);
      else if (!open.delete(key)) bad.push(`law 12: a result without its call: ${record.data.callId}`);
      answered.add(key);
      continue;
    }
    const goesOn = record.type === 'prompt' || record.role === 'assistant';
    for (const [key, call] of open) {
      if (goesOn && !(call.turnId === record.turnId && call.step === record.step)) {
        bad.push(`law 12: ${key} has no result and ${record.id} came`);
        open.delete(key);
      }
    }
    if (isChunk(record, 'tool_call')) open.set(`${record.turnId}/${record.step}/${record.data.callId}`, record);
  }
  for (const [key, call] of open) if (call.turnId !== running) bad.push(`law 12: ${key} never got its result`);
  return bad;
}

/** Law 13: a turn opens once, ends once and says nothing after it; only one is open, and it is the one that is said to run. */
function turns(records: readonly LogRecord[], running: string | null): string[] {
  const bad: string[] = [];
  const resumes = new Map<string, number>();
  const settled = new Set<string>();
  let open: string | null = null;
  for (const record of records) {
    const { turnId } = record;
    // The pause that a turn ends with comes behind its end.
    if (turnId !== null && settled.has(turnId) && !isEvent(record, 'paused'))
      bad.push(`law 13: ${record.id} came after its turn had ended`);
    if (isEvent(record, 'turn-started')) {
      const again = record.data.resumes === turnId;
      if (!again && open !== turnId && open !== null) bad.push(`law 13: ${turnId} began while ${open} ran`);
      if (again && open !== turnId) bad.push(`law 13: ${turnId} was resumed and did not run`);
      if (again) resumes.set(record.data.turnId, (resumes.get(record.data.turnId) ?? 0) + 1);
      open = turnId;
    } else if (isPrompt(record)) open ??= turnId;
    else if (isEvent(record, 'turn-settled')) {
      if (open !== turnId) bad.push(`law 13: ${turnId} ended and did not run`);
      settled.add(record.data.turnId);
      open = null;
    }
  }
  if (open !== running) bad.push(`law 13: by its log ${open} runs, by its row ${running}`);
  for (const [turn, count] of resumes) if (count > BUDGET.resumes) bad.push(`law 13: ${turn} was resumed ${count} times`);
  return bad;
}

/** While it is paused, a session begins nothing. */
function pauses(records: readonly LogRecord[]): string[] {
  const bad: string[] = [];
  let paused: EventRecord | null = null;
  for (const record of records) {
    if (isEvent(record, 'resumed')) paused = null;
    if (paused !== null && (isPrompt(record) || isEvent(record, 'turn-started') || isEvent(record, 'paused')))
      bad.push(`law 13: ${record.id} came in the pause of ${paused.seq}`);
    if (isEvent(record, 'paused')) paused = record;
  }
  return bad;
}

function approvals(records: readonly LogRecord[]): string[] {
  const asked = new Set<string>();
  const decided: string[] = [];
  const bad: string[] = [];
  for (const record of records) {
    if (isEvent(record, 'approval-asked')) asked.add(record.data.approvalId);
    if (!isEvent(record, 'approval-decided')) continue;
    decided.push(record.data.approvalId);
    if (!asked.has(record.data.approvalId)) bad.push(`B8: ${record.data.approvalId} was decided and never asked`);
  }
  return [...bad, ...repeated(decided).map((id) => `B8: ${id} was decided twice`)];
}

function isPrompt(record: LogRecord): record is ChunkRecord {
  return record.kind === 'chunk' && record.type === 'prompt';
}
function repeated(ids: readonly string[]): string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}
