/** What follows from an answer to an outbox row, beside the row itself: the mirror, the list and the user hear of it. */
import type { Receipt, SessionEntry } from '#shared/protocol/summaries.ts';
import type { Command, OutboxRow } from '../own/port.ts';
import { currentOf, rebase } from './edits.ts';
import type { Engine } from './engine.ts';
import { isMeanwhile, NOTICES, refusalOf } from './notices.ts';
import type { Verdict } from './orders.ts';
import { repatch } from './repatch.ts';
import { forgetLater } from './undo.ts';

export async function answered(engine: Engine, row: OutboxRow, verdict: Verdict): Promise<void> {
  if (verdict.type === 'refused') await refused(engine, row, verdict);
  else if (verdict.type === 'done') await done(engine, row, verdict);
}

/** A stale edit is refused with how the prompt is now: the two that are to be chosen from are shown together. */
export async function refusing(engine: Engine, row: OutboxRow, { code, details, epoch }: Verdict & { type: 'refused' }): Promise<void> {
  const current = code === 'stale-edit' ? currentOf(details) : null;
  if (current?.state !== 'pending' || engine.isPromoted(current.id)) return;
  await putReceipt(engine, current, epoch);
  await engine.projected(row.sessionId);
}

async function refused(engine: Engine, row: OutboxRow, verdict: Verdict & { type: 'refused' }): Promise<void> {
  const { command, sessionId } = row;
  if (verdict.code === 'stale-edit' && ((await rebase(engine, row, verdict.details)) || (await repatch(engine, row, verdict.details))))
    return;
  const tellsItself = command.kind === 'edit' && (await isToldInPlace(engine, sessionId, command, verdict.code));
  const notice = tellsItself ? null : refusalOf(row, verdict.code, verdict.message);
  if (notice !== null) engine.parts.screen.notice(notice);
  if (command.kind === 'decide') await closeApproval(engine, sessionId, command.approvalId);
  if (command.kind === 'cancel' && verdict.code === 'already-promoted') await dropReplacements(engine, command.inputId);
  // Words stay: those of a refused edit too. A session that was not made keeps its row, since its inputs hang on it.
  if (!tellsItself && command.kind !== 'input' && command.kind !== 'create') await engine.parts.own.remove([row.id]);
  await engine.rowsChanged();
}
/** Words always stand where they can be read; a move or turn is told at its prompt while that is pending. */
async function isToldInPlace(engine: Engine, sessionId: string, edit: Command & { kind: 'edit' }, code: string): Promise<boolean> {
  if (edit.content !== undefined) return true;
  const { inputs } = await engine.parts.mirror.projections(sessionId);
  return !isMeanwhile(code) && !engine.isPromoted(edit.inputId) && inputs.some(({ id }) => id === edit.inputId);
}
/** The prompt ran after all: what was to stand in for it, had it been cancelled, must not run beside it. */
async function dropReplacements(engine: Engine, inputId: string): Promise<void> {
  const stand = engine.rows().filter(({ command }) => command.kind === 'input' && command.replaces === inputId);
  const ids = new Set(stand.map(({ id }) => id));
  const about = engine.rows().filter(({ command }) => command.kind === 'edit' && ids.has(command.inputId));
  await engine.parts.own.remove([...ids, ...about.map(({ id }) => id)], ['held']);
}

async function done(engine: Engine, row: OutboxRow, { receipt, value, epoch }: Verdict & { type: 'done' }): Promise<void> {
  const { own, screen } = engine.parts;
  const { command, sessionId } = row;
  switch (command.kind) {
    case 'create':
    case 'patch':
    case 'delete':
      if (isEntry(value)) await engine.list.take(value, epoch);
      // Refused to be made, and deleted here before that was heard.
      if (command.kind === 'delete') await own.remove([sessionId], ['refused']);
      return;
    case 'decide':
      return closeApproval(engine, sessionId, command.approvalId);
    case 'input':
    case 'edit':
    case 'cancel':
      // A receipt that says pending of what is in the transcript by now was overtaken on its way here.
      if (receipt === null || engine.isPromoted(receipt.id)) return;
      await putReceipt(engine, receipt, epoch);
      if (command.kind === 'cancel') {
        await own.remove([command.inputId]);
        if (command.kept !== undefined) forgetLater(engine, row.id);
      }
      return engine.projected(sessionId);
    case 'stop':
      if ((value as { turnId?: unknown } | null)?.turnId === null) screen.notice(NOTICES.stopTooLate(row.id));
      return;
    case 'resume':
      return;
  }
}

/** Unless another history was adopted while the answer was on its way: then it means nothing here. */
async function putReceipt({ parts: { mirror } }: Engine, receipt: Receipt, epoch: string): Promise<void> {
  const guard = await mirror.guard(receipt.sessionId);
  if (guard.epoch === epoch) await mirror.putInput(guard, receipt);
}
async function closeApproval(engine: Engine, sessionId: string, approvalId: string): Promise<void> {
  await engine.parts.mirror.closeApproval(sessionId, approvalId);
  await engine.projected(sessionId);
}

function isEntry(value: unknown): value is SessionEntry {
  return typeof value === 'object' && value !== null && 'id' in value && 'version' in value;
}
