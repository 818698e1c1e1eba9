/** The mirror against bare IndexedDB: writing a history as the copying in the background does, and reading the newest chunks. */
import { newId } from '#shared/ids.ts';
import { randomBytes } from 'node:crypto';
import { count, ms, ratioFigure, type Bench } from '../kit/figure.ts';
import { remote } from '../kit/probing.ts';
import { compare, inTurns } from '../kit/stats.ts';
import { headOf, type Plan } from '../log/history.ts';
import type { BenchMirror } from '../page/mirror.ts';

/** Together more than 100,000 chunks on each side. */
const ROUNDS = 5;
const TURNS = 1_050;
const READ_ROUNDS = 15;
const READS = 20;
const CHUNKS = 200;

function plan(): Plan {
  const sessionId = newId({ now: () => Date.now() }, { unit: () => Math.random(), bytes: (n) => randomBytes(n) });
  return { sessionId, kind: 'work', turns: TURNS, newest: 'The newest words.' };
}

export const mirrorBench: Bench = {
  ids: ['mirror-write', 'mirror-read'],
  async measure(stage) {
    const { server, profile } = await stage.live();
    const page = await profile.blank(server, 'mirror');
    try {
      const at = remote<BenchMirror>(page, 'mirror');
      let records = 0;
      let plans = { a: plan(), b: plan() };
      const writes = await inTurns({
        rounds: ROUNDS,
        warmUp: 1,
        a: async () => (await at.writeBare((plans.a = plan()))).ms,
        async b() {
          const written = await at.writeMirror((plans.b = plan()));
          records = written.records;
          return written.ms;
        },
      });
      const write = compare(writes);
      const rate = (time: number): string => `${count(records / (time / 1_000))} records a second`;
      // The bare side reads the same session, so it has to be there.
      await at.writeBare(plans.b);
      const read = async (side: 'mirror' | 'bare') => at.read({ plan: plans.b, chunks: CHUNKS, times: READS, side });
      const reads = compare(await inTurns({ rounds: READ_ROUNDS, warmUp: 2, a: () => read('mirror'), b: () => read('bare') }));
      return [
        ratioFigure('mirror-write', write, [
          `mirror ${rate(write.b)}, bare packed puts ${rate(write.a)}; ${ROUNDS} × ${count(records)} records each`,
        ]),
        ratioFigure('mirror-read', reads, [
          `newest ${CHUNKS} chunks of ${count(headOf(plans.b))} records: mirror ${ms(reads.a)}, bare getAll ${ms(reads.b)}`,
        ]),
      ];
    } finally {
      await page.close();
    }
  },
};
