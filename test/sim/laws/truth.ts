/** Law 16: no word on a screen says more than the server has said, and nothing old shows as working. */
import { TIMES } from '#shared/protocol/limits.ts';
import type { ReceiptView } from '../../../app/sync/views.ts';
import type { SimTab } from '../tab.ts';

/** Beyond the ping and its answer: what timers and the network may take. */
const SLACK = 2_000;
const KNOWN_UP = new Set(['live', 'catching-up']);

/** The link, and what of the list claims to be of now. */
export function lookAtLink(tab: SimTab): void {
  const { world, screen } = tab;
  const kind = screen.linkView?.kind;
  if (kind === undefined || tab.frozen) return;
  const silent = world.clock.now() - Math.max(tab.heardAt, tab.thawedAt);
  if (kind === 'live' && silent > TIMES.pingAfter + TIMES.pongWithin + SLACK)
    world.fault('law-16', `${tab.name} says that it is live, and has heard nothing for ${silent} ms`);
  if (KNOWN_UP.has(kind)) return;
  for (const { summary, fresh } of screen.rows.values())
    if (fresh) world.fault('law-16', `${tab.name} is ${kind} and shows ${summary.id} as of now`);
  const { view } = screen;
  if (!tab.engine.isUp() && view.live !== null && view.live.chunks.some(({ open }) => open))
    world.fault('law-16', `${tab.name} is ${kind} and shows ${view.sessionId} as streaming`);
  if (view.turnId !== null) world.fault('law-16', `${tab.name} is ${kind} and shows a turn of ${view.sessionId} as running`);
}

/** Every receipt's stage. */
export function lookAtReceipts(tab: SimTab, receipts: readonly ReceiptView[]): void {
  const { oracle } = tab.world;
  const seen = new Set<string>();
  for (const { id, stage, code } of receipts) {
    if (seen.has(id)) tab.world.fault('law-16', `${tab.name} shows ${id} twice`);
    seen.add(id);
    const ever = oracle.histories.flatMap(({ inputs }) => inputs.get(id) ?? []);
    if ((stage === 'steer' || stage === 'queued') && ever.length === 0)
      tab.world.fault('law-16', `${tab.name} shows ${id} as ${stage}, and no server has admitted it`);
    if (stage === 'cancelled' && code === null && !ever.some(({ state }) => state === 'cancelled'))
      tab.world.fault('law-16', `${tab.name} shows ${id} as cancelled, and no server has cancelled it`);
  }
}
