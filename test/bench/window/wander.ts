/** Chunks in reactive state, at worst, while an answer of many parts streams and the reader scrolls and pages at random. */
import { CHUNK_LIMIT } from '#shared/protocol/limits.ts';
import type { Reply } from '../../wire/double.ts';
import { chanceOf, type Chance } from '../kit/chance.ts';
import { count, type Bench } from '../kit/figure.ts';
import { probing } from '../kit/probing.ts';
import { sentence } from '../log/words.ts';

const MESSAGES = 1_200;
const RUN = 30_000;
/** Blocks of the one answer that alone is larger than the window. */
const GIANT = 400;

/** Thinking and text in many small blocks, then tools or the end. */
async function answer(reply: Reply, chance: Chance, blocks: number): Promise<void> {
  for (let n = 0; n < blocks && !reply.aborted; n++) {
    const words = sentence(chance, chance.between(3, 12));
    if (chance.unit() < 0.2) await reply.thinking(words, { deltas: 2, wait: 2 });
    else await reply.text(words, { deltas: 3, wait: 2 });
  }
  if (blocks === GIANT || chance.unit() < 0.4) return;
  for (let calls = chance.between(1, 8); calls > 0; calls--) await reply.tool('list', {}, { deltas: 1 });
}

export const wanderBench: Bench = {
  ids: ['reactive'],
  async measure(stage) {
    const room = await stage.live();
    const [plan] = await room.sessions(1, MESSAGES);
    const chance = chanceOf(stage.seed);
    let answers = 0;
    room.model.answers((reply) => answer(reply, chance, ++answers % 5 === 2 ? GIANT : chance.between(1, 40)));
    const page = await room.profile.open(`${room.server.url}/s/${plan!.sessionId}`, 'probe');
    try {
      const probe = probing(page);
      await probe.shows(plan!.newest);
      let wandering = true;
      const prompts = (async () => {
        while (wandering) {
          await room.server.prompt(`/s/${plan!.sessionId}`, 'Go on.');
          await new Promise((resolve) => setTimeout(resolve, chance.between(500, 3_000)));
        }
      })();
      const found = await probe.wander({ seed: stage.seed, ms: RUN }).finally(() => (wandering = false));
      await prompts;
      const refused = room.model.refusals();
      if (refused.length > 0) throw new Error(`the model refused: ${refused[0]}`);
      if (found.paged < 3 || found.live < GIANT / 2) throw new Error(`not much of a run: ${JSON.stringify(found)}`);
      const raw = [
        `seed ${stage.seed}: ${found.shown} shown at most beside open ones, of ${CHUNK_LIMIT.default}; ${found.held} with the live step's fold`,
        `${count(found.counts)} counts; paged up ${found.paged} times, left the tail ${found.away} times, ${answers} answers of up to ${found.live} live chunks`,
      ];
      return [{ id: 'reactive', value: found.shown / CHUNK_LIMIT.default, spread: null, raw }];
    } finally {
      await page.close();
    }
  },
};
