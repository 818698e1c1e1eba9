/**
 * Two hundred turns at once, one of them with a command that prints as fast as it can: how late the others' words come, from the
 * model's hand to a socket, and whether each gets its share.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { PROTOCOL } from '#shared/protocol/version.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { LiveClient } from '../../support/live-client.ts';
import { count, ms, type Bench } from '../kit/figure.ts';
import { quantile } from '../kit/stats.ts';
import { atOnce, makeSession, quiet, send, timelineOf } from './room.ts';

const SESSIONS = 200;
/** A turn is so many steps, with a tool between each two; a step so many deltas. */
const STEPS = 3;
const DELTAS = 20;
/** Milliseconds between two deltas of one session: a thousand a second in all. */
const EVERY = 200;
/** Turns are begun over so many milliseconds, and last about the next of these. */
const BEGIN = 3_000;
const LONG = STEPS * DELTAS * EVERY;
const WIDTH = 16;
const PRINT = 'Print as fast as it can be.';
const CHATTY = `timeout ${Math.ceil((BEGIN + LONG) / 1_000)} yes 'the quick brown fox jumps over the lazy dog'`;

export const fairBench: Bench = {
  ids: ['fair-delta', 'fair-share'],
  async measure(stage) {
    const room = await stage.serverRoom();
    const { server, model } = room;
    const chatty = await makeSession(server);
    const sessions: string[] = [];
    await atOnce(SESSIONS - 1, WIDTH, async () => void sessions.push(await makeSession(server)));
    /** When each piece left the model's hand. */
    const sent = new Map<string, number>();
    const took: number[] = [];
    model.answers(async (reply, request) => {
      if (request.prompt.includes(PRINT)) return request.round === 0 ? reply.tool('run', { command: CHATTY }) : reply.text('Printed.');
      const name = `${/turn-\d+/.exec(request.prompt)![0]}.${request.round}`;
      const started = performance.now();
      const at = reply.open({ type: 'text', text: '' });
      for (let n = 0; n < DELTAS; n++) {
        const piece = `${name}:${n} `;
        sent.set(piece, performance.now());
        reply.delta(at, { type: 'text_delta', text: piece });
        await wait(Math.max(0, started + (n + 1) * EVERY - performance.now()));
      }
      reply.close(at);
      if (request.round < STEPS - 1) await reply.tool('list', { path: '.' });
    });
    const client = await new LiveClient(`${server.url.replace('http', 'ws')}/api/live`, { authorization: `Bearer ${server.token}` }).greet(
      PROTOCOL,
    );
    client.onframe = (frame) => {
      client.frames.length = 0;
      if (frame.type !== 'live') return;
      const now = performance.now();
      for (const event of frame.events) {
        if (event.type !== 'text-delta') continue;
        for (const piece of event.text.match(/\S+ /g) ?? []) {
          const at = sent.get(piece);
          if (at !== undefined) took.push(now - at);
        }
      }
    };
    const watched = sessions.slice(0, LIMITS.subscriptionsPerSocket);
    try {
      for (const id of watched) client.subscribe(id);
      await send(server, chatty, PRINT);
      await atOnce(sessions.length, sessions.length, async (n) => {
        await wait((n / sessions.length) * BEGIN);
        await send(server, sessions[n]!, `turn-${n}`);
      });
      await quiet(room);
      const ends = await Promise.all(sessions.map(async (id) => lengthOf(await timelineOf(server, id))));
      if (took.length < watched.length * STEPS * DELTAS * 0.9) throw new Error(`only ${took.length} deltas were seen`);
      const [half, most, worst] = [0.5, 0.95, 0.99].map((q) => quantile(took, q)) as [number, number, number];
      const [middle, last] = [quantile(ends, 0.5), Math.max(...ends)];
      return [
        {
          id: 'fair-delta',
          value: most,
          spread: { low: half, high: worst },
          raw: [
            `p50 ${ms(half)}, p95 ${ms(most)}, p99 ${ms(worst)} of ${count(took.length)} deltas in ${watched.length} of ${SESSIONS} running sessions`,
          ],
        },
        {
          id: 'fair-share',
          value: last / middle,
          spread: null,
          raw: [
            `from the turn's start to its last words: median ${ms(middle)}, the slowest ${ms(last)} of ${ends.length}; paced at ${ms(LONG)}, with a tool between each two of ${STEPS} steps`,
          ],
        },
      ];
    } finally {
      client.close();
    }
  },
};

/** Milliseconds from the opening of the only turn to its settling. */
function lengthOf({ records }: Awaited<ReturnType<typeof timelineOf>>): number {
  const at = (type: string): number => records.find((record) => record.type === type)!.createdAt;
  return at('turn-settled') - at('turn-started');
}
