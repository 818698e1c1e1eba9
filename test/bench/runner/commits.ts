/** Commits of a turn, counted in the database's own log while the real server runs it. */
import { type Bench } from '../kit/figure.ts';
import { commitsIn } from '../kit/wal.ts';
import { makeSession, quiet, send, timelineOf } from './room.ts';

/** Steps that call a tool which ends within a second; one more ends the turn. */
const STEPS = 20;

export const commitsBench: Bench = {
  ids: ['commits'],
  async measure(stage) {
    const room = await stage.serverRoom();
    const { server, model } = room;
    model.answers((reply, request) => (request.round < STEPS ? reply.tool('list', { path: '.' }) : reply.text('Done.')));
    const count = async (work: () => Promise<unknown>): Promise<number> => {
      const before = commitsIn(server.dataFolder);
      await work();
      const after = commitsIn(server.dataFolder);
      if (after.salt !== before.salt) throw new Error('the log was begun anew meanwhile: its commits cannot be counted');
      return after.commits - before.commits;
    };
    // Both before: the log has begun, and the model is known.
    await send(server, await makeSession(server), 'Go.');
    await quiet(room);
    const session = await makeSession(server);
    const admission = await count(() => send(server, session, 'Later.', false));
    const other = await makeSession(server);
    const turn = await count(async () => {
      await send(server, other, 'Go.');
      await quiet(room);
    });
    const calls = (await timelineOf(server, other)).records.filter(({ type }) => type === 'tool_call').length;
    if (calls !== STEPS) throw new Error(`${calls} of ${STEPS} tools were called`);
    // Beside the steps: the admission, the opening (claim, promotion, start) and the settling with the last words.
    const beside = admission + 2;
    const value = (turn - beside) / STEPS;
    const raw = [
      `${turn} commits for a turn of ${STEPS} steps with a tool and one without: ${admission} admits, 1 claims and promotes, 1 seals the last words and settles`,
    ];
    return [{ id: 'commits', value, spread: null, raw }];
  },
};
