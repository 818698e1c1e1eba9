/** Jumping: to any turn from the list of turns, and to a record by its address, with and without the server. */
import { expect, test } from 'vitest';
import { seedSessions, type SeededTurn } from '../support/seeded.ts';
import { textRow } from '../support/store-harness.ts';
import { CairnServer } from './harness/server.ts';
import { useStage } from './harness/stage.ts';
import type { Ui } from './harness/ui.ts';

const stage = useStage();
const TURNS = 260;

function turns(): SeededTurn[] {
  return Array.from({ length: TURNS }, (_, n) => ({
    prompt: `Question ${n} about the ${n === 17 ? 'lighthouse' : 'harbour'}`,
    rows: (turnId) => [0, 1, 2].map((i) => textRow(turnId, 0, i, `Answer ${n}.${i}. ${'Boats come and go. '.repeat(4)}`)),
  }));
}
async function seeded(): Promise<{ server: CairnServer; id: string }> {
  const server = await CairnServer.create();
  stage.afterwards(() => server.dispose());
  const [made] = await seedSessions(server.dataFolder, [{ title: 'Harbour', workspace: server.workspace, turns: turns() }]);
  await server.start();
  return { server, id: made!.id };
}
/** Seq of a turn's prompt, as the server tells it. */
async function seqOf(server: CairnServer, id: string, words: string): Promise<number> {
  type Turns = { turns: { seq: number; words: string }[] };
  let before = '';
  for (;;) {
    const { body } = await server.api<Turns>('GET', `/api/sessions/${id}/turns?limit=500${before}`);
    const found = body.turns.find((turn) => turn.words === words);
    if (found !== undefined) return found.seq;
    if (body.turns.length === 0) throw new Error(`no turn with ${words}`);
    before = `&before=${body.turns[0]!.seq}`;
  }
}
const LIGHTHOUSE = 'Question 17 about the lighthouse';
async function isInView(ui: Ui, words: string): Promise<boolean> {
  const box = await ui.said(words).boundingBox({ timeout: 1_000 });
  const view = await ui.transcript().boundingBox();
  return box !== null && view !== null && box.y >= view.y && box.y + box.height <= view.y + view.height;
}

test('any turn is found by its words and shown, far outside the window, and the tail is one press away', async () => {
  const { server, id } = await seeded();
  const device = await stage.device();
  const ui = await device.signIn(server);
  await ui.page.goto(`${server.url}/s/${id}`);
  await ui.said('Answer 259.2').waitFor();
  await ui.page.getByRole('button', { name: 'Jump to a turn' }).click();
  await ui.page.getByRole('searchbox', { name: 'Find a turn by its words' }).fill('lighthouse');
  await ui.page.getByRole('link', { name: LIGHTHOUSE }).click();
  await ui.said(LIGHTHOUSE).waitFor();
  await expect.poll(() => isInView(ui, LIGHTHOUSE)).toBe(true);
  expect(ui.page.url()).toBe(`${server.url}/s/${id}/${await seqOf(server, id, LIGHTHOUSE)}`);
  // Neighbours on both sides are there: the window moved as a whole.
  await ui.said('Answer 17.0').waitFor();
  await ui.said('Answer 16.2').waitFor();
  await ui.page.getByRole('button', { name: 'Newest' }).click();
  await expect.poll(() => isInView(ui, 'Answer 259.2')).toBe(true);
});

test('an address that names a record opens there, also in a new window and without the server', async () => {
  const { server, id } = await seeded();
  const seq = await seqOf(server, id, LIGHTHOUSE);
  const device = await stage.device({ linkTrouble: true });
  const ui = await device.signIn(server);
  const other = await device.open(`${server.url}/s/${id}/${seq}`);
  await other.said(LIGHTHOUSE).waitFor();
  await expect.poll(() => isInView(other, LIGHTHOUSE)).toBe(true);
  await server.stop();
  const offline = await device.open(`${server.url}/s/${id}/${seq}`);
  await offline.said(LIGHTHOUSE).waitFor();
  await expect.poll(() => isInView(offline, LIGHTHOUSE)).toBe(true);
  await ui.page.close();
});

test('an address that names a record which is nowhere here says so, and shows the newest', async () => {
  const { server, id } = await seeded();
  const device = await stage.device({ linkTrouble: true });
  const ui = await device.signIn(server);
  // Held before any older part can come down.
  await ui.page.goto(`${server.url}/settings`);
  await ui.page.goto(`${server.url}/s/${id}`);
  await ui.said('Answer 259.2').waitFor();
  await ui.page.goto(`${server.url}/s/${id}/99999999`);
  await expect.poll(() => isInView(ui, 'Answer 259.2')).toBe(true);
});
