/** What a fork is said to be a fork of. Pure. */
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { SessionRow } from '../sync/views.ts';
import { titleOf } from './session-words.ts';

export interface ForkOf {
  words: string;
  /** Where it was cut; null: there is nothing to go to. */
  to: string | null;
}

/** `origin`: its row, if this device has it. `known`: the list is the server's word of now, so what is not in it was deleted. Null: no fork. */
export function forkOf(summary: SessionSummary, origin: SessionRow | null, known: boolean): ForkOf | null {
  const from = summary.origin ?? null;
  if (from === null) return null;
  if (origin === null) return { words: known ? 'Fork of a deleted session' : 'Fork of a session that is not on this device', to: null };
  // nothing was copied: the place it was cut at is before all there is
  return { words: `Fork of ${titleOf(origin)}`, to: from.seq === 0 ? `/s/${from.sessionId}` : `/s/${from.sessionId}/${from.seq}` };
}
