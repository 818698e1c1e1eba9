/**
 * The log's records, as they are sealed, sent and mirrored. Immutable from the moment they have a seq.
 * Keys are camelCase; times are integer milliseconds since 1970.
 */
import type { ContentPart, TextPart } from './content.ts';

export type Role = 'user' | 'assistant' | 'tool' | 'system';

/** Chunk data by type. `tool_call.args` is the exact argument text as streamed, not a parse of it. */
export interface ChunkDataByType {
  prompt: { content: ContentPart[] };
  text: { text: string; citations?: unknown[] };
  /** `source`: hash of the base URL that signed it; elsewhere the signature means nothing. Redacted thinking is `raw`. */
  thinking: { text: string; signature?: string; source?: string };
  tool_call: { callId: string; name: string; args: string; caller?: unknown };
  tool_result: ToolResultData;
  error: { code: string; message: string; status?: number };
  /** `wire`: the exact words the model is shown for this row, if any. */
  system: { kind: SystemKind; text: string; wire?: string };
  /** One a started request. Never rendered; in `/chunks` and its limit, not in `total` or the window. */
  usage: UsageData;
  compaction: { block: unknown };
  /** A provider block that Cairn does not model, kept and replayed verbatim. `replay` false: its deltas were unknown too. */
  raw: { block: unknown; replay?: boolean };
}
export type ChunkType = keyof ChunkDataByType;
export type SystemKind =
  'notice' | 'context' | 'interrupted' | 'empty' | 'cut-off' | 'model-changed' | 'mode-changed' | 'cancelled' | 'limit';

export interface ToolResultData {
  callId: string;
  /** What the model is shown. */
  content: TextPart[];
  isError: boolean;
  /** Shell calls only: what was printed, as it was streamed. `exitCode` null: killed or never run. */
  shell?: { stdout: string; stderr: string; exitCode: number | null };
  /** Output was longer than the limit and its middle was left out. */
  truncated?: boolean;
  /** `interrupted`: may have run; `not-run`: certainly not run; `denied`: the user said no. Absent: it ended by itself. */
  outcome?: 'interrupted' | 'not-run' | 'denied';
}
export interface UsageData {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  model: string;
}
/** What stands for data whose JSON is over `LIMITS.inlineDataBytes`: fetch `GET /blobs/:sha256` for the whole JSON text. */
export interface BlobRef {
  blob: { sha256: string; size: number };
  preview: string;
}

interface RecordBase {
  sessionId: string;
  seq: number;
  id: string;
  createdAt: number;
}
export interface ChunkRecord extends RecordBase {
  kind: 'chunk';
  /** A `ChunkType`, or one that only a newer server knows. */
  type: string;
  turnId: string | null;
  step: number | null;
  role: Role;
  data: unknown;
}

/** Event data by type: ids and facts, never prompt text. */
export interface EventDataByType {
  admitted: { inputId: string; delivery: Delivery };
  edited: { inputId: string; rev: number };
  cancelled: { inputId: string };
  'turn-started': { turnId: string; resumes?: string };
  'step-retried': { turnId: string; step: number; attempt: number; reason: string };
  'turn-settled': { turnId: string; reason: SettledReason };
  paused: { reason: PauseReason };
  resumed: Record<string, never>;
  'wire-header': { system: string; tools: unknown[] };
  /** `model` null: the server's default from now on. */
  'model-changed': { model: string | null; effort: Effort | null };
  'mode-changed': { mode: Mode };
  renamed: { title: string };
  'approval-asked': { approvalId: string; callId: string; name: string; effect: ToolEffect; summary: string };
  /** `remember`: the like is allowed in this session from now on. */
  'approval-decided': { approvalId: string; callId: string; decision: ApprovalState; by: string | null; remember?: boolean };
  'context-cut': { from: number; to: number };
  'thinking-off': { to: number };
  compacted: { to: number };
}
export type EventType = keyof EventDataByType;
export interface EventRecord extends RecordBase {
  kind: 'event';
  /** An `EventType`, or one that only a newer server knows. */
  type: string;
  turnId: string | null;
  data: unknown;
}
export type LogRecord = ChunkRecord | EventRecord;

/** done: ended by itself; stopped: by the user; failed: for good; cut: the process died or its resumes were used up; limit: too many steps. */
export type SettledReason = 'done' | 'stopped' | 'failed' | 'cut' | 'limit' | 'deleted';
export type PauseReason = 'stopped' | 'failed' | 'refused' | 'budget';
export type Delivery = 'steer' | 'queue';
export type Mode = 'ask' | 'accept-edits' | 'plan' | 'auto';
export const MODES: readonly Mode[] = ['ask', 'accept-edits', 'plan', 'auto'];
export type Effort = 'low' | 'medium' | 'high' | 'xhigh' | 'max';
export const EFFORTS: readonly Effort[] = ['low', 'medium', 'high', 'xhigh', 'max'];
export type SessionStatus = 'idle' | 'running' | 'waiting' | 'paused';
/** What a tool call can do, which is what an approval mode goes by. */
export type ToolEffect = 'read' | 'write' | 'run';
export type ApprovalState = 'open' | 'allow' | 'deny' | 'gone';

/** Narrows a chunk to a known type. Data kept as a blob is not of that shape: test with `isBlobRef` first. */
export function isChunk<T extends ChunkType>(record: ChunkRecord, type: T): record is ChunkRecord & { type: T; data: ChunkDataByType[T] } {
  return record.type === type && !isBlobRef(record.data);
}
export function isEvent<T extends EventType>(record: LogRecord, type: T): record is EventRecord & { type: T; data: EventDataByType[T] } {
  return record.kind === 'event' && record.type === type;
}
export function isBlobRef(data: unknown): data is BlobRef {
  return typeof data === 'object' && data !== null && 'blob' in data && 'preview' in data;
}
/** Counted in `total`, held in the window and rendered: every chunk but `usage`. */
export function isShown(record: { type: string }): boolean {
  return record.type !== 'usage';
}
