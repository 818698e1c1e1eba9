/** What the receipt line under a prompt says: stage, then detail. "Sent" is never written. */
import { LIMITS } from '#shared/protocol/limits.ts';
import type { StoneKind } from '../marks/stones.ts';
import { daysAgo, countWords, sizeWords } from '../../composables/time-words.ts';
import type { ReceiptView, Stage } from '../../sync/views.ts';

export interface ReceiptFacts {
  /** The link is up: what is held goes by itself. */
  linked: boolean;
  /** Nothing goes before somebody signs in. */
  signedOut: boolean;
  /** A turn runs now. */
  running: boolean;
  /** Where the session was paused; null: it is not. */
  pausedSeq: number | null;
  /** The server's; null: not known. */
  now: number | null;
}
export interface ReceiptWords {
  strong: string;
  rest: string;
  /** Left out where there is little room. */
  more?: string;
}

export function receiptWords(receipt: ReceiptView, facts: ReceiptFacts): ReceiptWords {
  if (receipt.conflict !== null) return { strong: 'Changed on another device too.', rest: ' Choose the words that stay' };
  const change = changeWords(receipt, facts);
  if (change !== null) return change;
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
      if (isPausedSince(receipt, facts.pausedSeq)) return { strong: 'Accepted.', rest: ' Paused after you wrote it. Waits for Resume' };
      if (isAsleep(receipt, facts)) return { strong: 'Accepted.', rest: ' Written not to wake the session: runs with the next prompt' };
      return {
        strong: 'Accepted.',
        rest: facts.running
          ? ' Joins after this step'
          : facts.pausedSeq !== null
            ? ' Waits for Resume'
            : facts.linked
              ? ' Opens a turn'
              : '',
      };
    case 'queued':
      return {
        strong: receipt.place === null ? 'Queued.' : `Queued, ${ordinal(receipt.place)}.`,
        rest: ` ${noteWords(receipt, facts.pausedSeq) ?? (isAsleep(receipt, facts) ? 'Runs once another prompt wakes the session' : 'Opens its own turn')}`,
      };
    case 'refused':
      return { strong: 'Refused:', rest: ` ${refusalWords(receipt)}` };
    case 'orphaned':
      return { strong: 'Refused:', rest: ` ${receipt.reason ?? 'this session was deleted on another device'}` };
    case 'expired':
      return { strong: `Written ${agoWords(receipt.composedAt, facts.now)}, never sent.`, rest: ' Send anyway?' };
    case 'unknown':
      return { strong: 'Checking.', rest: ' It may be with the server already; the words are safe here' };
    case 'cancelled':
      return receipt.undoable ? { strong: 'Cancelled.', rest: '' } : { strong: 'Cancelled', rest: ' on another device' };
  }
}

/** A change of what the server has that it does not know of yet; null: there is none. */
function changeWords(receipt: ReceiptView, { linked }: ReceiptFacts): ReceiptWords | null {
  if (!receipt.changeHeld || (receipt.stage !== 'steer' && receipt.stage !== 'queued')) return null;
  const what = receipt.undoable ? 'Cancel' : receipt.heldContent !== null ? 'Edit' : 'Change';
  if (linked) return { strong: `${what} on its way.`, rest: receipt.undoable ? '' : ' The old words stay until the server has it' };
  const until = receipt.undoable ? 'It stays accepted until the link is back' : 'The old words stay with the server until the link is back';
  return { strong: `${what} held on this device.`, rest: ` ${until}` };
}
/** Nothing runs that it could go with, and it wakes nothing itself. */
function isAsleep(receipt: ReceiptView, { running, pausedSeq }: ReceiptFacts): boolean {
  return receipt.asleep && !running && pausedSeq === null;
}
/** Written by somebody who did not know of the pause. */
function isPausedSince(receipt: ReceiptView, pausedSeq: number | null): boolean {
  return pausedSeq !== null && receipt.seenSeq !== null && receipt.seenSeq < pausedSeq;
}
/** What happened to it that its author did not ask for; null: nothing. */
export function noteWords(receipt: ReceiptView, pausedSeq: number | null): string | null {
  switch (receipt.note) {
    case 'other-turn':
      return 'Another turn was running than the one you wrote for';
    case 'not-moved':
      return 'Not moved: the prompt it was to follow is gone';
    case 'not-turned':
      return 'Not turned: another device was first';
    case null:
      return isPausedSince(receipt, pausedSeq) ? 'Paused after you wrote it' : null;
  }
}
/** Why, in words of ours where the server's code says enough. */
function refusalWords(receipt: ReceiptView): string {
  switch (receipt.code) {
    case 'too-many-pending':
      return `${countWords(LIMITS.pendingInputs)} prompts wait in this session already. Cancel one, or let some run`;
    case 'too-large':
      return `the text is longer than ${sizeWords(LIMITS.inputTextBytes)}`;
    case 'already-promoted':
      return 'the prompt is in the transcript with its old words';
    case 'gone':
      return 'the prompt was cancelled meanwhile';
    default:
      return receipt.reason ?? 'the server gave no reason';
  }
}

export const STAGE_STONES: Record<Stage, StoneKind> = {
  held: 'held',
  sending: 'sending',
  steer: 'steer',
  queued: 'queued',
  refused: 'refused',
  orphaned: 'orphaned',
  expired: 'expired',
  unknown: 'checking',
  cancelled: 'cancelled',
};

/** `1st`, `2nd`, `13th`. */
export function ordinal(n: number): string {
  const tens = n % 100;
  const ending = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}
/** `3 days ago`, `yesterday`, `today`; a clock that ran back says nothing of age. */
function agoWords(at: number, now: number | null): string {
  const days = now === null ? -1 : daysAgo(at, now);
  if (days < 0) return 'earlier';
  if (days === 0) return 'today';
  return days === 1 ? 'yesterday' : `${days} days ago`;
}
