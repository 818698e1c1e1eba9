/** The link comes back after 10,000 records were missed: until all of them are mirrored and the link says live, against the bare way. */
import { count, ms, ratioFigure, type Bench } from '../kit/figure.ts';
import { remote } from '../kit/probing.ts';
import { compare, inTurns } from '../kit/stats.ts';
import { headOf } from '../log/history.ts';
import type { BenchSync } from '../page/sync.ts';

const ROUNDS = 7;
/** Each session's share: what the server still replays record by record; past it the newest are loaded at once, and the rest copied. */
const MISSED = 5_000;
const SESSIONS = 2;
/** Above the missed ones, so that there is a place to go on from. */
const MESSAGES = 1_700;

export const caughtUpBench: Bench = {
  ids: ['caught-up'],
  async measure(stage) {
    const { server, profile, sessions } = await stage.live();
    const plans = await sessions(SESSIONS, MESSAGES);
    const page = await profile.blank(server, 'sync');
    try {
      const at = remote<BenchSync>(page, 'sync');
      const asked = { plans, missed: MISSED };
      const found = compare(await inTurns({ rounds: ROUNDS, warmUp: 1, a: async () => at.catchUp(asked), b: async () => at.bare(asked) }));
      const all = SESSIONS * MISSED;
      const logs = plans.map((plan) => count(headOf(plan))).join(' and ');
      return [
        ratioFigure('caught-up', found, [
          `${count(all)} records of two logs of ${logs}: caught up ${ms(found.a)}, bare transfer and packed puts ${ms(found.b)}`,
        ]),
      ];
    } finally {
      await page.close();
    }
  },
};
