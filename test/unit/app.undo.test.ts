/** Cancel, and undo: at any moment of either, with and without a link, the words are there and run at most once. */
import { describe, expect, test } from 'vitest';
import { pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, offline, online, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();
const pending = async (id: string): Promise<string[]> =>
  (await stand.store.timeline(id, 1)).pendingInputs
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ content, delivery }) => `${(content[0] as { text: string }).text}: ${delivery}`);
async function opened(...prompts: string[]): Promise<{ tab: Tab; id: string; ids: string[] }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded && tab.screen.rows.has(id), 'the session is shown');
  const ids: string[] = [];
  for (const prompt of prompts) ids.push(await tab.commands.send(id, words(prompt), 'queue'));
  await until(
    () => tab.screen.view.receipts.filter(({ stage, place }) => stage === 'queued' && place !== null).length === prompts.length,
    'queued',
  );
  return { tab, id, ids };
}
const left = async (tab: Tab): Promise<string[]> => (await tab.own.rows()).map(({ command, state }) => `${command.kind} ${state}`);

describe('without a link', () => {
  test('what the server has: the cancel is taken back, and all is as it was, under the same id', async () => {
    const { tab, id, ids } = await opened('a', 'b');
    await offline(tab);
    await tab.commands.cancelInput(id, ids[0]!);
    expect(tab.screen.view.receipts[0]).toMatchObject({ id: ids[0], stage: 'queued', changeHeld: true, undoable: true });
    await tab.commands.undoCancel(id, ids[0]!);
    expect(tab.screen.view.receipts.map((one) => [one.id, one.changeHeld, one.undoable])).toEqual(
      ids.map((input) => [input, false, false]),
    );
    online(tab);
    await until(() => tab.screen.linkView?.kind === 'live', 'live');
    await pause(50);
    expect(await pending(id)).toEqual(['a: queue', 'b: queue']);
    expect(tab.cable.calls.filter(({ method }) => method === 'DELETE')).toEqual([]);
  });
  test('what is only here: it stands there again, between its neighbours, under the same id', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    const ids: string[] = [];
    for (const prompt of ['a', 'b', 'c']) ids.push(await tab.commands.send(id, words(prompt), 'queue'));
    await tab.commands.cancelInput(id, ids[1]!);
    expect(tab.stages()).toEqual(['a: held', 'b: cancelled', 'c: held']);
    await tab.commands.undoCancel(id, ids[1]!);
    expect(tab.screen.view.receipts.map((one) => `${one.id} ${one.stage}`)).toEqual(ids.map((input) => `${input} held`));
    online(tab);
    await until(async () => (await pending(id)).join() === 'a: queue,b: queue,c: queue', 'all three go, in order');
    expect((await stand.store.input(id, ids[1]!))?.state).toBe('pending');
  });
  test('what is only here and is not taken up again never reaches the server', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    const a = await tab.commands.send(id, words('a'), 'queue');
    await tab.commands.cancelInput(id, a);
    online(tab);
    await until(async () => (await left(tab)).length === 0, 'it is let go');
    expect(tab.cable.calls.filter(({ path }) => path.includes('/inputs/'))).toEqual([]);
  });
});

