/** Rows as SQLite hands them over, and what the rest of Cairn sees of them. */
import type { ContentPart } from '#shared/protocol/content.ts';
import type { ApprovalState, Delivery, Effort, Mode, PauseReason, Role, SessionStatus, ToolEffect } from '#shared/protocol/records.ts';
import type { Approval, InputState, Receipt, SessionEntry, SessionSummary } from '#shared/protocol/summaries.ts';
import type { Report } from '#shared/ports.ts';
import type { Device } from '../port.ts';
import { parsed } from './damage.ts';
import { isContent } from './sound.ts';

export type Flag = 0 | 1;
export interface SessionRow {
  key: number;
  id: string;
  title: string;
  workspace: string;
  model: string | null;
  effort: Effort | null;
  mode: Mode;
  status: SessionStatus;
  head: number;
  total: number;
  version: number;
  rev: number;
  pinned: Flag;
  archived: Flag;
  created_at: number;
  updated_at: number;
  last_words: string;
  payload_hash: string | null;
  fence: number;
  owner: string | null;
  turn_id: string | null;
  resumes: number;
  paused_seq: number | null;
  paused_reason: PauseReason | null;
  pending: number;
  open_approvals: number;
  header: Flag;
  context: string | null;
  continuable: string | null;
  armed: Flag;
  deleted: Flag;
  purge: Flag;
  origin_session: string | null;
  origin_seq: number | null;
}
export interface RecordRow {
  seq: number;
  id: string;
  kind: 'chunk' | 'event';
  turn_id: string | null;
  step: number | null;
  role: Role | null;
  type: string;
  data: string;
  created_at: number;
  blob: string | null;
}
export interface InputRow {
  id: string;
  session: string;
  seq: number;
  delivery: Delivery;
  parts: string;
  payload_hash: string | null;
  state: InputState;
  promoted_seq: number | null;
  rank: number;
  held: Flag;
  seen_seq: number | null;
  aimed_turn_id: string | null;
  composed_at: number;
  rev: number;
}
export interface ApprovalRow {
  id: string;
  session: string;
  turn_id: string;
  step: number;
  call_id: string;
  name: string;
  effect: ToolEffect;
  summary: string;
  state: ApprovalState;
  asked_at: number;
  decided_by: string | null;
}
export interface DeviceRow {
  id: string;
  name: string;
  created_at: number;
  seen_at: number;
  revoked_at: number | null;
}

/** What a session is doing: it follows from its claim, its approvals and its pause, and is never set by hand. */
export function statusOf(row: SessionRow): SessionStatus {
  if (row.turn_id !== null) return row.open_approvals > 0 ? 'waiting' : 'running';
  return row.paused_seq === null ? 'idle' : 'paused';
}
export function summaryOf(row: SessionRow): SessionSummary {
  return {
    id: row.id,
    title: row.title,
    workspace: row.workspace,
    model: row.model,
    effort: row.effort,
    mode: row.mode,
    status: row.status,
    turnId: row.turn_id,
    paused: row.paused_seq === null || row.paused_reason === null ? null : { seq: row.paused_seq, reason: row.paused_reason },
    head: row.head,
    total: row.total,
    version: row.version,
    rev: row.rev,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    lastWords: row.last_words,
    origin: row.origin_session === null || row.origin_seq === null ? null : { sessionId: row.origin_session, seq: row.origin_seq },
  };
}
export function entryOf(row: SessionRow): SessionEntry {
  return row.deleted === 1 ? { id: row.id, deleted: true, version: row.version } : summaryOf(row);
}
/** What stands for words that cannot be read: the row keeps its id, its place and whatever is left of it on the disk. */
const UNREADABLE: ContentPart[] = [{ type: 'text', text: '[The words of this prompt can no longer be read on the server.]' }];

export function contentOf(row: InputRow, damaged: Report): ContentPart[] {
  const content = parsed(row.parts);
  if (isContent(content)) return content as ContentPart[];
  damaged('unreadable-input', { sessionId: row.session, inputId: row.id });
  return UNREADABLE;
}
export function receiptOf(row: InputRow, damaged: Report): Receipt {
  return {
    id: row.id,
    sessionId: row.session,
    seq: row.seq,
    state: row.state,
    delivery: row.delivery === 'steer' ? 'steer' : 'queue',
    content: contentOf(row, damaged),
    rank: row.rank,
    rev: row.rev,
    composedAt: row.composed_at,
    promotedSeq: row.promoted_seq,
    ...(row.held === 1 && row.state === 'pending' ? { held: true as const } : {}),
  };
}
export function approvalOf(row: ApprovalRow): Approval {
  return {
    id: row.id,
    sessionId: row.session,
    turnId: row.turn_id,
    step: row.step,
    callId: row.call_id,
    name: row.name,
    // What cannot be told apart is shown as what can do most.
    effect: row.effect === 'read' || row.effect === 'write' ? row.effect : 'run',
    summary: row.summary,
    state: row.state,
    askedAt: row.asked_at,
  };
}
export function deviceOf(row: DeviceRow): Device {
  return { id: row.id, name: row.name, createdAt: row.created_at, seenAt: row.seen_at, revokedAt: row.revoked_at };
}
