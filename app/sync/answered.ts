/** What follows from an answer to an outbox row, beside the row itself: the mirror, the list and the user hear of it. */
import type { SessionEntry } from '#shared/protocol/summaries.ts';
import type { OutboxRow } from '../own/port.ts';
import type { Engine } from './engine.ts';
import { NOTICES, refusalOf } from './notices.ts';
import type { Verdict } from './orders.ts';

export async function answered(engine: Engine, row: OutboxRow, verdict: Verdict): Promise<void> {
  if (verdict.type === 'refused') await refused(engine, row, verdict.message);
  else if (verdict.type === 'done') await done(engine, row, verdict);
}

async function refused(engine: Engine, row: OutboxRow, message: string): Promise<void> {
  const { command } = row;
  const notice = refusalOf(row, message);
  if (notice !== null) engine.parts.screen.notice(notice);
  if (command.kind === 'decide') await closeApproval(engine, row.sessionId, command.approvalId);
  // Words stay: those of a refused edit too. A session that was not made keeps its row, since its inputs hang on it.
  const keeps = command.kind === 'input' || command.kind === 'create' || (command.kind === 'edit' && command.content !== undefined);
  if (!keeps) await engine.parts.own.remove([row.id]);
  await engine.rowsChanged();
}

async function done(engine: Engine, row: OutboxRow, { receipt, value }: Verdict & { type: 'done' }): Promise<void> {
  const { mirror, own, screen } = engine.parts;
  const { command, sessionId } = row;
  switch (command.kind) {
    case 'create':
    case 'patch':
    case 'delete':
      if (isEntry(value)) await engine.list.take(value);
      return;
    case 'decide':
      return closeApproval(engine, sessionId, command.approvalId);
    case 'input':
      if (receipt?.state === 'pending' && receipt.delivery !== command.delivery) screen.notice(NOTICES.requeued(row.id));
      return;
    case 'edit':
    case 'cancel':
      // A receipt that says pending of what is in the transcript by now was overtaken on its way here.
      if (receipt === null || engine.isPromoted(receipt.id)) return;
      await mirror.putInput(await mirror.guard(sessionId), receipt);
      if (command.kind === 'cancel') await own.remove([command.inputId]);
      return engine.projected(sessionId);
    case 'stop':
    case 'resume':
      return;
  }
}

async function closeApproval(engine: Engine, sessionId: string, approvalId: string): Promise<void> {
  await engine.parts.mirror.closeApproval(sessionId, approvalId);
  await engine.projected(sessionId);
}

function isEntry(value: unknown): value is SessionEntry {
  return typeof value === 'object' && value !== null && 'id' in value && 'version' in value;
}
