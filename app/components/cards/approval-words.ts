/** How an approval asks. */
import type { Approval } from '#shared/protocol/summaries.ts';
import { sinceWords } from '../../composables/time-words.ts';

export function questionOf(approval: Approval): string {
  switch (approval.name) {
    case 'run':
      return 'Run this command?';
    case 'write':
      return 'Write this file?';
    case 'edit':
      return 'Edit this file?';
    default:
      return `Call ${approval.name}?`;
  }
}
/** What is only remembered is asked as remembered: somebody may have answered by now (law 16, B8). */
export function rememberedOf(approval: Approval, now: number | null): string {
  return `Asked ${sinceWords(approval.askedAt, now)}, and last seen open. It may be answered by now: the first answer wins.`;
}
/** What happens on a yes, as far as it is known: nothing is promised for a command. `fresh`: it is the server's word of now. */
export function effectOf(approval: Approval, fresh: boolean): string {
  const waits = fresh ? ' The turn waits, and so does the queue.' : '';
  if (approval.effect === 'run') return `It can change files and use the network.${waits}`;
  return `${approval.effect === 'write' ? 'It changes files in the workspace.' : 'It only reads.'}${waits}`;
}
