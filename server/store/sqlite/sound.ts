/**
 * Whether a row's data is of the shape that its type promises. A disk, a cut-off write or a curious hand can leave JSON that
 * parses and is not what everybody reads it as: such a row is as unreadable as one that does not parse.
 */
import type { ChunkType, EventType } from '#shared/protocol/records.ts';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const either: Check = (value) => typeof value === 'boolean';
const something: Check = (value) => value !== undefined;
const list =
  (of: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(of);
const shape =
  (fields: Record<string, Check>): Check =>
  (value) =>
    isObject(value) && Object.entries(fields).every(([name, check]) => check(value[name]));
const maybe =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const textPart = shape({ type: text, text });
const attachment = shape({ type: (value) => value === 'attachment', sha256: text, name: text, mime: text });
/** The content of a prompt, and of an input that waits. */
export const isContent: Check = list((part) => (isObject(part) && part['type'] === 'text' ? textPart(part) : attachment(part)));

const CHUNKS: Record<ChunkType, Check> = {
  prompt: shape({ content: isContent }),
  text: shape({ text, citations: maybe(Array.isArray) }),
  thinking: shape({ text, signature: maybe(text), source: maybe(text) }),
  tool_call: shape({ callId: text, name: text, args: text }),
  tool_result: shape({ callId: text, content: list(textPart), isError: either }),
  error: shape({ code: text, message: text }),
  system: shape({ kind: text, text, wire: maybe(text) }),
  usage: shape({ input: number, output: number, cacheRead: number, cacheWrite: number, model: text }),
  compaction: shape({ block: something }),
  raw: shape({ block: something }),
};
/** Only what is read out of events; the rest of them is told as it is. */
const EVENTS: Partial<Record<EventType, Check>> = {
  'turn-settled': shape({ turnId: text, reason: text }),
  'wire-header': shape({ system: text, tools: Array.isArray }),
  'approval-asked': shape({ approvalId: text, callId: text }),
  'approval-decided': shape({ approvalId: text, callId: text, decision: text }),
  'context-cut': shape({ from: number, to: number }),
  'thinking-off': shape({ to: number }),
  renamed: shape({ title: text }),
};

/** A type that this version does not know may look like anything. */
export function isSound(kind: 'chunk' | 'event', type: string, data: unknown): boolean {
  const checks: Partial<Record<string, Check>> = kind === 'event' ? EVENTS : CHUNKS;
  const check = Object.hasOwn(checks, type) ? checks[type] : undefined;
  return check === undefined ? isObject(data) || kind === 'chunk' : check(data);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
