/** What is read out while a session is open: that something happened, never streamed text. */
import type { Approval } from '#shared/protocol/summaries.ts';
import type { ReceiptView, Stage } from '../sync/views.ts';

/** What the ear can know of the open session at one moment. */
export interface Heard {
  sessionId: string | null;
  /** The turn that streams here now, and its step. */
  turnId: string | null;
  step: number | null;
  stages: ReadonlyMap<string, Stage>;
  /** Open approvals: id → one line. */
  asks: ReadonlyMap<string, string>;
}

export function heard(
  sessionId: string | null,
  turnId: string | null,
  step: number | null,
  receipts: readonly ReceiptView[],
  approvals: readonly Approval[],
): Heard {
  return {
    sessionId,
    turnId,
    step,
    stages: new Map(receipts.map((receipt) => [receipt.id, receipt.stage])),
    asks: new Map(approvals.filter((approval) => approval.state === 'open').map((approval) => [approval.id, approval.summary])),
  };
}

/** What changed between two moments, in words: `polite` waits for a pause in speech, `assertive` does not. */
export function announcement(before: Heard, after: Heard): { polite: string; assertive: string } {
  if (before.sessionId !== after.sessionId) return { polite: '', assertive: '' };
  const polite: string[] = [];
  for (const [id, stage] of after.stages) {
    const old = before.stages.get(id);
    if (old !== 'held' && old !== 'sending') continue;
    if (stage === 'steer') polite.push('Accepted');
    if (stage === 'queued') polite.push('Accepted, queued');
    if (stage === 'refused') polite.push('Refused');
  }
  if (before.turnId !== null && after.turnId !== before.turnId) polite.push('Turn finished');
  else if (after.turnId !== null && before.step !== null && after.step !== null && after.step > before.step) polite.push('Step finished');
  const asked = [...after.asks].filter(([id]) => !before.asks.has(id)).map(([, summary]) => summary);
  return { polite: polite.join('. '), assertive: asked.length === 0 ? '' : `Needs you: ${asked.join('; ')}` };
}
