/** Main-thread time while an answer streams into the app, against the leanest renderer fed with the same deltas by the same server. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { PROTOCOL } from '#shared/protocol/version.ts';
import { ratioFigure, type Bench } from '../kit/figure.ts';
import { paced } from '../kit/model.ts';
import { remote } from '../kit/probing.ts';
import { busyMeter, busyWords, since, type Busy } from '../kit/meters.ts';
import type { LiveRoom } from '../kit/stage.ts';
import { compare, inTurns } from '../kit/stats.ts';
import { streamTurn, timelineOf, windowOn } from '../kit/turn.ts';
import type { Plan } from '../log/history.ts';
import { cut, markdown } from '../log/words.ts';
import type { BenchLean } from '../page/lean.ts';

const ROUNDS = 3;
const WARM_UP = 1;
const MESSAGES = 200;
const LENGTH = 200 * 1024;
const DELTAS = 4_000;
const PER_SECOND = 1_000;
const SHOWN = 700;

async function busyWhile(room: LiveRoom, plan: Plan, page: Page, pieces: readonly string[]): Promise<Busy> {
  const busy = await busyMeter(page);
  let found: Busy | null = null;
  await streamTurn(room, plan, async (reply, at) => {
    const before = await busy();
    await paced(reply, at, pieces, PER_SECOND);
    await wait(SHOWN);
    found = since(before, await busy());
  });
  return found!;
}
async function app(room: LiveRoom, plan: Plan, pieces: readonly string[]): Promise<Busy> {
  const page = await room.profile.open(`${room.server.url}/s/${plan.sessionId}`, 'probe');
  try {
    await windowOn(page, plan);
    return await busyWhile(room, plan, page, pieces);
  } finally {
    await page.close();
  }
}
/** A scroller and a column like the app's, with its styles. */
async function lean(room: LiveRoom, plan: Plan, pieces: readonly string[]): Promise<Busy> {
  const home = await (await fetch(room.server.url)).text();
  const styles = [...home.matchAll(/<link[^>]+rel="stylesheet"[^>]*>/g)].map(([link]) => link).join('');
  if (styles === '') throw new Error("the app's page has no styles");
  const body = `${styles}<div class="pane__body" role="region" style="height: 640px; width: 900px; overflow-y: auto"><div class="rec"><div class="md"></div></div></div>`;
  const page = await room.profile.blank(room.server, 'lean', body);
  try {
    const { head, epoch, records } = await timelineOf(room, plan);
    const renderer = remote<BenchLean>(page, 'lean');
    await renderer.start({ sessionId: plan.sessionId, epoch, after: head, lastId: records.at(-1)?.id ?? null, protocol: PROTOCOL });
    await wait(SHOWN);
    const found = await busyWhile(room, plan, page, pieces);
    const length = await renderer.length();
    if (length !== pieces.join('').length) throw new Error(`the lean renderer got ${length} characters`);
    return found;
  } finally {
    await page.close();
  }
}

export const leanBench: Bench = {
  ids: ['stream-busy'],
  async measure(stage) {
    const room = await stage.live();
    const plans = await room.sessions((ROUNDS + WARM_UP) * 2, MESSAGES);
    const pieces = cut(markdown(stage.seed, LENGTH, 10), DELTAS);
    const all = { a: [] as Busy[], b: [] as Busy[] };
    const side = (name: 'a' | 'b', run: typeof app) => async () => {
      const found = await run(room, plans.pop()!, pieces);
      all[name].push(found);
      return found.task;
    };
    const found = compare(await inTurns({ rounds: ROUNDS, warmUp: WARM_UP, a: side('a', app), b: side('b', lean) }));
    const words = (name: 'a' | 'b'): string => busyWords(all[name].slice(WARM_UP));
    return [ratioFigure('stream-busy', found, [`processor time for 200 KB in 4,000 deltas: app ${words('a')}, leanest ${words('b')}`])];
  },
};
