/** What can be done about a receipt, in the order of its buttons. Pure. */
import type { ReceiptView } from '../../sync/views.ts';

export type ReceiptAct =
  'edit' | 'queue' | 'steer' | 'cancel' | 'undo' | 'send' | 'send-again' | 'copy' | 'write-again' | 'discard' | 'dismiss';
/** Refused for what passes: the same words may go later. */
const PASSES = new Set(['too-many-pending']);

/** `known`: its session is here, and takes words. */
export function actsOf(receipt: ReceiptView, known: boolean): readonly ReceiptAct[] {
  if (receipt.conflict !== null) return [];
  const other = receipt.delivery === 'steer' ? 'queue' : 'steer';
  switch (receipt.stage) {
    case 'held':
      return ['edit', other, 'cancel'];
    case 'sending':
      return ['cancel'];
    case 'steer':
    case 'queued':
      return receipt.undoable ? ['undo'] : ['edit', other, 'cancel'];
    case 'refused':
      return receipt.code !== null && PASSES.has(receipt.code) ? ['send-again', 'copy', 'edit', 'discard'] : ['copy', 'edit', 'discard'];
    case 'expired':
      return ['send', 'edit', 'discard'];
    case 'orphaned':
      return known ? ['send-again', 'copy', 'discard'] : ['copy', 'discard'];
    case 'cancelled':
      return receipt.undoable ? ['undo', 'dismiss'] : ['write-again', 'dismiss'];
    case 'unknown':
      return ['copy'];
  }
}
