/** What the rows of `meta` mean: who may write, and how far a session is applied. Pure. */
import { START, type Guard } from './port.ts';
import type { CursorRow, FactsRow, LogMeta, SessionMeta } from './tx.ts';

const NEW: FactsRow = { epoch: null, version: 0, generation: 1, floor: 1 };

/** The facts of a mirror that may hold nothing yet. */
export function factsOf(facts: FactsRow | undefined): FactsRow {
  return facts ?? NEW;
}
export function guardOf({ facts, generation }: SessionMeta): Guard {
  const { epoch, floor } = factsOf(facts);
  return { epoch, generation: generation ?? floor };
}
/** Whether a write asked for under `guard` may still happen. */
export function holds(meta: SessionMeta, guard: Guard): boolean {
  const now = guardOf(meta);
  return now.epoch === guard.epoch && now.generation === guard.generation;
}
export function cursorOf({ cursor }: LogMeta): CursorRow {
  return cursor ?? { ...START, step: 0, turnId: null };
}
/** The session's own row, with what changes of it. */
export function withLog({ generation, cursor, marks, runs }: SessionMeta, change: LogMeta): LogMeta {
  const row: LogMeta = { ...change };
  if (generation !== undefined) row.generation = generation;
  if (cursor !== undefined) row.cursor ??= cursor;
  if (marks !== undefined) row.marks ??= marks;
  if (runs !== undefined) row.runs ??= runs;
  return row;
}
