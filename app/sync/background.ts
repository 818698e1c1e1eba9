/**
 * The outbox with no page open: the worker hands over what waits here once the browser says that there may be a network. It is the
 * same outbox under the same rules, over own work alone. It wipes nothing, and takes nothing in: what the server answered is
 * left for a page (`OutboxParts.answered`), which hears of it at once if one is open.
 */
import { PROTOCOL } from '#shared/protocol/version.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import type { Own } from '../own/port.ts';
import { ClockWatch } from './clock-watch.ts';
import { flushLock } from './flush-lock.ts';
import { http } from './http.ts';
import { Outbox } from './outbox.ts';
import { isOutstanding } from './outbox-rules.ts';
import type { Channel, Fetch, Locks } from './ports.ts';

export interface BackgroundParts {
  own: Own;
  fetch: Fetch;
  locks: Locks | null;
  channel: Channel | null;
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
}

/** Hands over what may go now. False: another try could get more through. */
export async function flushInBackground(parts: BackgroundParts): Promise<boolean> {
  const { own, clock, timers, random, report, channel } = parts;
  if (!(await own.rows()).some(isOutstanding)) return true;
  const clockWatch = new ClockWatch(clock, own);
  await clockWatch.load();
  let epoch: string | null = null;
  let isShut = false;
  const server = http({
    fetch: parts.fetch,
    clock,
    timers,
    heard(told, skew) {
      epoch = told;
      clockWatch.heard(skew);
    },
  });
  const health = await server.ask('GET', ROUTES.health());
  if (health.kind !== 'ok') return false;
  // What may be said to a server of another version, its page knows.
  if ((health.value as { protocol?: unknown }).protocol !== PROTOCOL) return true;

  const lock = flushLock({ locks: parts.locks, own, timers, page: { visible: () => true } });
  channel?.listen((news) => news.type === 'own' && lock.progress());
  const outbox = new Outbox({
    own,
    http: server,
    lock,
    timers,
    random,
    report,
    epoch: () => (isShut ? null : epoch),
    clockFacts: () => clockWatch.facts(),
    isMirrored: async () => false,
    changed: async () => channel?.tell({ type: 'own' }),
    answered: null,
    signedOut() {
      // Everything is held until somebody signs in: that takes a page, and no other try of ours helps.
      isShut = true;
    },
  });
  try {
    for (;;) {
      const flushed = await outbox.flush();
      if (flushed !== 'elsewhere') return flushed === 'done' || isShut;
      await lock.turn();
    }
  } finally {
    outbox.stop();
  }
}
