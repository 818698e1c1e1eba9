/** How long a delta takes from the model's hand to the DOM at a thousand deltas a second, and the longest task meanwhile. */
import type { Page } from 'playwright-core';
import { count, ms, type Bench } from '../kit/figure.ts';
import { paced } from '../kit/model.ts';
import { probing } from '../kit/probing.ts';
import { longestTask } from '../kit/tasks.ts';
import { median, quantile } from '../kit/stats.ts';
import { streamTurn, windowOn } from '../kit/turn.ts';
import { numbered } from '../log/words.ts';
import type { Seen } from '../page/socket-clock.ts';

const MESSAGES = 256;
const PER_SECOND = 1_000;
const DELTAS = 20_000;
/** Of the first of them, which meet a cold page. */
const WARM_UP = 1_000;
const SHOWN = 1_000;

/** What to add to this process's time for the page's: the smallest of several round trips knows best. */
async function clockGap(page: Page): Promise<number> {
  let best = { trip: Number.POSITIVE_INFINITY, gap: 0 };
  for (let n = 0; n < 30; n++) {
    const before = performance.now();
    const { now } = await probing(page).clock();
    const after = performance.now();
    if (after - before < best.trip) best = { trip: after - before, gap: now - (before + after) / 2 };
  }
  return best.gap;
}
/** When each number from 0 was there at the latest: the first sight of it or of a later one. */
function timesOf(seen: readonly Seen[], amount: number): number[] {
  const times: number[] = [];
  for (const { number, at } of seen) while (times.length <= Math.min(number, amount - 1)) times.push(at);
  return times;
}

export const latencyBench: Bench = {
  ids: ['delta-to-dom', 'longest-task'],
  async measure(stage) {
    const room = await stage.live();
    const [plan] = await room.sessions(1, MESSAGES);
    const pieces = numbered(stage.seed, DELTAS);
    const page = await room.profile.open(`${room.server.url}/s/${plan!.sessionId}`, 'probe', 'socket-clock');
    try {
      const probe = probing(page);
      await windowOn(page, plan!);
      const frameLength = await probe.frameLength();
      await probe.watchLatency();
      const gap = await clockGap(page);
      const sent: number[] = [];
      const tasks = await longestTask(page, () =>
        streamTurn(room, plan!, async (reply, at) => {
          await paced(reply, at, pieces, PER_SECOND, () => sent.push(performance.now() + gap));
          await new Promise((resolve) => setTimeout(resolve, SHOWN));
        }),
      );
      const { seen, arrived, long } = await probe.latencies();
      const inDom = timesOf(seen, DELTAS);
      const came = timesOf(arrived, DELTAS);
      if (inDom.length < DELTAS || came.length < DELTAS) throw new Error(`${inDom.length} of ${DELTAS} deltas were seen`);
      const whole = sent.map((at, n) => inDom[n]! - at).slice(WARM_UP);
      const inPage = came.map((at, n) => inDom[n]! - at).slice(WARM_UP);
      const words = (values: number[]): string =>
        `p50 ${ms(median(values))}, p95 ${ms(quantile(values, 0.95))}, p99 ${ms(quantile(values, 0.99))}`;
      const rate = DELTAS / ((sent.at(-1)! - sent[0]!) / 1_000);
      const raw = [
        `model to DOM ${words(whole)}; socket to DOM ${words(inPage)}`,
        `${count(rate)} deltas a second, a frame of ${ms(frameLength)}, ${count(seen.length)} changes seen`,
      ];
      const frames = (q: number): number => quantile(whole, q) / frameLength;
      return [
        { id: 'delta-to-dom', value: frames(0.95), spread: { low: frames(0.5), high: frames(0.99) }, raw },
        {
          id: 'longest-task',
          value: tasks.processor,
          spread: null,
          raw: [`${count(tasks.amount)} tasks; the longest by the clock ${ms(tasks.clock)}; ${long.length} over 50 ms by the clock`],
        },
      ];
    } finally {
      await page.close();
    }
  },
};
