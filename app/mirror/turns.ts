/** The transactions of turn marks. */
import type { TurnMark } from '#shared/protocol/summaries.ts';
import type { Copied, Guard, Marks, MarksReach, Span } from './port.ts';
import { cursorOf, guardOf, holds, withLog } from './guard.ts';
import { listed, noMarks, reachBelow } from './turn-marks.ts';
import type { MarksRow, MirrorTx } from './tx.ts';

export async function turnsIn(tx: MirrorTx, sessionId: string, before: number | null, limit: number): Promise<Marks> {
  const meta = await tx.metaOf(sessionId);
  if (meta.cursor === undefined) return { turns: [], earlier: true, missing: true };
  const { seq: cursor } = meta.cursor;
  const top = Math.min(cursor, (before ?? cursor + 1) - 1);
  const low = reachBelow(meta.marks ?? noMarks(cursor), top);
  const found = await tx.turns(sessionId, low, top, limit + 1);
  if (found.length > limit) return { turns: found.slice(1), earlier: true, missing: false };
  return { turns: found, earlier: low > 1, missing: low > 1 };
}

export async function turnsReachIn(tx: MirrorTx, sessionId: string): Promise<MarksReach> {
  const meta = await tx.metaOf(sessionId);
  const { seq: cursor } = cursorOf(meta);
  return { guard: guardOf(meta), cursor, from: reachBelow(meta.marks ?? noMarks(cursor), cursor) };
}

export async function putTurnsIn(
  tx: MirrorTx,
  guard: Guard,
  sessionId: string,
  turns: readonly TurnMark[],
  { from, to }: Span,
): Promise<Copied> {
  const meta = await tx.metaOf(sessionId);
  if (!holds(meta, guard)) return { ok: false, reason: 'stale' };
  const { seq: cursor } = cursorOf(meta);
  const span = { from, to: Math.min(to, cursor) };
  // What begins above the cursor is followed there, and may be told otherwise by another history.
  const known = turns.filter(({ seq }) => seq >= span.from && seq <= span.to);
  if (span.from > span.to) return { ok: true };
  const row = meta.marks ?? noMarks(cursor);
  await Promise.all([tx.putTurns(sessionId, known), tx.setMeta(`log/${sessionId}`, withLog(meta, { marks: listed(row, span) }))]);
  return { ok: true };
}

/** The words of the newest turn up to `top`; null: it is not known which that is. */
export async function wordsBelow(tx: MirrorTx, sessionId: string, row: MarksRow, top: number): Promise<string | null> {
  const low = reachBelow(row, top);
  const [newest] = await tx.turns(sessionId, low, top, 1);
  return newest?.words ?? (low <= 1 ? '' : null);
}
