/** What the server has leaves the outbox once its chunk is here, whatever happened to this device's copy in between (law 13). */
import { expect, test } from 'vitest';
import { clock } from '../support/http-stand.ts';
import { Device, pause, until } from '../support/device/device.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();

test.each([
  ['a turn of a few words', 1],
  ['more words than a first load brings', 250],
])('law 13: a prompt of a session that nobody opened ran while its device was revoked: %s', async (_name, texts) => {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.send(id, [{ type: 'text', text: 'run this' }], 'queue');
  await until(async () => (await tab.own.rows())[0]?.state === 'acked', 'the server has it');
  const text = JSON.stringify({ error: { code: 'device-revoked', message: 'revoked', retryable: false } });
  tab.cable.fate = () => ({ status: 401, text, headers: { 'Cairn-Epoch': stand.store.epoch } });
  tab.cable.noSockets = true;
  tab.cable.drop();
  await until(() => tab.screen.linkView?.kind === 'signed-out', 'signed out');
  await until(async () => (await tab.mirror.sessions()).length === 0, 'the copy is gone');

  const opened = await stand.store.openTurn(id, 'a test', 'turn-1', clock.now(), () => []);
  const said = Array.from({ length: texts }, (_, n) => `part ${n}`);
  await stand.seal(opened!.claim, 'turn-1', 0, said);
  tab.cable.fate = () => 'pass';
  tab.cable.noSockets = false;
  // What became of the prompt is heard before the copy is here again.
  tab.cable.hold = async ({ path }) => {
    if (path.includes('/timeline')) await pause(100);
  };
  await tab.engine.signedIn(null);
  await until(() => tab.screen.linkView?.kind === 'live', 'live');
  await until(() => tab.engine.rows().length === 0, 'the row has done its work');
  expect(await tab.own.rows()).toEqual([]);
});

test('law 3: words that were changed here stay, with what ran under their id in the transcript', async () => {
  const tab = await device.tab().live();
  const other = await new Device(stand).tab({ disk: 'memory' }).live();
  const id = await stand.session();
  await tab.commands.open(id);
  tab.cable.cut();
  await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
  const inputId = await tab.commands.send(id, [{ type: 'text', text: 'first words' }], 'queue');
  // Another window, which had it in memory only, sent it.
  await other.commands.send(id, [{ type: 'text', text: 'first words' }], 'queue', inputId);
  await until(() => other.engine.rows()[0]?.state === 'acked', 'the server has it');
  await tab.commands.editInput(id, inputId, [{ type: 'text', text: 'better words' }]);
  await stand.store.openTurn(id, 'a test', 'turn-1', clock.now(), () => []);
  tab.cable.fate = ({ method }) => (method === 'PUT' ? 'no-answer' : 'pass');
  tab.cable.mend();
  tab.wake();
  await until(() => tab.screen.words().join() === 'first words', 'it is in the transcript');
  tab.cable.fate = () => 'pass';
  await until(() => tab.stages().join() === 'better words: refused', 'they stand there to be sent anew');
  await tab.commands.resendInput(id, inputId);
  await until(() => tab.stages().join() === 'better words: queued', 'they are sent');
  expect(tab.screen.words()).toEqual(['first words']);
  other.kill();
});
