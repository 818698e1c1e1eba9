/** Main-thread time of the second half of a long Markdown answer against its first half: a delta late in a long answer costs what an early one does. */
import { setTimeout as wait } from 'node:timers/promises';
import { ratioFigure, type Bench } from '../kit/figure.ts';
import { paced } from '../kit/model.ts';
import { busyMeter, busyWords, since, type Busy } from '../kit/meters.ts';
import { compare } from '../kit/stats.ts';
import { streamTurn, windowOn } from '../kit/turn.ts';
import { cut, markdown } from '../log/words.ts';

const ROUNDS = 3;
const MESSAGES = 200;
const LENGTH = 200 * 1024;
const BLOCKS = 10;
const DELTAS = 4_000;
const PER_SECOND = 1_000;
/** Until what was sent is shown. */
const SHOWN = 700;

export const halvesBench: Bench = {
  ids: ['stream-halves'],
  async measure(stage) {
    const room = await stage.live();
    const first: Busy[] = [];
    const second: Busy[] = [];
    for (const [round, plan] of (await room.sessions(ROUNDS + 1, MESSAGES)).entries()) {
      const pieces = cut(markdown(stage.seed + round, LENGTH, BLOCKS), DELTAS);
      const page = await room.profile.open(`${room.server.url}/s/${plan.sessionId}`, 'probe');
      try {
        await windowOn(page, plan);
        const busy = await busyMeter(page);
        await streamTurn(room, plan, async (reply, at) => {
          const start = await busy();
          await paced(reply, at, pieces.slice(0, DELTAS / 2), PER_SECOND);
          await wait(SHOWN);
          const half = await busy();
          await paced(reply, at, pieces.slice(DELTAS / 2), PER_SECOND);
          await wait(SHOWN);
          const end = await busy();
          // The first round warms up what the browser compiles as it runs.
          if (round === 0) return;
          first.push(since(start, half));
          second.push(since(half, end));
        });
      } finally {
        await page.close();
      }
    }
    const found = compare({ a: second.map(({ task }) => task), b: first.map(({ task }) => task) });
    return [ratioFigure('stream-halves', found, [`processor time: second half ${busyWords(second)}, first half ${busyWords(first)}`])];
  },
};
