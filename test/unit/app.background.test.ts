/** The outbox in the worker, with every page closed: the same rules, nothing wiped, and all that came of it told by the next page. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import { openStand, type HttpStand } from '../support/http-stand.ts';
import { Device, pause, until, type DeviceWorker, type Tab } from '../support/device/device.ts';

let stand: HttpStand;
let device: Device;
let worker: DeviceWorker;
beforeEach(async () => {
  stand = await openStand();
  device = new Device(stand);
  worker = device.worker();
});
afterEach(async () => {
  device.close();
  worker.kill();
  await stand.close();
});
const words = (text: string) => [{ type: 'text' as const, text }];
const puts = ({ cable }: { cable: Tab['cable'] }) =>
  cable.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/inputs/'));
const accepted = async (id: string) =>
  (await stand.store.timeline(id, 1)).pendingInputs.map(({ content }) => (content[0] as { text: string }).text);
/** A tab that knows of a session and has lost its link. */
async function cutOff(): Promise<{ tab: Tab; id: string }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded && tab.screen.rows.has(id), 'the session is shown');
  tab.cable.cut();
  await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
  return { tab, id };
}
async function opened(id: string): Promise<Tab> {
  const tab = await device.tab().live();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded, 'it is shown');
  return tab;
}

test('two held prompts go in order, and the next page shows what became of them', async () => {
  const { tab, id } = await cutOff();
  for (const text of ['one', 'two']) await tab.commands.send(id, words(text), 'queue');
  tab.kill();
  expect(await worker.flush()).toBe(true);
  expect(await accepted(id)).toEqual(['one', 'two']);
  const later = await opened(id);
  await until(() => later.stages().join() === 'one: queued,two: queued', 'they are queued');
  expect(puts(later)).toEqual([]);
});

test('nothing waits: no request is made at all', async () => {
  const { tab } = await cutOff();
  tab.kill();
  expect(await worker.flush()).toBe(true);
  expect(worker.cable.calls).toEqual([]);
});

test('R1: no network, or a portal that answers for everybody: nothing is sent, and the browser is to try again', async () => {
  const { tab, id } = await cutOff();
  await tab.commands.send(id, words('waits'), 'queue');
  tab.kill();
  worker.cable.cut();
  expect(await worker.flush()).toBe(false);
  worker.cable.mend();
  worker.cable.fate = () => ({ status: 200, text: '<html>Welcome to the hotel</html>' });
  expect(await worker.flush()).toBe(false);
  expect(puts(worker)).toEqual([]);
  worker.cable.fate = () => 'pass';
  expect(await worker.flush()).toBe(true);
  expect(await accepted(id)).toEqual(['waits']);
});

test('a server of another version is left to a page', async () => {
  const { tab, id } = await cutOff();
  await tab.commands.send(id, words('waits'), 'queue');
  tab.kill();
  const text = JSON.stringify({ ok: true, version: '9', protocol: 999, epoch: stand.store.epoch });
  worker.cable.fate = ({ path }) =>
    path.endsWith('/health') ? { status: 200, text, headers: { [EPOCH_HEADER]: stand.store.epoch } } : 'pass';
  expect(await worker.flush()).toBe(true);
  expect(puts(worker)).toEqual([]);
});

test('a 401, also for a device that was signed out elsewhere: all is held, nothing is wiped', async () => {
  const { tab, id } = await cutOff();
  for (const text of ['one', 'two']) await tab.commands.send(id, words(text), 'queue');
  await tab.commands.patchSession(id, { title: 'named' });
  tab.kill();
  worker.cable.fate = ({ method }) => (method === 'GET' ? 'pass' : worker.cable.envelope(401, 'device-revoked', false));
  expect(await worker.flush(), 'no other try would help').toBe(true);
  const later = device.tab();
  expect((await later.own.rows()).map(({ state, tries }) => [state, tries])).toEqual([
    ['held', 0],
    ['held', 0],
    ['held', 0],
  ]);
  expect(await later.mirror.sessions()).toHaveLength(1);
  await later.live();
  await until(async () => (await accepted(id)).length === 2, 'signed in again, they go');
});

test('a refused prompt keeps its words and holds the later ones of its session; other sessions go', async () => {
  const { tab, id } = await cutOff();
  const other = await stand.session();
  await tab.commands.send(id, words('refused'), 'queue');
  await tab.commands.send(id, words('behind it'), 'queue');
  await tab.commands.send(other, words('free'), 'queue');
  tab.kill();
  worker.cable.fate = ({ body }) => (body?.includes('"refused"') ? worker.cable.envelope(422, 'too-many-pending', false) : 'pass');
  expect(await worker.flush()).toBe(true);
  expect([await accepted(id), await accepted(other)]).toEqual([[], ['free']]);
  const later = await opened(id);
  await until(() => later.stages().join() === 'refused: refused,behind it: held', 'it is told');
  expect(later.screen.view.receipts[0]?.reason).toBe('scripted too-many-pending');
});

