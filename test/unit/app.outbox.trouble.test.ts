/** Trouble that the outbox must see through: clocks that jump, holders that freeze or close, refusals after lost answers, changes that met. */
import { describe, expect, test } from 'vitest';
import type { Call } from '../support/device/cable.ts';
import { pause, until, type Tab } from '../support/device/device.ts';
import { device, offline, online, opened, stand, useDevice, words } from '../support/device/use-device.ts';

const DAY = 24 * 60 * 60 * 1000;
useDevice();
const isPut = ({ method, path }: Call): boolean => method === 'PUT' && path.includes('/inputs/');
const accepted = async (id: string) =>
  (await stand.store.timeline(id, 1)).pendingInputs.map(({ content }) => (content[0] as { text: string }).text);

describe('I35: a clock that jumps', () => {
  test('back by two days while a prompt is being retried: the next try comes when it would have', async () => {
    const { tab, id } = await opened();
    let failures = 2;
    tab.cable.fate = (call) => (isPut(call) && failures-- > 0 ? tab.cable.envelope(503, 'shutting-down', true) : 'pass');
    await tab.commands.send(id, words('patient'), 'queue');
    await until(() => tab.cable.calls.some(isPut), 'it was tried');
    device.ahead = -2 * DAY;
    await until(async () => (await accepted(id)).length === 1, 'it goes');
    expect(tab.cable.calls.filter(isPut)).toHaveLength(3);
  });
  test('back while another tab is frozen with the lock: it is passed all the same', async () => {
    const { tab: first, id } = await opened();
    await device.tab().live();
    first.cable.fate = (call) => (isPut(call) ? 'hang' : 'pass');
    await first.commands.send(id, words('overtaken'), 'queue');
    await until(() => first.cable.calls.some(isPut), 'it is out');
    device.ahead = -2 * DAY;
    await until(async () => (await accepted(id)).length === 1, 'the other tab took over', 1_200);
    expect(await accepted(id)).toEqual(['overtaken']);
  });
  test('two days behind while it was written without a link, right again when it goes: nothing expires', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    device.ahead = -2 * DAY;
    await tab.commands.send(id, words('odd hours'), 'queue');
    device.ahead = 0;
    online(tab);
    await until(() => tab.stages().join() === 'odd hours: queued', 'it is sent');
    expect(await accepted(id)).toEqual(['odd hours']);
  });
  test('two days ahead since the server was last heard: a prompt of just now is sent, not asked about', async () => {
    const { tab, id } = await opened();
    let failures = 2;
    tab.cable.fate = (call) => (isPut(call) && failures-- > 0 ? 'no-answer' : 'pass');
    const stages = new Set<string>();
    tab.screen.check = () => tab.stages().forEach((stage) => stages.add(stage));
    await tab.commands.send(id, words('of just now'), 'queue');
    await until(() => tab.cable.calls.some(isPut), 'it was tried');
    device.ahead = 2 * DAY;
    await until(async () => (await accepted(id)).length === 1, 'it is sent');
    expect(await accepted(id)).toEqual(['of just now']);
    expect([...stages]).not.toContain('of just now: expired');
  });
});

test('a holder that is closed lets another finish at once, not after its patience', async () => {
  const { tab: first, id } = await opened();
  const second = await device.tab().live();
  first.cable.fate = (call) => (isPut(call) ? 'hang' : 'pass');
  await first.commands.send(id, words('handed on'), 'queue');
  await until(() => first.cable.calls.some(isPut), 'it is out');
  await pause(50);
  first.kill();
  await until(() => second.cable.calls.some(isPut), 'the other sends', 100);
  await until(async () => (await accepted(id)).length === 1, 'it is there');
  expect(await accepted(id)).toEqual(['handed on']);
});

describe('a refusal after a lost answer', () => {
  test('is not shown before the look-up has spoken, and not at all when it was accepted', async () => {
    const { tab, id } = await opened();
    let puts = 0;
    let looks = 0;
    tab.cable.fate = (call) => {
      if (isPut(call)) return puts++ === 0 ? 'lost' : tab.cable.envelope(422, 'too-many-pending', false);
      return call.method === 'GET' && call.path.includes('/inputs/') && looks++ < 2 ? 'no-answer' : 'pass';
    };
    const stages = new Set<string>();
    tab.screen.check = () => tab.stages().forEach((stage) => stages.add(stage));
    tab.cable.noSockets = true;
    tab.cable.drop();
    await tab.commands.send(id, words('accepted'), 'queue');
    tab.cable.noSockets = false;
    tab.wake();
    await until(() => tab.stages().join() === 'accepted: queued', 'it is accepted');
    expect([...stages].filter((stage) => stage.endsWith('refused'))).toEqual([]);
    expect(await accepted(id)).toEqual(['accepted']);
  });
  test('that stands is shown once the look-up finds nothing, with the words', async () => {
    const { tab, id } = await opened();
    let puts = 0;
    tab.cable.fate = (call) => {
      if (!isPut(call)) return 'pass';
      return puts++ === 0 ? 'no-answer' : tab.cable.envelope(422, 'too-many-pending', false);
    };
    await tab.commands.send(id, words('kept'), 'queue');
    await until(() => tab.stages().join() === 'kept: refused', 'it is refused');
    expect(tab.screen.view.receipts[0]?.reason).toBe('scripted too-many-pending');
  });
});

