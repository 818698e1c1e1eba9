/** Signing in, signing out, being signed out: what stays on this device, and what does not. */
import { describe, expect, test } from 'vitest';
import { TOKEN } from '../support/http-stand.ts';
import { until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();

/** A tab with a mirrored session and a prompt that waits here. */
async function atWork(): Promise<{ tab: Tab; id: string }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await turn.begin();
  turn.say(0, 'secret', true);
  await turn.seal();
  await until(() => tab.screen.words().join() === 'go,secret', 'the history is here');
  tab.cable.fate = ({ method }) => (method === 'PUT' ? 'no-answer' : 'pass');
  await tab.commands.send(id, words('unsent'), 'queue');
  await until(() => tab.stages()[0]?.startsWith('unsent: ') ?? false, 'the prompt waits');
  return { tab, id };
}

test('the token goes to the server and the device gets its id; a wrong one is refused in words', async () => {
  const tab = device.tab();
  tab.cable.signedOut = true;
  await tab.start();
  await until(() => tab.screen.linkView?.kind === 'signed-out', 'signed out');
  expect(await tab.commands.signIn('not the token')).toMatchObject({ ok: false, reason: 'refused' });
  expect(tab.screen.linkView?.kind).toBe('signed-out');
  tab.cable.signedOut = false;
  expect(await tab.commands.signIn(TOKEN)).toEqual({ ok: true, value: null });
  await until(() => tab.screen.linkView?.kind === 'live', 'live');
  expect(await tab.own.fact('device')).toMatch(/^[0-9a-f-]{36}$/);
  const kept = JSON.stringify([await tab.own.rows(), await tab.own.fact('device'), await tab.mirror.sessions()]);
  expect(kept).not.toContain(TOKEN);
});

test('signed out elsewhere: the copy goes, unsent words and drafts stay and can be found', async () => {
  const { tab, id } = await atWork();
  tab.commands.saveDraft(id, 'half-typed');
  tab.hide();
  const text = JSON.stringify({ error: { code: 'device-revoked', message: 'revoked', retryable: false } });
  tab.cable.fate = () => ({ status: 401, text, headers: { 'Cairn-Epoch': stand.store.epoch } });
  tab.cable.noSockets = true;
  tab.cable.drop();
  await until(() => tab.screen.notices.some(({ id: notice }) => notice === 'revoked'), 'it is said');
  await until(() => tab.screen.linkView?.kind === 'signed-out', 'signed out');
  expect(await tab.mirror.sessions()).toEqual([]);
  expect((await tab.mirror.readAfter(id, 0, 100)).records).toEqual([]);
  expect(tab.screen.view.chunks).toEqual([]);
  expect((await tab.own.rows()).map(({ command }) => command)).toMatchObject([{ content: words('unsent') }]);
  expect(await tab.commands.draft(id)).toBe('half-typed');
  expect(tab.screen.rows.get(id)).toMatchObject({ heldInputs: 1, fresh: false });
  // The page goes on showing it: a copy that is gone is no empty session (law 10).
  await tab.commands.open(id);
  expect(tab.screen.view).toMatchObject({ loaded: true, atStart: false });
  expect(tab.screen.view.receipts).toHaveLength(1);
  let told = 0;
  tab.screen.check = () => void told++;
  await tab.commands.loadOlder();
  expect(told, 'above nothing is nothing to load: a page that asks again whenever that ends would ask for ever').toBe(0);
});

test('B11, B17: the user’s own sign-out leaves nothing, in any tab', async () => {
  const { tab, id } = await atWork();
  await tab.commands.signIn(TOKEN);
  const other = await device.tab().live();
  await other.commands.open(id);
  await until(() => other.screen.words().length === 2, 'the other tab shows it');
  tab.cable.fate = () => 'pass';
  await tab.commands.signOut();
  expect([await tab.own.rows(), await tab.own.fact('device'), await tab.mirror.sessions()]).toEqual([[], null, []]);
  expect((await tab.mirror.readAfter(id, 0, 100)).records).toEqual([]);
  expect(tab.screen.rows.size).toBe(0);
  expect(tab.screen.linkView?.kind).toBe('signed-out');
  await until(() => other.screen.view.chunks.length === 0 && other.screen.rows.size === 0, 'the other tab forgets too');
  expect((await stand.store.devices()).map(({ revokedAt }) => revokedAt)).toEqual([expect.any(Number)]);
});

test('signing out with no server empties this device and says that the server does not know', async () => {
  const { tab } = await atWork();
  tab.cable.cut();
  await tab.commands.signOut();
  expect(await tab.own.rows()).toEqual([]);
  expect(tab.screen.notices.map(({ id }) => id)).toContain('sign-out-untold');
});

describe('questions', () => {
  test('are answered by the server, and say so when there is none', async () => {
    const tab = await device.tab().live();
    expect(await tab.commands.folders(null)).toMatchObject({ ok: true, value: { folders: [{ name: 'work' }] } });
    expect(await tab.commands.models()).toEqual({ ok: true, value: [{ id: 'noted-1', name: 'Noted', efforts: [] }] });
    expect(await tab.commands.blob('0'.repeat(64))).toMatchObject({ ok: false, reason: 'refused' });
    await until(() => tab.screen.provider !== null, 'what serves is known');
    expect(tab.screen.provider).toEqual({ label: 'a noted model', demo: true, name: 'Noted' });
    const before = await tab.commands.serverSettings();
    expect(before).toMatchObject({ ok: true, value: { stepLimit: 100, keepAwake: true } });
    const changed = { ok: true, value: { model: null, mode: 'ask', stepLimit: 25, keepAwake: false } };
    expect(await tab.commands.changeServerSettings({ stepLimit: 25, keepAwake: false })).toEqual(changed);
    expect(await tab.commands.serverSettings()).toEqual(changed);
    expect(await tab.commands.changeServerSettings({ stepLimit: 0 })).toMatchObject({ ok: false, reason: 'refused' });
    tab.cable.cut();
    expect(await tab.commands.serverSettings()).toMatchObject({ ok: false, reason: 'offline' });
    // What a choice is made from is remembered, so that one can be made in a train.
    expect(await tab.commands.models()).toEqual({ ok: true, value: [{ id: 'noted-1', name: 'Noted', efforts: [] }] });
    expect(await tab.commands.changeServerSettings({ stepLimit: 10 })).toMatchObject({ ok: false, reason: 'offline' });
  });
});
