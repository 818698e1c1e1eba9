/** What the receipt line under a prompt says: stage, then detail. "Sent" is never written. */
import type { StoneKind } from '../marks/stones.ts';
import { daysAgo, countWords } from '../../composables/time-words.ts';
import type { ReceiptView, Stage } from '../../sync/views.ts';

export interface ReceiptFacts {
  /** The link is up: what is held goes by itself. */
  linked: boolean;
  /** Nothing goes before somebody signs in. */
  signedOut: boolean;
  /** A turn runs now. */
  running: boolean;
  paused: boolean;
  now: number;
}
export interface ReceiptWords {
  strong: string;
  rest: string;
  /** Left out where there is little room. */
  more?: string;
}

export function receiptWords(receipt: ReceiptView, facts: ReceiptFacts): ReceiptWords {
  if (receipt.changeHeld && (receipt.stage === 'steer' || receipt.stage === 'queued')) {
    return { strong: 'Change held on this device.', rest: ' The old words stay with the server until the link is back' };
  }
  switch (receipt.stage) {
    case 'held': {
      const place = receipt.place !== null && receipt.of !== null && receipt.of > 1 ? `, ${receipt.place} of ${receipt.of}` : '';
      const then = facts.linked
        ? receipt.place === 1
          ? 'Goes next'
          : 'Goes when those before it are accepted'
        : facts.signedOut
          ? 'Sends once you are signed in'
          : 'Sends when the link is back';
      return place === ''
        ? { strong: 'Held on this device.', rest: '', more: ` ${then}` }
        : { strong: 'Held on this device', rest: place, more: `. ${then}` };
    }
    case 'sending':
      return receipt.tries > 1
        ? { strong: 'Sending', rest: `, try ${countWords(receipt.tries)}. The words are safe here` }
        : { strong: 'Sending.', rest: ' The words are safe here' };
    case 'steer':
      return { strong: 'Accepted.', rest: facts.running ? ' Joins after this step' : facts.paused ? ' Waits for Resume' : ' Opens a turn' };
    case 'queued':
      return { strong: receipt.place === null ? 'Queued.' : `Queued, ${ordinal(receipt.place)}.`, rest: ' Opens its own turn' };
    case 'refused':
      return { strong: 'Refused:', rest: ` ${receipt.reason ?? 'the server gave no reason'}` };
    case 'orphaned':
      return { strong: 'Refused:', rest: ` ${receipt.reason ?? 'this session was deleted on another device'}` };
    case 'expired':
      return { strong: `Written ${agoWords(receipt.composedAt, facts.now)}, never sent.`, rest: ' Send anyway?' };
    case 'unknown':
      return { strong: 'Checking.', rest: ' It may be with the server already; the words are safe here' };
    case 'cancelled':
      return { strong: 'Cancelled', rest: '' };
  }
}

export const STAGE_STONES: Record<Stage, StoneKind> = {
  held: 'held',
  sending: 'sending',
  steer: 'steer',
  queued: 'queued',
  refused: 'refused',
  orphaned: 'refused',
  expired: 'expired',
  unknown: 'sending',
  cancelled: 'cancelled',
};

/** `1st`, `2nd`, `13th`. */
export function ordinal(n: number): string {
  const tens = n % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}
/** `3 days ago`, `yesterday`, `today`; a clock that ran back says nothing of age. */
function agoWords(at: number, now: number): string {
  const days = daysAgo(at, now);
  if (days < 0) return 'earlier';
  if (days === 0) return 'today';
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
