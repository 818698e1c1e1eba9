/** A receipt as the screen is handed it. */
import type { ReceiptView, Stage } from '../../app/sync/views.ts';

export function receiptView(id: string, stage: Stage, text: string, more: Partial<ReceiptView> = {}): ReceiptView {
  return {
    id,
    sessionId: 's',
    content: [{ type: 'text', text }],
    delivery: stage === 'queued' ? 'queue' : 'steer',
    stage,
    place: null,
    of: null,
    tries: 0,
    reason: null,
    code: null,
    composedAt: 0,
    lane: stage === 'queued' ? 'tray' : 'transcript',
    asleep: false,
    seenSeq: null,
    changeHeld: false,
    heldContent: null,
    undoable: false,
    conflict: null,
    note: null,
    ...more,
  };
}
