/** The link as it is shown: one line, always true. Pure. */
import type { OutboxRow } from '../own/port.ts';
import { isOutstanding } from './outbox-rules.ts';
import type { LinkState } from './state.ts';
import type { SubState } from './subscription.ts';
import type { LinkKind, LinkView } from './views.ts';

export interface LinkFacts {
  link: LinkState;
  now: number;
  /** The session list is the server's word of now. */
  synced: boolean;
  /** Of the open session. */
  replica: SubState | null;
  rows: readonly OutboxRow[];
}

/** The view after these facts; `before` itself when nothing of it changed. */
export function linkView(before: LinkView, facts: LinkFacts): LinkView {
  const kind = kindOf(facts);
  const held = facts.rows.filter(isOutstanding).length;
  const { replica } = facts;
  const next: LinkView = {
    kind,
    since: kind === before.kind && before.since !== 0 ? before.since : facts.now,
    tries: kind === 'connecting' ? facts.link.tries + 1 : 0,
    left: kind === 'catching-up' && replica !== null ? Math.max(0, replica.head - replica.cursor.seq) : 0,
    held,
  };
  const same =
    next.kind === before.kind &&
    next.since === before.since &&
    next.tries === before.tries &&
    next.left === before.left &&
    next.held === before.held;
  return same ? before : next;
}

function kindOf({ link, synced, replica }: LinkFacts): LinkKind {
  switch (link.phase) {
    case 'signed-out':
      return 'signed-out';
    case 'too-old':
      return 'update-needed';
    case 'server-old':
      return 'server-old';
    case 'up':
      return synced && (replica === null || replica.phase === 'live' || replica.phase === 'down') ? 'live' : 'catching-up';
    default:
      return link.offline ? 'offline' : 'connecting';
  }
}
