/** What an outbox row asks of the server, and what an answer means for it. Pure. */
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Command, OutboxRow } from '../own/port.ts';
import type { Answer, Method } from './http.ts';

export interface Order {
  method: Method;
  path: string;
  body: unknown;
}

/** The same bytes at every try: nothing in here may depend on the time of sending. */
export function orderOf(row: OutboxRow): Order {
  const { command, sessionId, id } = row;
  switch (command.kind) {
    case 'create':
      return { method: 'PUT', path: ROUTES.session(sessionId), body: command.body };
    case 'input': {
      const body = { content: command.content, delivery: command.delivery, composedAt: row.composedAt, seenSeq: command.seenSeq };
      const aimed = command.aimedTurnId === undefined ? body : { ...body, aimedTurnId: command.aimedTurnId };
      return { method: 'PUT', path: ROUTES.input(sessionId, id), body: aimed };
    }
    case 'edit': {
      const { inputId, content, delivery, after, baseRev } = command;
      const body = { commandId: id, content, delivery, after, baseRev };
      return { method: 'PATCH', path: ROUTES.input(sessionId, inputId), body };
    }
    case 'cancel':
      return { method: 'DELETE', path: ROUTES.input(sessionId, command.inputId), body: { commandId: id } };
    case 'patch':
      return { method: 'PATCH', path: ROUTES.session(sessionId), body: { ...command.patch, commandId: id } };
    case 'delete':
      return { method: 'DELETE', path: ROUTES.session(sessionId), body: { commandId: id } };
    case 'stop':
      return { method: 'POST', path: ROUTES.interrupt(sessionId), body: { turnId: command.turnId, commandId: id } };
    case 'resume':
      return { method: 'POST', path: ROUTES.resume(sessionId), body: { pausedSeq: command.pausedSeq, commandId: id } };
    case 'decide': {
      const { approvalId, decision, remember } = command;
      const body = remember ? { decision, remember, commandId: id } : { decision, commandId: id };
      return { method: 'PUT', path: ROUTES.approval(sessionId, approvalId), body };
    }
  }
}

/**
 * Asks again for what was answered while nobody was there to take it in. The same command is answered the same (DESIGN 3); what
 * was done to an input may be long past, so that is asked of the input.
 */
export function againOf(row: OutboxRow): Order {
  const about = inputOf(row.command);
  return about === null ? orderOf(row) : { method: 'GET', path: ROUTES.input(row.sessionId, about), body: undefined };
}

/** Which input a row is about, beside inputs themselves. */
export function inputOf(command: Command): string | null {
  return command.kind === 'edit' || command.kind === 'cancel' ? command.inputId : null;
}

/** `trouble`: try again, nothing is known. `signed-out`: hold everything. `done`, `refused`: the server has spoken, as of `epoch`. */
export type Verdict =
  | { type: 'done'; receipt: Receipt | null; value: unknown; epoch: string }
  | { type: 'refused'; code: string; message: string; epoch: string; details?: unknown }
  | { type: 'trouble' }
  | { type: 'signed-out'; revoked: boolean };

export function verdictOf(answer: Answer): Verdict {
  if (answer.kind === 'trouble') return { type: 'trouble' };
  if (answer.kind === 'ok') return { type: 'done', receipt: receiptOf(answer.value), value: answer.value, epoch: answer.epoch };
  if (answer.status === 401) return { type: 'signed-out', revoked: answer.code === 'device-revoked' };
  return answer.retryable
    ? { type: 'trouble' }
    : { type: 'refused', code: answer.code, message: answer.message, epoch: answer.epoch, ...detailsOf(answer.details) };
}

function detailsOf(details: unknown): { details?: unknown } {
  return details === null ? {} : { details };
}
function receiptOf(value: unknown): Receipt | null {
  return typeof value === 'object' && value !== null && 'promotedSeq' in value ? (value as Receipt) : null;
}
