/** The engine against a real server: the plain ways first. */
import { expect, test } from 'vitest';
import { clock } from '../support/http-stand.ts';
import { until } from '../support/device/device.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();

test('a session made and a prompt written without a link reach the server once each when it is there', async () => {
  const tab = await device.tab().start();
  tab.cable.cut();
  const id = await tab.commands.createSession({ workspace: stand.workspace });
  await tab.commands.open(id);
  await tab.commands.send(id, [{ type: 'text', text: 'first words' }], 'steer');
  await until(() => tab.stages().join() === 'first words: held', 'the prompt is held here');
  expect(tab.screen.rows.get(id)).toMatchObject({ heldHere: true, heldInputs: 1, fresh: false });

  tab.cable.mend();
  tab.wake();
  await until(() => tab.stages().join() === 'first words: steer', 'the prompt is accepted');
  await until(() => tab.screen.rows.get(id)?.heldHere === false, 'the session is with the server');

  const opened = await stand.store.openTurn(id, 'a test', 'turn-1', clock.now(), () => []);
  await until(() => tab.screen.words().join() === 'first words', 'the prompt is in the transcript');
  expect(tab.stages()).toEqual([]);
  await until(async () => (await tab.own.rows()).length === 0, 'the row has done its work');
  await stand.seal(opened!.claim, 'turn-1', 0, ['an answer']);
  await until(() => tab.screen.words().join() === 'first words,an answer', 'the answer is in the transcript');
  expect(tab.reports).toEqual([]);
});

test('history, list and receipts paint from the device with no server at all', async () => {
  const first = await device.tab().live();
  const id = await stand.session();
  const { claim, turnId } = await stand.turn(id);
  await stand.seal(claim, turnId, 0, ['one', 'two', 'three']);
  await first.commands.open(id);
  await until(() => first.screen.words().length === 4, 'the answer is shown');
  await first.commands.send(id, [{ type: 'text', text: 'later' }], 'queue');
  await until(() => first.stages().join() === 'later: queued', 'the prompt is queued');
  first.kill();

  const second = device.tab();
  second.cable.cut();
  await second.start();
  await second.commands.open(id);
  expect(second.screen.words()).toEqual(['go', 'one', 'two', 'three']);
  expect(second.screen.view).toMatchObject({ atStart: true, atEnd: true, loaded: true, live: null, turnId: null });
  expect(second.stages()).toEqual(['later: queued']);
  expect(second.screen.rows.get(id)?.fresh).toBe(false);
  await until(() => second.screen.linkView?.kind === 'offline', 'the link says offline');
});

test('a session with nothing in it yet, kept in step for what waits here, is shown when it is opened', async () => {
  const tab = await device.tab().live();
  const id = await stand.session();
  tab.cable.fate = ({ method, path }) => (method === 'PUT' && path.includes('/inputs/') ? 'hang' : 'pass');
  await tab.commands.send(id, [{ type: 'text', text: 'on its way' }], 'queue');
  await until(() => tab.engine.replica(id)?.state.phase === 'live', 'it is in step');
  await tab.commands.open(id);
  expect(tab.screen.view.loaded).toBe(true);
});

test('a link that comes back with nothing new asks for no list; what changed meanwhile is asked for by version', async () => {
  const id = await stand.session();
  const tab = device.tab();
  await tab.live();
  const rename = (title: string) => stand.call('PATCH', `/sessions/${id}`, { title });
  const lists = (): string[] => tab.cable.calls.filter(({ path }) => path.startsWith('/api/sessions?')).map(({ path }) => path);
  const back = async (): Promise<string[]> => {
    const before = lists().length;
    tab.cable.drop();
    await until(() => tab.screen.linkView?.kind !== 'live', 'the link is lost');
    await until(() => tab.screen.linkView?.kind === 'live', 'the link is back');
    return lists().slice(before);
  };
  expect(await back()).toEqual([]);

  // Told by the socket, one after another, the list stays in step.
  for (const title of ['One', 'Two']) await rename(title);
  await until(() => tab.screen.rows.get(id)?.summary.title === 'Two', 'the new title is told');
  expect(await back()).toEqual([]);

  tab.cable.cut();
  await until(() => tab.screen.linkView?.kind !== 'live', 'the link is lost');
  await rename('Three');
  tab.cable.mend();
  tab.wake();
  await until(() => tab.screen.rows.get(id)?.summary.title === 'Three', 'what was missed is here');
  expect(lists()).toHaveLength(2);
  expect(lists().at(-1)).not.toContain('since=0');
});
