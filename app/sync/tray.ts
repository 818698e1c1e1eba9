/** The order of the tray. Pure. */
import type { ReceiptView } from './views.ts';

/** Shown behind another, or first: it has no place in the server's queue. */
export interface Placed {
  view: ReceiptView;
  after: string | null;
}

/** `queued` in run order, with what is placed among them where it stood; whose neighbour has left stands first. */
export function trayOrder(queued: readonly ReceiptView[], placed: readonly Placed[]): ReceiptView[] {
  const order = queued.filter((one) => !placed.some(({ view }) => view.id === one.id));
  let waiting = placed;
  // One that is placed may stand behind another that is.
  for (let left = Infinity; waiting.length > 0 && waiting.length < left;) {
    left = waiting.length;
    waiting = waiting.filter(({ view, after }) => {
      const isThere = after === null || order.some(({ id }) => id === after);
      if (isThere) order.splice(order.findIndex(({ id }) => id === after) + 1, 0, view);
      return !isThere;
    });
  }
  return [...waiting.map(({ view }) => view), ...order];
}
