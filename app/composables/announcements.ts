/** What is read out while a session is open: that something happened, never streamed text. */
import type { Approval } from '#shared/protocol/summaries.ts';
import type { ReceiptView, Stage } from '../sync/views.ts';

/** What the ear can know of a receipt. */
export interface HeardReceipt {
  stage: Stage;
  place: number | null;
  reason: string | null;
  /** Something beside its stage that its author must know. */
  told: 'conflict' | 'other-turn' | 'not-moved' | 'not-turned' | null;
}
/** What the ear can know of the open session at one moment. */
export interface Heard {
  sessionId: string | null;
  /** The turn that streams here now, and its step. */
  turnId: string | null;
  step: number | null;
  receipts: ReadonlyMap<string, HeardReceipt>;
  /** The wait before the next try; null: none. */
  retry: { at: number; reason: string } | null;
  /** Open approvals: id → one line. */
  asks: ReadonlyMap<string, string>;
  isPromoted(inputId: string): boolean;
}

export interface Hearable {
  sessionId: string | null;
  turnId: string | null;
  live: { step: number; retry: { readonly at: number; readonly reason: string } | null } | null;
  receipts: readonly ReceiptView[];
  approvals: readonly Approval[];
  isPromoted(inputId: string): boolean;
}
export function heard({ sessionId, turnId, live, receipts, approvals, isPromoted }: Hearable): Heard {
  return {
    sessionId,
    turnId,
    step: live?.step ?? null,
    receipts: new Map(
      receipts.map(({ id, stage, place, reason, conflict, note }) => [
        id,
        { stage, place, reason, told: conflict === null ? note : ('conflict' as const) },
      ]),
    ),
    retry: live?.retry ?? null,
    asks: new Map(approvals.filter((approval) => approval.state === 'open').map((approval) => [approval.id, approval.summary])),
    isPromoted,
  };
}

/** What changed between two moments, in words and in order: `polite` waits for a pause in speech, `assertive` does not. */
export function announcement(before: Heard, after: Heard, now: number | null): { polite: readonly string[]; assertive: string } {
  if (before.sessionId !== after.sessionId) return { polite: [], assertive: '' };
  const polite: string[] = [];
  for (const [id, old] of before.receipts) {
    const receipt = after.receipts.get(id);
    if (receipt === undefined && old.stage !== 'cancelled' && after.isPromoted(id)) polite.push('In the transcript');
  }
  for (const [id, receipt] of after.receipts) {
    const words = receiptHeard(before.receipts.get(id), receipt);
    if (words !== null) polite.push(words);
  }
  const { retry } = after;
  if (retry !== null && retry.at !== before.retry?.at) polite.push(`${retryWhen(retry.at, now)}. ${retry.reason}`);
  if (before.turnId !== null && after.turnId !== before.turnId) polite.push('Turn finished');
  else if (after.turnId !== null && before.step !== null && after.step !== null && after.step > before.step) polite.push('Step finished');
  const asked = [...after.asks].filter(([id]) => !before.asks.has(id)).map(([, summary]) => summary);
  return { polite, assertive: asked.length === 0 ? '' : `Needs you: ${asked.join('; ')}` };
}

/** What was here before anybody listened is not told; nor what its author sees happen under the finger: that it is held, and goes. */
function receiptHeard(before: HeardReceipt | undefined, { stage, place, reason, told }: HeardReceipt): string | null {
  if (before === undefined) return null;
  if (told !== null && told !== before.told) return TOLD[told];
  if (stage === before.stage) return null;
  const isNew = before.stage !== 'steer' && before.stage !== 'queued';
  switch (stage) {
    case 'steer':
      return isNew ? 'Accepted' : 'Turned into a steer';
    case 'queued':
      return `${isNew ? 'Accepted, queued' : 'Moved to the queue'}${place === null ? '' : `, number ${place}`}`;
    case 'refused':
    case 'orphaned':
      return `Refused: ${reason ?? 'no reason was given'}`;
    case 'expired':
      return 'Too old to go unasked. Send anyway?';
    case 'unknown':
      return 'Checking whether it arrived';
    case 'cancelled':
      return 'Cancelled';
    case 'held':
      return before.stage === 'cancelled' ? 'Held on this device again' : null;
    case 'sending':
      return null;
  }
}
const TOLD: Record<NonNullable<HeardReceipt['told']>, string> = {
  conflict: 'Changed on another device too. Choose the words that stay',
  'other-turn': 'Queued: another turn was running than the one you wrote for',
  'not-moved': 'Not moved: the prompt it was to follow is gone',
  'not-turned': 'Not turned: another device was first',
};

/** Both times are the server's; where now is not known, or they differ by more than a wait can last, nothing is counted down. */
export function retryWhen(at: number, now: number | null): string {
  const seconds = now === null ? 0 : Math.ceil((at - now) / 1000);
  return `Tries again ${seconds > 0 && seconds < 600 ? `in ${seconds} s` : 'soon'}`;
}
