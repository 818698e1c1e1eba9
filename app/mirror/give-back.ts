/** What memory got while the disk took nothing goes to the disk, which another window may have moved on meanwhile. */
import type { SessionEntry } from '#shared/protocol/summaries.ts';
import { asTimeline } from './as-timeline.ts';
import { APPLY_RECORDS, type Mirror } from './port.ts';

/** `had`: the sessions that memory began with, and how far they were read; null: it could not be told which there were. */
export async function giveBack(memory: Mirror, disk: Mirror, had: ReadonlyMap<string, number> | null): Promise<void> {
  const { epoch, version } = await memory.facts();
  // Emptied by a sign-out, or never filled: the disk is asked anew.
  if (epoch === null) return;
  await disk.adopt(epoch, false);
  const sessions = await memory.sessions();
  const here = new Set(sessions.map(({ id }) => id));
  const gone = [...(had?.keys() ?? [])].filter((id) => !here.has(id));
  const entries: SessionEntry[] = [
    ...sessions.map(({ summary }) => summary),
    ...gone.map((id) => ({ id, deleted: true as const, version })),
  ];
  // Without knowing what the disk had, nobody could say what was deleted since: then the list is asked for from where the disk is.
  await disk.putSessions((await disk.facts()).guard, entries, had === null ? null : version);
  for (const { id, readTotal } of sessions) {
    if (had?.get(id) !== readTotal) await disk.markRead(id, readTotal);
    await giveBackLog(memory, disk, id);
  }
}

/** The records above the disk's cursor; where they do not join it, as a snapshot, which leaves a hole to be filled from the server. */
async function giveBackLog(memory: Mirror, disk: Mirror, sessionId: string): Promise<void> {
  const now = await memory.projections(sessionId);
  const head = now.cursor.seq;
  const { seq } = (await disk.projections(sessionId)).cursor;
  if (now.summary === null || head <= seq) return;
  const guard = await disk.guard(sessionId);
  const { records } = await memory.readBefore(sessionId, head + 1, Number.MAX_SAFE_INTEGER);
  const fresh = records.filter((record) => record.seq > seq);
  if (fresh[0]?.seq === seq + 1) {
    for (let at = 0; at < fresh.length; at += APPLY_RECORDS) {
      await disk.apply(guard, { kind: 'records', sessionId, records: fresh.slice(at, at + APPLY_RECORDS) });
    }
    await disk.replaceInputs(guard, sessionId, now.inputs, head);
  } else if (fresh.length > 0) {
    await disk.apply(guard, asTimeline(sessionId, { ...now, summary: now.summary }, fresh.slice(-APPLY_RECORDS), guard));
  }
}
