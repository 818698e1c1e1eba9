/** Exploding: live chunks → drafts of the rows that a seal writes, in exactly the order they are written. */
import type { Role } from '../protocol/records.ts';
import type { LiveFold } from './fold.ts';

/** A chunk that waits for its seal: all of a chunk record but session, seq and time. */
export interface ChunkDraft {
  id: string;
  turnId: string | null;
  step: number | null;
  role: Role;
  type: string;
  data: unknown;
}

/**
 * Drafts of a fold's chunks in order of `i`.
 * `complete`: the provider said that the message is whole (or, in the tools phase, every tool has ended).
 * `interrupted`: it was cut. A call whose arguments never ended is left out, since nobody may ever run it; text and
 * thinking keep what was shown.
 */
export function explode(live: LiveFold, end: 'complete' | 'interrupted'): ChunkDraft[] {
  return live.chunks
    .filter((chunk) => end === 'complete' || !chunk.open || chunk.type === 'text' || chunk.type === 'thinking')
    .map((chunk) => ({ id: chunk.id, turnId: live.turnId, step: live.step, role: chunk.role, type: chunk.type, data: chunk.data }));
}
