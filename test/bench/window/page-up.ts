/** Paging up 200 chunks out of the mirror, with the server gone: where a million are stored against where a thousand are. */
import { setTimeout as wait } from 'node:timers/promises';
import { ms, ratioFigure, type Bench } from '../kit/figure.ts';
import type { Archive } from '../kit/stage.ts';
import { compare, inTurns } from '../kit/stats.ts';
import { recordsOf, type Plan } from '../log/history.ts';
import { probing } from '../kit/probing.ts';

const ROUNDS = 8;
const CHUNKS = 200;
const SETTLE = 500;

async function pageUp({ server, profile }: Archive, plan: Plan): Promise<number> {
  const page = await profile.open(`${server.url}/s/${plan.sessionId}`, 'probe');
  try {
    const probe = probing(page);
    await probe.shows(plan.newest);
    await wait(SETTLE);
    return (await probe.pageUp(recordsOf(plan, CHUNKS))).ms;
  } finally {
    await page.close();
  }
}

export const pageUpBench: Bench = {
  ids: ['page-up'],
  async measure(stage) {
    const archive = await stage.archive();
    await archive.server.stop();
    const side = (plan: Plan) => () => pageUp(archive, plan);
    const found = compare(await inTurns({ rounds: ROUNDS, warmUp: 1, a: side(archive.million), b: side(archive.thousand) }));
    await archive.server.start();
    return [ratioFigure('page-up', found, [`${CHUNKS} chunks: at 1 M ${ms(found.a)}, at 1 k ${ms(found.b)}`])];
  },
};
