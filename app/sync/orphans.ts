/** What becomes of rows whose session is gone. */
import type { OutboxRow, Own } from '../own/port.ts';

const REASON = 'This session was deleted on another device.';

/**
 * Deleted there: what was queued for it keeps its words and says why (B7); other commands mean nothing any more. Deleted by
 * this device: the user knew what went with it. Answers whether there was anything.
 */
export async function orphan(own: Own, all: readonly OutboxRow[], sessionIds: readonly string[]): Promise<boolean> {
  const rows = all.filter((row) => sessionIds.includes(row.sessionId));
  const deletedHere = new Set(rows.filter((row) => row.command.kind === 'delete').map(({ sessionId }) => sessionId));
  const isKept = (row: OutboxRow): boolean => row.command.kind === 'input' && !deletedHere.has(row.sessionId);
  await own.remove(rows.filter((row) => !isKept(row)).map(({ id }) => id));
  for (const row of rows.filter((kept) => isKept(kept) && kept.state !== 'cancelled'))
    await own.change(row.id, { state: 'orphaned', code: 'session-deleted', reason: REASON });
  return rows.length > 0;
}
