/** The tool calls of a step, read strictly: a call whose text does not parse is never run (B27). Pure. */
import { isDeeperThan } from '#shared/plain.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isChunk, type ChunkRecord, type LogRecord } from '#shared/protocol/records.ts';
import type { ChunkDraft } from '#shared/chunks/explode.ts';

export interface ToolCall {
  /** Place in call order: also the place of its result in the tools phase. */
  i: number;
  callId: string;
  name: string;
  args: { ok: true; value: Record<string, unknown> } | { ok: false; problem: string };
}

/** Arguments must be one JSON object; empty text is an empty object (WIRE 6). */
export function parseArgs(text: string): ToolCall['args'] {
  if (text.trim() === '') return { ok: true, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return { ok: false, problem: 'the arguments are not a JSON object' };
    if (isDeeperThan(value, LIMITS.nestedLevels)) return { ok: false, problem: 'the arguments are nested too deeply' };
    return { ok: true, value: value as Record<string, unknown> };
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : 'the arguments are not JSON' };
  }
}

/** The calls among a message's drafts, in order. */
export function callsOf(drafts: readonly ChunkDraft[]): ToolCall[] {
  const calls: ToolCall[] = [];
  for (const draft of drafts) {
    if (draft.type !== 'tool_call') continue;
    const data = draft.data as { callId: string; name: string; args: string };
    calls.push({ i: calls.length, callId: data.callId, name: data.name, args: parseArgs(data.args) });
  }
  return calls;
}

/** A row of this type that can no longer be read. */
function isLost(record: ChunkRecord, type: string): boolean {
  return record.type === 'unreadable' && (record.data as { type?: unknown }).type === type;
}

export interface OpenCall extends ToolCall {
  step: number;
}
/** Calls of a turn that have no result yet, with their place in their step's call order. Matched by place, so that a result that cannot be read counts. */
export function openCalls(records: readonly LogRecord[], turnId: string): OpenCall[] {
  const open = new Map<string, OpenCall>();
  const perStep = new Map<number, number>();
  for (const record of records) {
    if (record.kind !== 'chunk' || record.turnId !== turnId || record.step === null) continue;
    const { step } = record;
    if (isChunk(record, 'tool_call') || isLost(record, 'tool_call')) {
      const i = perStep.get(step) ?? 0;
      perStep.set(step, i + 1);
      // One that cannot be read keeps its place; it is on no wire, and needs no result there.
      if (!isChunk(record, 'tool_call')) continue;
      const { callId, name, args } = record.data;
      open.set(`${step}.${i}`, { i, step, callId, name, args: parseArgs(args) });
    } else if (record.id.startsWith(`${turnId}.${step}.t.`)) open.delete(record.id.slice(`${turnId}.`.length).replace('.t.', '.'));
  }
  return [...open.values()];
}
