/** Many clients that lose one server at once, on the real machine with simulated time: they do not come back in step (R12). */
import { expect, test } from 'vitest';
import type { Random, Timers } from '#shared/ports.ts';
import { PROTOCOL } from '#shared/protocol/version.ts';
import { Link } from '../../app/sync/link.ts';
import { LINK_BACKOFF } from '../../app/sync/state.ts';
import type { SocketListener } from '../../app/sync/ports.ts';
import { seededRandom } from '../support/store-harness.ts';

const CLIENTS = 100;

/** Simulated time: what is due runs in its order. */
class Time {
  now = 0;
  #due: { at: number; run: () => void }[] = [];
  readonly timers: Timers = {
    after: (ms, run) => {
      const entry = { at: this.now + ms, run };
      this.#due.push(entry);
      return () => void (this.#due = this.#due.filter((other) => other !== entry));
    },
  };
  pass(ms: number): void {
    const end = this.now + ms;
    for (;;) {
      const next = this.#due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#due = this.#due.filter((entry) => entry !== next);
      this.now = next.at;
      next.run();
    }
    this.now = end;
  }
}

/** A server that is there or not, and every try that was made to reach it. */
function crowd(random: Random) {
  const time = new Time();
  const server = { up: true, tries: [] as { client: number; at: number }[] };
  const open = new Map<number, SocketListener>();
  const links = Array.from({ length: CLIENTS }, (_, client) => {
    const link: Link = new Link({
      socket: (listener) => {
        server.tries.push({ client, at: time.now });
        time.timers.after(5, () => {
          if (!server.up) return listener.closed(1006);
          open.set(client, listener);
          listener.opened();
          listener.message(JSON.stringify({ type: 'welcome', protocol: PROTOCOL, epoch: 'e', version: 1 }));
        });
        return { send: () => open.get(client)?.message('{"type":"pong"}'), close: () => void open.delete(client) };
      },
      http: { ask: async () => ({ kind: 'trouble', reason: 'no-answer' }) },
      timers: time.timers,
      random,
      report: () => undefined,
      device: () => null,
      up: () => undefined,
      down: () => undefined,
      frame: () => undefined,
      heard: () => undefined,
      changed: () => undefined,
      signedOut: () => undefined,
    });
    return link;
  });
  return {
    time,
    server,
    links,
    /** The server's process is killed: every socket ends at this moment. */
    kill() {
      server.up = false;
      server.tries = [];
      const ended = [...open.values()];
      open.clear();
      for (const listener of ended) listener.closed(1006);
    },
  };
}
/** Time passes, and what was promised meanwhile is done. */
async function pass(time: Time, ms: number): Promise<void> {
  for (let at = 0; at < ms; at += 50) {
    time.pass(50);
    await Promise.resolve();
    await Promise.resolve();
  }
}

test('R12: 100 clients of a server that died come back over at least half of their wait, also long after', async () => {
  const { time, server, links, kill } = crowd(seededRandom(5));
  for (const link of links) link.dispatch({ type: 'start' });
  await pass(time, 30_000);
  expect(links.every(({ state }) => state.phase === 'up' && state.tries === 0)).toBe(true);

  kill();
  const first = (): number[] => links.map((_, client) => server.tries.find((entry) => entry.client === client)?.at ?? Number.NaN);
  const killedAt = time.now;
  await pass(time, 2_000);
  const soonest = first().map((at) => at - killedAt);
  expect(Math.max(...soonest) - Math.min(...soonest)).toBeGreaterThanOrEqual(LINK_BACKOFF.shown.base * 0.45);

  // It stays away until every wait is as long as it gets; then it is back.
  await pass(time, 120_000);
  server.tries = [];
  server.up = true;
  const backAt = time.now;
  await pass(time, 2 * LINK_BACKOFF.shown.cap);
  expect(links.every(({ state }) => state.phase === 'up')).toBe(true);
  const came = first().map((at) => at - backAt);
  expect(Math.max(...came) - Math.min(...came)).toBeGreaterThanOrEqual(LINK_BACKOFF.shown.cap * 0.5);
  const inTenth = Math.max(...came.map((at) => came.filter((other) => other >= at && other < at + LINK_BACKOFF.shown.cap / 10).length));
  expect(inTenth, 'nor most of them at one moment').toBeLessThan(CLIENTS / 2);
});

test('R12: hidden pages do not come back before they are shown, and one that is shown does at once', async () => {
  const { time, server, links, kill } = crowd(seededRandom(6));
  for (const link of links) link.dispatch({ type: 'start' });
  await pass(time, 15_000);
  const hidden = links.slice(10);
  for (const link of hidden) link.dispatch({ type: 'hide' });
  kill();
  await pass(time, 60_000);
  expect(server.tries.filter(({ client }) => client >= 10)).toEqual([]);
  server.up = true;
  server.tries = [];
  hidden[0]!.dispatch({ type: 'wake' });
  await pass(time, 1_000);
  expect(hidden[0]!.state.phase).toBe('up');
  expect(new Set(server.tries.filter(({ client }) => client >= 10).map(({ client }) => client))).toEqual(new Set([10]));
});
