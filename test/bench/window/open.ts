/** Opening a session of a million chunks against opening one of a thousand: from the click in the list to the frame that shows its newest words. */
import { setTimeout as wait } from 'node:timers/promises';
import { bundle } from '../kit/bundle.ts';
import { ms, ratioFigure, type Bench, type Figure } from '../kit/figure.ts';
import { probing, remote } from '../kit/probing.ts';
import type { Archive } from '../kit/stage.ts';
import { compare, inTurns } from '../kit/stats.ts';
import type { Plan } from '../log/history.ts';
import type { BenchMirror } from '../page/mirror.ts';

const ROUNDS = 12;
/** Until the list is in step and nothing is under way: the click is all that is measured. */
const SETTLE = 600;

/** From another session that is open, in a new window. `cold`: nothing of the session's log is on this device by then. */
async function open({ server, profile, other }: Archive, plan: Plan, cold: boolean): Promise<number> {
  const page = await profile.open(`${server.url}/s/${other.sessionId}`, 'probe');
  try {
    const probe = probing(page);
    await probe.shows(other.newest);
    await wait(SETTLE);
    if (cold) {
      await page.evaluate(await bundle('mirror'));
      await remote<BenchMirror>(page, 'mirror').drop(plan.sessionId);
    }
    return await probe.open(plan);
  } finally {
    await page.close();
  }
}
async function figure(archive: Archive, id: string, words: string, cold = false): Promise<Figure> {
  const side = (plan: Plan) => () => open(archive, plan, cold);
  const found = compare(await inTurns({ rounds: ROUNDS, warmUp: 1, a: side(archive.million), b: side(archive.thousand) }));
  return ratioFigure(id, found, [`${words}: 1 M ${ms(found.a)}, 1 k ${ms(found.b)}`]);
}

export const openBench: Bench = {
  ids: ['open-online', 'open-offline'],
  async measure(stage) {
    const archive = await stage.archive();
    const online = await figure(archive, 'open-online', 'mirrored whole');
    await archive.server.stop();
    const offline = await figure(archive, 'open-offline', 'mirrored whole, server gone');
    await archive.server.start();
    return [online, offline];
  },
};

/** Measured last of those on the archive: the mirror is not whole after it. */
export const openColdBench: Bench = {
  ids: ['open-cold'],
  async measure(stage) {
    return [await figure(await stage.archive(), 'open-cold', 'its log dropped from the mirror right before', true)];
  },
};
