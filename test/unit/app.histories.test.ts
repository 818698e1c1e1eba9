/** One device, several tabs, and a server whose history is another one: what was found by the simulation. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Device, pause, until } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { openStand, uuid, type HttpStand } from '../support/http-stand.ts';

let stand: HttpStand;
let other: HttpStand;
let device: Device;
beforeEach(async () => {
  [stand, other] = [await openStand(), await openStand()];
  device = new Device(stand);
});
afterEach(async () => {
  device.close();
  await Promise.all([stand.close(), other.close()]);
});

async function saying(on: HttpStand, sessionId: string, words: readonly string[]): Promise<void> {
  await on.call('PUT', `/sessions/${sessionId}`, { workspace: on.workspace });
  const turn = await DrivenTurn.prompted(on, sessionId, uuid(), words[0]);
  for (const text of words.slice(1)) {
    await turn.begin();
    turn.say(0, text, true);
    await turn.seal();
  }
  await turn.settle();
}

test('B4: a tab without a link shows the history that another tab of its device took on, and joins nothing of it to the old one', async () => {
  const id = uuid();
  await saying(stand, id, ['before', 'one']);
  const after = ['after', 'two', 'three', 'four', 'five'];
  await saying(other, id, after);
  const [linked, alone] = [await device.tab().live(), await device.tab().live()];
  for (const tab of [linked, alone]) {
    await tab.commands.open(id);
    await until(() => tab.screen.words().includes('one'), 'the old history is shown');
  }
  alone.cable.cut();
  linked.cable.stand = other;
  linked.cable.drop();
  const mixed: string[] = [];
  const look = alone.screen.check;
  alone.screen.check = (view) => {
    look(view);
    const words = alone.screen.words();
    if (words.includes('before') && words.some((text) => after.includes(text))) mixed.push(words.join(' '));
  };
  await until(() => alone.screen.words().join(' ') === after.join(' '), 'the new history is shown without a link');
  expect(mixed).toEqual([]);
});

test('law 13: a session that the server did not know is kept in step once it does', async () => {
  const id = uuid();
  const tab = await device.tab().live();
  await tab.commands.open(id);
  await until(() => tab.engine.replica(id)?.refused === true, 'it is not there');
  await saying(stand, id, ['here', 'now']);
  await until(() => tab.screen.words().join(' ') === 'here now', 'it is shown');
  expect(tab.engine.replica(id)?.refused).toBe(false);
});

test('law 16: while an open link is silent for long and is being asked, no turn shows as running', async () => {
  const id = uuid();
  await stand.call('PUT', `/sessions/${id}`, { workspace: stand.workspace });
  const tab = await device.tab().live();
  await tab.commands.open(id);
  const turn = await DrivenTurn.prompted(stand, id, uuid());
  await turn.begin();
  await until(() => tab.screen.view.turnId === turn.turnId, 'the turn shows as running');
  tab.cable.freeze();
  device.ahead += 10 * 60_000;
  tab.wake();
  await until(() => tab.screen.linkView?.kind === 'connecting', 'the link is doubted');
  expect(tab.screen.view.turnId).toBeNull();
  await until(() => tab.screen.view.turnId === turn.turnId, 'a new link has answered');
});

test('B4: what a socket of the old history still tells, after another tab took on a new one, is none of its sessions', async () => {
  const id = uuid();
  await stand.call('PUT', `/sessions/${id}`, { workspace: stand.workspace });
  const tab = await device.tab().live();
  await until(() => tab.screen.rows.has(id), 'the session is listed');
  await tab.mirror.adopt('another history', true);
  const heard = tab.cable.frames.length;
  await stand.call('PATCH', `/sessions/${id}`, { title: 'Of before' });
  await until(() => tab.cable.frames.slice(heard).some((text) => text.includes('Of before')), 'the old socket has told it');
  await pause(30);
  expect(await tab.mirror.sessions()).toEqual([]);
  expect((await tab.mirror.facts()).version).toBe(0);
});