describe('with the server', () => {
  test('cancelled at once; undone, the same words stand at the same place, as another input', async () => {
    const { tab, id, ids } = await opened('a', 'b', 'c');
    await tab.commands.cancelInput(id, ids[1]!);
    await until(() => tab.stages().join() === 'a: queued,b: cancelled,c: queued', 'it is cancelled, where it stood');
    expect(await pending(id)).toEqual(['a: queue', 'c: queue']);
    expect(tab.screen.view.receipts.map(({ place }) => place)).toEqual([1, null, 2]);
    const orders: string[] = [];
    tab.screen.check = ({ receipts }) => orders.push(receipts.map(({ content }) => (content[0] as { text: string }).text).join());
    await tab.commands.undoCancel(id, ids[1]!);
    await until(async () => (await pending(id)).join() === 'a: queue,b: queue,c: queue', 'it is there again');
    await until(() => tab.stages().join() === 'a: queued,b: queued,c: queued', 'and shown so');
    await until(async () => (await left(tab)).every((row) => row === 'input acked'), 'nothing else is left here');
    expect(new Set(orders)).toEqual(new Set(['a,b,c']));
    expect((await stand.store.input(id, ids[1]!))?.state).toBe('cancelled');
  });
  test('law 1: undone twice, in two tabs, with answers lost: there once', async () => {
    const { tab, id, ids } = await opened('a', 'b');
    const other = await device.tab().live();
    await other.commands.open(id);
    await until(() => other.stages().length === 2, 'the other tab shows both');
    await tab.commands.cancelInput(id, ids[0]!);
    await until(() => other.stages()[0] === 'a: cancelled' && tab.stages()[0] === 'a: cancelled', 'cancelled in both');
    let lost = 0;
    for (const one of [tab, other]) one.cable.fate = ({ method }) => (method === 'PUT' && lost++ === 0 ? 'lost' : 'pass');
    await Promise.all([tab, tab, other].map((one) => one.commands.undoCancel(id, ids[0]!)));
    await until(async () => (await pending(id)).join() === 'a: queue,b: queue', 'it is there, once, at its place');
    await until(() => tab.stages().join() === 'a: queued,b: queued', 'and shown so');
    expect((await stand.logOf(id)).filter(({ type }) => type === 'admitted')).toHaveLength(3);
  });
  test('law 1: undone while nobody knows whether the cancel arrived: it waits for that word, and runs once', async () => {
    const { tab, id, ids } = await opened('a');
    tab.cable.fate = ({ method }) => (method === 'DELETE' ? 'lost' : 'pass');
    await tab.commands.cancelInput(id, ids[0]!);
    await until(() => tab.cable.calls.some(({ method }) => method === 'DELETE'), 'it was tried');
    await tab.commands.undoCancel(id, ids[0]!);
    await pause(50);
    expect(tab.cable.calls.filter(({ method }) => method === 'PUT')).toHaveLength(1);
    tab.cable.fate = () => 'pass';
    online(tab);
    await until(async () => (await pending(id)).join() === 'a: queue', 'then the words go again');
    await until(() => tab.stages().join() === 'a: queued', 'and are shown once');
  });
  test('law 1: undone, but the prompt had run before the cancel arrived: nothing runs a second time, and that is told', async () => {
    const { tab, id, ids } = await opened('a');
    let cancels = 0;
    tab.cable.fate = ({ method }) => (method === 'DELETE' && cancels++ === 0 ? 'no-answer' : 'pass');
    await tab.commands.cancelInput(id, ids[0]!);
    await until(() => cancels === 1, 'it was tried');
    await DrivenTurn.open(stand, id, 'turn-1');
    await tab.commands.undoCancel(id, ids[0]!);
    await until(() => tab.screen.words().join() === 'a', 'it ran');
    await until(async () => (await left(tab)).length === 0, 'nothing of it waits here');
    await pause(50);
    expect(await pending(id)).toEqual([]);
    expect((await stand.logOf(id)).filter(({ type }) => type === 'prompt')).toHaveLength(1);
  });
  test('a steer is taken back before it joins, and undone as a steer', async () => {
    const { tab, id } = await opened();
    const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
    await until(() => tab.screen.view.turnId === 'turn-1', 'it runs');
    const steer = await tab.commands.send(id, words('and this'), 'steer');
    await until(() => tab.stages().join() === 'and this: steer', 'accepted');
    await tab.commands.cancelInput(id, steer);
    await until(() => tab.stages().join() === 'and this: cancelled', 'cancelled where it stood');
    expect(tab.screen.view.receipts[0]?.lane).toBe('transcript');
    await tab.commands.undoCancel(id, steer);
    await until(async () => (await pending(id)).join() === 'and this: steer', 'it will join');
    await until(() => tab.stages().join() === 'and this: steer', 'and is shown so');
    await turn.settle();
  });
});

test.each([
  ['online', false],
  ['offline', true],
])(
  'law 3: the app is killed within these seconds, %s: cancelled or not, the words are there, and what is shown is true',
  async (_, isOffline) => {
    const { tab, id, ids } = await opened('dear to me');
    if (isOffline) await offline(tab);
    await tab.commands.cancelInput(id, ids[0]!);
    if (!isOffline) await until(async () => (await left(tab)).join() === 'cancel cancelled', 'it is cancelled');
    tab.kill();
    const later = device.tab();
    if (isOffline) later.cable.cut();
    await later.start();
    await later.commands.open(id);
    const stage = isOffline ? 'dear to me: queued' : 'dear to me: cancelled';
    await until(() => later.stages().join() === stage, 'it is shown as what it is');
    expect(later.screen.view.receipts[0]).toMatchObject({ undoable: true, content: words('dear to me') });
    // Longer than the time to undo: nobody looked at it yet, so it stays until it is put away.
    await pause(1_000);
    expect(later.stages()).toHaveLength(1);
    await later.commands.undoCancel(id, ids[0]!);
    if (isOffline) online(later);
    await until(async () => (await pending(id)).join() === 'dear to me: queue', 'it is there again');
  },
);
test('the time to undo does not pass while nobody looks', async () => {
  const { tab, id, ids } = await opened('a');
  tab.visible = false;
  await tab.commands.cancelInput(id, ids[0]!);
  await until(() => tab.stages().join() === 'a: cancelled', 'it is cancelled');
  await pause(1_200);
  expect(tab.stages()).toEqual(['a: cancelled']);
  tab.visible = true;
  await until(() => tab.stages().length === 0, 'then it passes');
});