describe('a refused prompt holds the later ones of its session', () => {
  async function refused(): Promise<{ tab: Tab; id: string; first: string }> {
    const { tab, id } = await opened();
    tab.cable.fate = (call) => (isPut(call) && call.body?.includes('"no"') ? tab.cable.envelope(422, 'too-many-pending', false) : 'pass');
    const first = await tab.commands.send(id, words('no'), 'queue');
    await tab.commands.send(id, words('behind'), 'queue');
    await until(() => tab.stages().join() === 'no: refused,behind: held', 'it is refused, the other waits');
    return { tab, id, first };
  }
  test('until it is edited: both go, in order', async () => {
    const { tab, id, first } = await refused();
    await tab.commands.editInput(id, first, words('yes'));
    await until(async () => (await accepted(id)).length === 2, 'both are there');
    expect(await accepted(id)).toEqual(['yes', 'behind']);
  });
  test('until it is sent again', async () => {
    const { tab, id, first } = await refused();
    tab.cable.fate = () => 'pass';
    await tab.commands.resendInput(id, first);
    await until(async () => (await accepted(id)).length === 2, 'both are there');
    expect(await accepted(id)).toEqual(['no', 'behind']);
  });
  test('until it is thrown away', async () => {
    const { tab, id, first } = await refused();
    await tab.commands.discardInput(id, first);
    await until(async () => (await accepted(id)).length === 1, 'the other goes');
    expect(await accepted(id)).toEqual(['behind']);
  });
});

describe('a session', () => {
  test('that is archived and pinned without a link, and renamed elsewhere meanwhile: all of it stands', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    await tab.commands.patchSession(id, { archived: true });
    await tab.commands.patchSession(id, { pinned: true });
    await stand.call('PATCH', `/sessions/${id}`, { title: 'renamed elsewhere' });
    online(tab);
    await until(async () => (await tab.own.rows()).length === 0, 'it is with the server');
    expect(await stand.store.session(id)).toMatchObject({ archived: true, pinned: true, title: 'renamed elsewhere' });
    expect(tab.screen.notices).toEqual([]);
  });
  test('that is renamed on both: the first stands, and the other is told', async () => {
    const { tab, id } = await opened();
    await offline(tab);
    await tab.commands.patchSession(id, { title: 'here' });
    await stand.call('PATCH', `/sessions/${id}`, { title: 'elsewhere' });
    online(tab);
    await until(() => tab.screen.notices.some(({ strong }) => strong === 'The change was not taken.'), 'it is told');
    expect(await stand.store.session(id)).toMatchObject({ title: 'elsewhere' });
  });
  test('that the server will not make, deleted before that was heard, leaves nothing', async () => {
    const { tab } = await opened();
    tab.cable.hold = ({ method }) => (method === 'PUT' ? pause(60) : Promise.resolve());
    const id = await tab.commands.createSession({ workspace: '/outside' });
    await until(async () => (await tab.own.rows())[0]?.state === 'sending', 'it is out');
    await tab.commands.deleteSession(id);
    await until(async () => (await tab.own.rows()).length === 0, 'both are gone');
    expect(tab.screen.rows.has(id)).toBe(false);
  });
});

describe('without a link', () => {
  test('folders and models are as they were last seen, and said to be; a device that is signed out elsewhere forgets them', async () => {
    const { tab } = await opened();
    const top = await tab.commands.folders(null);
    const models = await tab.commands.models();
    expect([top.ok, models.ok]).toEqual([true, true]);
    await offline(tab);
    expect(await tab.commands.folders(null)).toEqual({ ok: true, value: { ...(top.ok ? top.value : null), remembered: true } });
    expect(await tab.commands.models()).toEqual(models);
    expect((await tab.commands.folders('/never-seen')).ok).toBe(false);
    tab.kill();
    const later = await device.tab().start();
    expect((await later.commands.folders(null)).ok).toBe(true);
    await later.engine.signedOut(true);
    later.cable.cut();
    expect((await later.commands.folders(null)).ok).toBe(false);
  });
  test('a server that hangs does not hold up what is known here', async () => {
    const { tab } = await opened();
    await tab.commands.folders(null);
    await offline(tab);
    tab.cable.mend();
    tab.cable.noSockets = true;
    tab.cable.fate = () => 'hang';
    const answer = await Promise.race([tab.commands.folders(null), pause(1_000)]);
    expect(answer).toMatchObject({ ok: true, value: { remembered: true } });
  });
});
