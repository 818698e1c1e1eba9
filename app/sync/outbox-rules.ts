/**
 * Which rows may go now. Inputs of a session go in order, behind its creation; everything else waits only for what it is
 * about. A refused input holds the author's later inputs of that session until the user chooses (law 3). Pure.
 */
import type { OutboxRow } from '../own/port.ts';
import { inputOf } from './orders.ts';

/** Whether `earlier` must be with the server before `row` may go. Rows that are done are not in the outbox, or `acked`. */
function waitsFor(row: OutboxRow, earlier: OutboxRow): boolean {
  if (earlier.state === 'acked' || earlier.sessionId !== row.sessionId) return false;
  // Nothing can be done to a session that was not made, but to delete it.
  if (earlier.command.kind === 'create') return row.command.kind !== 'delete' || earlier.state !== 'refused';
  const about = inputOf(row.command);
  if (about !== null) return aboutInput(row, earlier, about);
  switch (row.command.kind) {
    case 'input':
      return earlier.command.kind === 'input' && earlier.state !== 'cancelled';
    case 'patch':
    case 'delete':
      return earlier.command.kind === 'patch';
    default:
      return false;
  }
}
/** A cancel overtakes the input that it takes back: the server leaves a tombstone, so that a late arrival does nothing. */
function aboutInput(row: OutboxRow, earlier: OutboxRow, inputId: string): boolean {
  // A cancel that only stands there to be undone has been heard.
  if (inputOf(earlier.command) === inputId) return earlier.state !== 'refused' && earlier.state !== 'cancelled';
  return row.command.kind === 'edit' && earlier.id === inputId && earlier.state !== 'cancelled';
}

/** Rows that a request may be made for now. Inputs that are being taken back stay. */
export function ready(rows: readonly OutboxRow[]): OutboxRow[] {
  const cancels = rows.filter(({ command }) => command.kind === 'cancel');
  const takenBack = new Set(cancels.map(({ command }) => inputOf(command)));
  // What stands for a cancelled one waits until that one certainly will not run.
  const mayRun = new Set(cancels.filter(({ state }) => state !== 'acked').map(({ command }) => inputOf(command)));
  // An edit waits for its input, and that one for what takes it back: behind the edit too, none of the three would ever go.
  const unsent = new Set(rows.filter(({ command, state }) => command.kind === 'input' && state !== 'acked').map(({ id }) => id));
  const overtakes = ({ command }: OutboxRow, earlier: OutboxRow): boolean =>
    command.kind === 'cancel' &&
    earlier.command.kind === 'edit' &&
    earlier.command.inputId === command.inputId &&
    unsent.has(command.inputId);
  return rows.filter((row, at) => {
    if (row.state !== 'held' && row.state !== 'unknown') return false;
    if (row.command.kind === 'input' && takenBack.has(row.id)) return false;
    if (row.command.kind === 'input' && row.command.replaces !== undefined && mayRun.has(row.command.replaces)) return false;
    return !rows.slice(0, at).some((earlier) => waitsFor(row, earlier) && !overtakes(row, earlier));
  });
}

/** The server has not spoken about it, as far as this device knows: it is still to be sent, or is on its way. */
export function isOutstanding({ state }: OutboxRow): boolean {
  return state === 'held' || state === 'sending' || state === 'unknown';
}
