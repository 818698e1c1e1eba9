/** One streamed turn in the live room, watched from an open window of the app. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Timeline } from '#shared/protocol/summaries.ts';
import type { Reply } from '../../wire/double.ts';
import { recordsOf, shownSize, type Plan } from '../log/history.ts';
import { probing } from './probing.ts';
import type { LiveRoom } from './stage.ts';

const SETTLE = 800;

export async function timelineOf({ server }: LiveRoom, plan: Plan): Promise<Timeline> {
  return (await server.api<Timeline>('GET', `/api/sessions/${plan.sessionId}/timeline?limit=1`)).body;
}

/** Has a prompt answered by `stream`, which writes into the text block it is given. Resolves when the turn is over. */
export async function streamTurn(room: LiveRoom, plan: Plan, stream: (reply: Reply, at: number) => Promise<void>): Promise<void> {
  let failed: unknown = null;
  let streamed = false;
  room.model.answers(async (reply) => {
    const at = reply.open({ type: 'text', text: '' });
    // The server would only see an answer that was cut off: what went wrong is told to whoever asked.
    await stream(reply, at).catch((error: unknown) => (failed = error));
    reply.close(at);
    streamed = true;
  });
  await room.server.prompt(`/s/${plan.sessionId}`, 'Go on.');
  while (!streamed || (await timelineOf(room, plan)).session.turnId !== null) {
    const refused = room.model.refusals();
    if (refused.length > 0) throw new Error(`the model refused: ${refused.join('; ')}`);
    await wait(50);
  }
  if (failed !== null) throw failed;
}

/** A window of the app on this session, at its newest words, holding all of its chunks. */
export async function windowOn(page: Page, plan: Plan): Promise<void> {
  const probe = probing(page);
  await probe.shows(plan.newest);
  await wait(SETTLE);
  const shown = plan.turns * shownSize(plan.kind);
  await probe.pageUp(recordsOf(plan, shown));
  await probe.toEnd();
  const held = await probe.held();
  if (held !== shown) throw new Error(`the window holds ${held} chunks of ${shown}`);
  await wait(SETTLE);
}