test('a command that is refused is told by the next page, once', async () => {
  const { tab, id } = await cutOff();
  await tab.commands.patchSession(id, { title: 'mine' });
  await stand.call('PATCH', `/sessions/${id}`, { title: 'theirs' });
  tab.kill();
  expect(await worker.flush()).toBe(true);
  expect(worker.cable.calls.filter(({ method }) => method === 'PATCH')).toHaveLength(1);
  const later = await device.tab().live();
  await until(() => later.screen.notices.some(({ strong }) => strong === 'The change was not taken.'), 'it is told');
  await until(() => later.screen.rows.get(id)?.summary.title === 'theirs', 'what is there is shown');
  expect(await later.own.rows()).toEqual([]);
});

test('what was done with no page open is shown as done by one that opens without a network', async () => {
  const { tab, id } = await cutOff();
  const gone = await stand.session();
  await tab.commands.patchSession(id, { title: 'named', archived: true });
  await tab.commands.deleteSession(gone);
  const made = await tab.commands.createSession({ workspace: stand.workspace, title: 'made' });
  tab.kill();
  expect(await worker.flush()).toBe(true);
  const later = device.tab();
  later.cable.cut();
  await later.start();
  expect(later.screen.rows.get(id)).toMatchObject({ changeHeld: false, summary: { title: 'named', archived: true } });
  expect(later.screen.rows.get(made)).toMatchObject({ heldHere: false, summary: { title: 'made' } });
  expect(later.screen.rows.has(gone), 'a deleted session does not come back').toBe(false);
  expect(later.screen.linkView?.held).toBe(0);
  later.cable.mend();
  later.wake();
  await until(async () => (await later.own.rows()).length === 0, 'the page takes it in');
  expect([...later.screen.rows.keys()].toSorted()).toEqual([id, made].toSorted());
});

test('another history than before: what was attempted under the old one asks, what was not goes', async () => {
  const { tab, id } = await cutOff();
  tab.cable.mend();
  tab.cable.fate = ({ method }) => (method === 'PUT' ? 'no-answer' : 'pass');
  tab.wake();
  await tab.commands.send(id, words('attempted'), 'queue');
  await until(() => puts(tab).length > 0, 'it was attempted');
  tab.kill();
  const other = await openStand();
  try {
    await other.call('PUT', `/sessions/${id}`, { workspace: other.workspace });
    worker.cable.stand = other;
    await worker.flush();
    const later = device.tab();
    expect((await later.own.rows()).map(({ state }) => state)).toEqual(['orphaned']);
    expect((await other.store.timeline(id, 1)).pendingInputs).toEqual([]);
  } finally {
    await other.close();
  }
});

describe('age', () => {
  const DAY = 24 * 60 * 60 * 1000;
  test('a prompt older than a day asks before it goes', async () => {
    const { tab, id } = await cutOff();
    device.ahead = -2 * DAY;
    // Both clocks were a day behind together, as far as anybody knew then.
    await tab.own.setFact('skew', 0);
    await tab.own.add({ id: tab.commands.newId(), sessionId: id, command: command('old'), composedAt: device.clock.now(), skew: 0 }, false);
    device.ahead = 0;
    tab.kill();
    expect(await worker.flush()).toBe(true);
    expect(await accepted(id)).toEqual([]);
    const later = await opened(id);
    await until(() => later.stages().join() === 'old: expired', 'it asks');
  });
  test('I35: a clock that jumped while everything was closed says nothing of its age: it goes', async () => {
    const { tab, id } = await cutOff();
    await tab.commands.send(id, words('young'), 'queue');
    tab.kill();
    device.ahead = 2 * DAY;
    expect(await worker.flush()).toBe(true);
    expect(await accepted(id)).toEqual(['young']);
  });
  const command = (text: string) => ({ kind: 'input' as const, content: words(text), delivery: 'queue' as const, seenSeq: 0 });
});

describe('beside a page', () => {
  test('B10: both flush at once: each prompt goes once, in order', async () => {
    const { tab, id } = await cutOff();
    for (const text of ['one', 'two', 'three']) await tab.commands.send(id, words(text), 'queue');
    tab.cable.mend();
    tab.wake();
    await worker.flush();
    await until(async () => (await accepted(id)).length === 3, 'all of them');
    expect(await accepted(id)).toEqual(['one', 'two', 'three']);
    const sent = [...puts(tab), ...puts(worker)].map(({ path, body }) => `${path} ${body}`);
    expect(sent).toHaveLength(3);
    await until(() => tab.stages().join() === 'one: queued,two: queued,three: queued', 'the page knows');
  });
  test('an open page hears at once what the worker handed over', async () => {
    const { tab, id } = await cutOff();
    await tab.commands.send(id, words('by the worker'), 'queue');
    expect(await worker.flush()).toBe(true);
    await until(async () => (await tab.own.rows())[0]?.state === 'acked', 'it is handed over');
    await until(() => tab.screen.linkView?.held === 0, 'the page says so');
  });
  test('a page that holds the lock and gets nowhere is passed by the worker', async () => {
    const { tab, id } = await cutOff();
    await tab.commands.send(id, words('overtaken'), 'queue');
    tab.cable.mend();
    tab.cable.fate = ({ method }) => (method === 'PUT' ? 'hang' : 'pass');
    tab.wake();
    await until(() => puts(tab).length === 1, 'the page is at it');
    expect(await worker.flush()).toBe(true);
    expect(await accepted(id)).toEqual(['overtaken']);
    await pause(20);
    expect(puts(worker)).toHaveLength(1);
  });
});
