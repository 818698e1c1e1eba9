/** Rows of the outbox as commands make them: each is one durable change of own work, then a reason to flush. */
import { newId } from '#shared/ids.ts';
import type { Command, NewRow, OutboxRow, RowState } from '../own/port.ts';
import type { Engine } from './engine.ts';

/** Adds a row for a command other than an input or a create, and starts a flush. */
export async function enqueue(engine: Engine, sessionId: string, command: Command): Promise<void> {
  const { clock, random, own } = engine.parts;
  await own.add(await rowOf(engine, newId(clock, random), sessionId, command), false);
  await kick(engine);
}
export async function rowOf(engine: Engine, id: string, sessionId: string, command: Command): Promise<NewRow> {
  return { id, sessionId, command, composedAt: engine.parts.clock.now(), skew: engine.skew() };
}
export async function kick(engine: Engine): Promise<void> {
  await engine.rowsChanged();
  engine.outbox.kick();
}

/** Of this device and never sent: it can be changed where it stands. */
export function isOnlyHere(row: OutboxRow): boolean {
  return row.attempted === null && row.state !== 'acked' && row.state !== 'sending';
}
/** The server said that it does not have it, or will not. */
export const NOT_THERE: readonly RowState[] = ['refused', 'orphaned'];
