/**
 * Taking an input back, and undoing that. A cancel goes at once: held back for some seconds, what somebody wanted stopped could
 * run meanwhile. Undoing it therefore depends on how far it got: what no server has heard of is as it was, under the same id; else
 * the words go again under another id, at the same place, and only once the first one certainly will not run (laws 1 and 3).
 */
import { newId } from '#shared/ids.ts';
import type { Command, Kept, OutboxRow } from '../own/port.ts';
import type { Engine } from './engine.ts';
import { enqueue, isOnlyHere, kick, NOT_THERE, rowOf } from './own-rows.ts';

/** Milliseconds for which a cancelled prompt stands there to be undone. */
const UNDO_FOR = 8_000;
type CancelCommand = Command & { kind: 'cancel' };
type CancelRow = OutboxRow & { command: CancelCommand };

function cancelOf(rows: readonly OutboxRow[], inputId: string): CancelRow | undefined {
  return rows.find((row): row is CancelRow => row.command.kind === 'cancel' && row.command.inputId === inputId);
}

export async function cancelInput(engine: Engine, sessionId: string, inputId: string): Promise<void> {
  const { own } = engine.parts;
  const row = engine.rows().find(({ id }) => id === inputId);
  if (row !== undefined && NOT_THERE.includes(row.state)) {
    await own.remove([inputId], NOT_THERE);
    return kick(engine);
  }
  if (row !== undefined && isOnlyHere(row) && (await own.change(inputId, CANCELLED_HERE, { states: ['held', 'expired'] }))) {
    if (!(await wasAttempted(engine, inputId))) {
      forgetLater(engine, inputId);
      return kick(engine);
    }
    // Another tab had sent it a moment ago: then the server has to hear of this.
    await own.change(inputId, { state: 'held', code: null }, { states: ['cancelled'] });
  }
  if (cancelOf(engine.rows(), inputId) !== undefined) return;
  const kept = await keptOf(engine, sessionId, inputId);
  await enqueue(engine, sessionId, kept === null ? { kind: 'cancel', inputId } : { kind: 'cancel', inputId, kept });
}
const CANCELLED_HERE = { state: 'cancelled', code: 'cancelled-here' } as const;

/** What it takes to write it again where it stands. Null: its words are not known here. */
async function keptOf(engine: Engine, sessionId: string, inputId: string): Promise<Kept | null> {
  const { mirror, clock, random } = engine.parts;
  const { inputs } = await mirror.projections(sessionId);
  const queue = inputs.filter(({ delivery }) => delivery === 'queue').sort((a, b) => a.rank - b.rank || a.seq - b.seq);
  const at = queue.findIndex(({ id }) => id === inputId);
  const again = { againId: newId(clock, random), after: (at > 0 ? queue[at - 1]?.id : null) ?? null };
  const receipt = inputs.find(({ id }) => id === inputId);
  if (receipt !== undefined) return { content: receipt.content, delivery: receipt.delivery, seq: receipt.seq, ...again };
  const command = engine.rows().find(({ id }) => id === inputId)?.command;
  if (command?.kind !== 'input') return null;
  return { content: command.content, delivery: command.delivery, seq: Number.MAX_SAFE_INTEGER, ...again, after: queue.at(-1)?.id ?? null };
}

/** It stands there again, at its place, with its words. */
export async function undoCancel(engine: Engine, sessionId: string, inputId: string): Promise<void> {
  const { own } = engine.parts;
  // Taken back before any server heard of it: then it is as it was.
  const isOnlyKnownHere = !(await wasAttempted(engine, inputId));
  const isBack = isOnlyKnownHere && (await own.change(inputId, { state: 'held', code: null }, { states: ['cancelled'] }));
  if (!isBack) await undoAtServer(engine, sessionId, inputId);
  await kick(engine);
}
/** As the disk says, which other tabs write too. */
async function wasAttempted(engine: Engine, rowId: string): Promise<boolean> {
  return ((await engine.parts.own.rows()).find(({ id }) => id === rowId)?.attempted ?? null) !== null;
}
async function undoAtServer(engine: Engine, sessionId: string, inputId: string): Promise<void> {
  const { own, mirror } = engine.parts;
  const before = cancelOf(await own.rows(), inputId);
  const kept = before?.command.kept;
  if (before === undefined || kept === undefined) return;
  // Held still while it is looked at: from here no flush takes it up.
  const isStill = await own.change(before.id, { state: 'cancelled' }, { states: ['held'] });
  const cancel = cancelOf(await own.rows(), inputId);
  if (cancel === undefined) return;
  if (isStill && cancel.attempted === null) return own.remove([cancel.id]);

  const { seq: seenSeq } = (await mirror.projections(sessionId)).cursor;
  const { content, delivery, after, againId } = kept;
  const place = delivery === 'queue' ? { after } : {};
  await own.add(await rowOf(engine, againId, sessionId, { kind: 'input', content, delivery, seenSeq, replaces: inputId, ...place }), false);
  if (delivery === 'queue') await enqueue(engine, sessionId, { kind: 'edit', inputId: againId, after });
  await own.change(cancel.id, { command: { kind: 'cancel', inputId } });
  // A cancel that was tried goes on until the server has spoken; one that is done has done its work.
  if (isStill) await own.change(cancel.id, { state: 'held' }, { states: ['cancelled'] });
  else await own.remove([cancel.id], ['cancelled']);
}

/** Its time to be undone passes while the page is looked at. */
export function forgetLater(engine: Engine, rowId: string): void {
  const { timers, page, own, report } = engine.parts;
  timers.after(UNDO_FOR, () => {
    if (!page.visible()) return forgetLater(engine, rowId);
    own
      .remove([rowId], ['cancelled'])
      .then(() => engine.rowsChanged())
      .catch((error: unknown) => report('undo.forget', { error }));
  });
}
