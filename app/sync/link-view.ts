/** The link as it is shown: one line, always true. Pure. */
import type { OutboxRow } from '../own/port.ts';
import { isOutstanding } from './outbox-rules.ts';
import type { LinkState } from './state.ts';
import type { SubState } from './subscription.ts';
import type { LinkKind, LinkView } from './views.ts';

export interface LinkFacts {
  link: LinkState;
  /** The session list is the server's word of now. */
  synced: boolean;
  /** Of the open session. */
  replica: SubState | null;
  rows: readonly OutboxRow[];
  /** When the server last spoke, by its own clock; null: not known. */
  goodAt: number | null;
  /** Milliseconds since it last spoke in this run. */
  silentFor: number;
  skew: number | null;
  restartedAt: number | null;
}
/** Before anything is known. */
export const FIRST_VIEW: LinkView = {
  kind: 'connecting',
  since: null,
  tries: 0,
  left: 0,
  held: 0,
  prompts: 0,
  skew: null,
  restartedAt: null,
};
/**
 * A socket that is open and was silent for so long is not called live while it is being asked: the page was asleep (B1, B35). A
 * page behind others is let run once a minute only, so less than that proves nothing.
 */
const DOUBTED_AFTER = 90_000;

/** The view after these facts; `before` itself when nothing of it changed. */
export function linkView(before: LinkView, facts: LinkFacts): LinkView {
  const kind = kindOf(facts);
  const { replica, link } = facts;
  const held = facts.rows.filter(isOutstanding);
  const isHere = kind === 'live' || kind === 'catching-up';
  const next: LinkView = {
    kind,
    since: isHere ? null : facts.goodAt,
    tries: kind === 'connecting' && link.phase !== 'up' ? link.tries + 1 : 0,
    left: kind === 'catching-up' && replica !== null ? Math.max(0, replica.head - replica.cursor.seq) : 0,
    held: held.length,
    prompts: held.filter(({ command }) => command.kind === 'input').length,
    // A second or two between two answers is what `Date` rounds: it makes no other time on the screen.
    skew: isNear(before.skew, facts.skew) ? before.skew : facts.skew,
    restartedAt: isHere ? facts.restartedAt : null,
  };
  const keys = Object.keys(next) as (keyof LinkView)[];
  return keys.every((key) => next[key] === before[key]) ? before : next;
}
function isNear(a: number | null, b: number | null): boolean {
  return a !== null && b !== null && Math.abs(a - b) <= 2_000;
}

function kindOf({ link, synced, replica, silentFor }: LinkFacts): LinkKind {
  switch (link.phase) {
    case 'signed-out':
      return 'signed-out';
    case 'too-old':
      return 'update-needed';
    case 'server-old':
      return 'server-old';
    case 'up':
      if (link.probing && silentFor > DOUBTED_AFTER) return 'connecting';
      return synced && (replica === null || replica.phase === 'live' || replica.phase === 'down') ? 'live' : 'catching-up';
    default:
      return link.offline ? 'offline' : 'connecting';
  }
}
