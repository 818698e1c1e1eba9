/** What the server holds resident: with a thousand idle sessions, and with two hundred running, against the same server with none. */
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench } from '../kit/figure.ts';
import { heldBy, INSPECTED, type Held } from '../kit/inspected.ts';
import { atOnce, makeSession, quiet, send } from './room.ts';

const IDLE = 1_000;
const RUNNING = 200;
const WIDTH = 16;
const BETWEEN = 250;
const mb = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MB`;
const words = ({ heap, resident }: Held): string => `${mb(resident)} (${mb(heap)} of it heap in use)`;

export const memoryBench: Bench = {
  ids: ['memory-idle', 'memory-running'],
  async measure(stage) {
    const room = await stage.serverRoom(INSPECTED);
    const { server, model } = room;
    model.answers((reply) => reply.text('Noted.'));
    const ask = async (): Promise<void> => send(server, await makeSession(server), 'Note this down.');
    // Code that has run once is there: only what sessions cost comes on top.
    await atOnce(WIDTH, WIDTH, ask);
    await quiet(room);
    const none = await heldBy(server);
    await atOnce(IDLE - WIDTH, WIDTH, ask);
    await quiet(room);
    const idle = await heldBy(server);
    const { promise: held, resolve: release } = gate();
    let waiting = 0;
    model.answers(async (reply) => {
      const at = reply.open({ type: 'text', text: '' });
      reply.delta(at, { type: 'text_delta', text: 'So far. ' });
      waiting++;
      await held;
      reply.close(at);
    });
    await atOnce(RUNNING, WIDTH, ask);
    while (waiting < RUNNING) await wait(BETWEEN);
    const running = await heldBy(server);
    release();
    await quiet(room);
    const raw = `${words(none)} with ${WIDTH} idle sessions, ${words(idle)} with ${IDLE}, ${words(running)} with ${RUNNING} running besides`;
    return [
      { id: 'memory-idle', value: idle.resident / none.resident, spread: null, raw: [raw] },
      { id: 'memory-running', value: running.resident / none.resident, spread: null, raw: [raw] },
    ];
  },
};

function gate(): { promise: Promise<void>; resolve: () => void } {
  let resolve!: () => void;
  const promise = new Promise<void>((done) => (resolve = done));
  return { promise, resolve };
}
