/** What the runner's figures share: sessions, prompts and turns of a server, over its contract. */
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '#shared/ids.ts';
import type { SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import { randomBytes } from 'node:crypto';
import type { CairnServer } from '../../e2e/harness/server.ts';
import type { ServerRoom } from '../kit/stage.ts';

const clock = { now: () => Date.now() };
const random = { unit: () => Math.random(), bytes: (n: number) => randomBytes(n) };
const LOOK = 50;
const WIDTH = 16;

export function uuid(): string {
  return newId(clock, random);
}
async function put(server: CairnServer, path: string, body: unknown): Promise<void> {
  const { status } = await server.api('PUT', path, body);
  if (status !== 201) throw new Error(`PUT ${path}: ${status}`);
}
export async function makeSession(server: CairnServer): Promise<string> {
  const id = uuid();
  await put(server, `/api/sessions/${id}`, { workspace: server.workspace, mode: 'auto' });
  return id;
}
/** `resume` false: admitted without waking the session. */
export function send(server: CairnServer, sessionId: string, words: string, resume = true): Promise<void> {
  const body = { content: [{ type: 'text', text: words }], delivery: 'steer', composedAt: Date.now(), ...(resume ? {} : { resume }) };
  return put(server, `/api/sessions/${sessionId}/inputs/${uuid()}`, body);
}
export async function timelineOf(server: CairnServer, sessionId: string, limit = 1_000): Promise<Timeline> {
  return (await server.api<Timeline>('GET', `/api/sessions/${sessionId}/timeline?limit=${limit}`)).body;
}
/** Every session, as the list tells it. */
async function summaries(server: CairnServer): Promise<SessionSummary[]> {
  const all: SessionSummary[] = [];
  for (let since = 0; ;) {
    const { body } = await server.api<{ sessions: SessionSummary[]; more: boolean }>('GET', `/api/sessions?since=${since}&limit=500`);
    all.push(...body.sessions);
    if (!body.more) return all;
    since = body.sessions.at(-1)!.version;
  }
}
/** When no turn runs and no prompt waits for one; throws when one failed, or the model refused what it was sent. */
export async function quiet({ server, model }: ServerRoom): Promise<void> {
  for (;;) {
    const refused = model.refusals();
    if (refused.length > 0) throw new Error(`the model refused: ${refused.join('; ')}`);
    const now = await summaries(server);
    const failed = now.find(({ paused }) => paused !== null);
    if (failed !== undefined) throw new Error(`a turn failed: ${failed.paused!.reason}`);
    if (now.every(({ status }) => status === 'idle') && !(await waits(server, now))) return;
    await wait(LOOK);
  }
}
/** Whether a prompt that was admitted still waits: its turn is opened a moment later. */
async function waits(server: CairnServer, sessions: readonly SessionSummary[]): Promise<boolean> {
  let found = false;
  await atOnce(sessions.length, WIDTH, async (at) => {
    if (!found && (await timelineOf(server, sessions[at]!.id, 1)).pendingInputs.some(({ held }) => held !== true)) found = true;
  });
  return found;
}
/** Runs `work` for 0 … `count` - 1, at most `width` at once. */
export async function atOnce(count: number, width: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
