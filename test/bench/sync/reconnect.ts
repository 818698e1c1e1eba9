/** What a link costs that comes back with nothing new, in bytes on the cable; and what a start with a hundred sessions asks for. */
import { setTimeout as wait } from 'node:timers/promises';
import { count, type Bench } from '../kit/figure.ts';
import { remote } from '../kit/probing.ts';
import type { Plan } from '../log/history.ts';
import type { BenchSync } from '../page/sync.ts';

const SESSIONS = 100;
const ROUNDS = 5;
/** Kept in step: the open one and those before it. */
const KEPT = 4;
/** After it is live: nothing more may come. */
const SETTLE = 500;
const isList = (path: string): boolean => path.startsWith('/api/sessions?');

export const reconnectBench: Bench = {
  ids: ['reconnect-bytes', 'start-trips'],
  async measure(stage) {
    const { server, link, profile, sessions } = await stage.linked();
    const plans = await sessions(SESSIONS, 4);
    const page = await profile.blank(link, 'sync');
    try {
      const at = remote<BenchSync>(page, 'sync');
      const back = async (some: readonly Plan[]): Promise<{ up: number; down: number }> => {
        const again = at.again(some);
        const before = { ...link.bytes };
        link.cut();
        await again;
        await wait(SETTLE);
        return { up: link.bytes.up - before.up, down: link.bytes.down - before.down };
      };
      const reconnect = async (some: readonly Plan[]): Promise<{ up: number; down: number }> => {
        await at.start({ plans: some, missed: 0 });
        const rounds: { up: number; down: number }[] = [];
        while (rounds.length < ROUNDS) rounds.push(await back(some));
        await at.end();
        return rounds.toSorted((a, b) => a.up + a.down - b.up - b.down).at(-1)!;
      };
      const one = await reconnect(plans.slice(0, 1));
      const four = await reconnect(plans.slice(0, KEPT));

      const cold = await at.start({ plans: plans.slice(0, 1), missed: Infinity });
      const same = [...(await at.restart(plans.slice(0, 1)))];
      for (const plan of plans.slice(0, 3)) await server.api('PATCH', `/api/sessions/${plan.sessionId}`, { title: 'Renamed' });
      const words = ({ up, down }: { up: number; down: number }): string =>
        `${count(up + down)} bytes (${count(up)} up, ${count(down)} down)`;
      const trips = [cold, same].map((asked) => asked.filter(isList).length);
      await at.end();
      return [
        {
          id: 'reconnect-bytes',
          value: (one.up + one.down) / 1024,
          spread: null,
          raw: [`TCP, handshake and headers included, worst of ${ROUNDS}: one session open ${words(one)}, ${KEPT} in step ${words(four)}`],
        },
        {
          id: 'start-trips',
          value: Math.max(...trips),
          spread: null,
          raw: [
            `${SESSIONS} sessions: asked for on a new device: ${cold.join(', ')}; at the next start with nothing new: ${same.join(', ') || 'nothing'}`,
          ],
        },
      ];
    } finally {
      await page.close();
    }
  },
};
