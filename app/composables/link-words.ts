/** The link line: one state, always with a shape and a word. Offline is weather, not an error. */
import type { LinkView } from '../sync/views.ts';
import { countWords, plural, sinceWords } from './time-words.ts';

export type LinkTone = 'live' | 'connecting' | 'catching' | 'offline' | 'out' | 'update' | 'memory';

/**
 * What the link line says. `memoryOnly` takes the place of "Live" only: a worse state of the link is told first, and that
 * nothing is kept in this window has a banner of its own. `brief`: for a phone, where what is held is one number.
 */
export function linkWords(link: LinkView, memoryOnly: boolean, now: number | null, brief = false): { tone: LinkTone; words: string } {
  switch (link.kind) {
    case 'live':
      if (memoryOnly) return { tone: 'memory', words: 'Memory only in this window' };
      return { tone: 'live', words: link.restartedAt === null ? 'Live' : `Server restarted ${sinceWords(link.restartedAt, now)}` };
    case 'connecting':
      return { tone: 'connecting', words: link.tries > 1 ? `Connecting, try ${countWords(link.tries)}` : 'Connecting' };
    case 'catching-up':
      return { tone: 'catching', words: link.left > 0 ? `Catching up, ${countWords(link.left)} left` : 'Catching up' };
    case 'offline':
      return {
        tone: 'offline',
        words: `Offline${link.since === null ? '' : ` since ${sinceWords(link.since, now)}`}${link.held > 0 ? `, ${brief ? `${countWords(link.held)} held` : heldWords(link)}` : ''}`,
      };
    case 'signed-out':
      return { tone: 'out', words: 'Signed out here' };
    case 'update-needed':
      return { tone: 'update', words: 'Update to keep sending' };
    case 'server-old':
      return { tone: 'update', words: 'The server needs an update' };
  }
}

/** `2 prompts held`, `1 change held`, `2 prompts, 1 change held`. */
export function heldWords({ held, prompts }: LinkView): string {
  const changes = held - prompts;
  const counted = [prompts > 0 ? plural(prompts, 'prompt') : null, changes > 0 ? plural(changes, 'change') : null];
  return `${counted.filter((words) => words !== null).join(', ')} held`;
}

/** A prompt written now waits on this device. The first try of a connection is not called down: it lasts a moment. */
export function isLinkDown(link: LinkView): boolean {
  const isUseless = link.kind === 'signed-out' || link.kind === 'update-needed' || link.kind === 'server-old';
  return isUseless || link.kind === 'offline' || (link.kind === 'connecting' && link.tries > 1);
}
