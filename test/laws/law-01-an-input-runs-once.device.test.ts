/** Law 1, the device's half: whatever the retries, tabs, lost answers and restarts, one id goes out with one payload. */
import { expect, test } from 'vitest';
import { openStand } from '../support/http-stand.ts';
import type { Call } from '../support/device/cable.ts';
import { pause, until, type Tab } from '../support/device/device.ts';
import { device, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();
const puts = (tab: Tab): Call[] => tab.cable.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/inputs/'));
const accepted = async (id: string) =>
  (await stand.store.timeline(id, 1)).pendingInputs.map(({ content }) => (content[0] as { text: string }).text);
async function opened(tab = device.tab()): Promise<{ tab: Tab; id: string }> {
  await tab.live();
  const id = await stand.session();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded, 'the session is shown');
  return { tab, id };
}

test('B9: the server commits, the answer is lost, retry and flush run at once: one input, the same receipt', async () => {
  const { tab, id } = await opened();
  let lost = 0;
  tab.cable.fate = ({ method, path }) => (method === 'PUT' && path.includes('/inputs/') && lost++ === 0 ? 'lost' : 'pass');
  tab.cable.drop();
  const inputId = await tab.commands.send(id, words('once'), 'queue');
  tab.commands.retryLink();
  tab.engine.outbox.kick();
  await until(() => tab.stages().join() === 'once: queued', 'it is accepted');
  expect(await accepted(id)).toEqual(['once']);
  const admitted = (await stand.logOf(id)).filter(({ type }) => type === 'admitted');
  expect(admitted.map(({ data }) => (data as { inputId: string }).inputId)).toEqual([inputId]);
  expect(new Set(puts(tab).map(({ path, body }) => `${path} ${body}`)).size).toBe(1);
});

test('I30: 503 twice, then taken: the same body and id each time', async () => {
  const { tab, id } = await opened();
  let failures = 2;
  tab.cable.fate = ({ method }) => (method === 'PUT' && failures-- > 0 ? tab.cable.envelope(503, 'shutting-down', true) : 'pass');
  await tab.commands.send(id, words('again and again'), 'queue');
  await until(() => tab.stages().join() === 'again and again: queued', 'it is accepted');
  expect(puts(tab)).toHaveLength(3);
  expect(new Set(puts(tab).map(({ path, body }) => `${path} ${body}`)).size).toBe(1);
  expect(await accepted(id)).toEqual(['again and again']);
});

test('I32: one session is retrying, another session’s prompts still go', async () => {
  const { tab, id } = await opened();
  const stuck = await stand.session();
  tab.cable.fate = ({ method, path }) => (method === 'PUT' && path.includes(stuck) ? 'hang' : 'pass');
  await tab.commands.send(stuck, words('stuck'), 'queue');
  await until(() => puts(tab).length === 1, 'the first is out');
  await tab.commands.send(id, words('free'), 'queue');
  await until(() => tab.stages().join() === 'free: queued', 'the other goes');
  expect(await accepted(stuck)).toEqual([]);
});

test('I33: the same session and input asked for twice at once are one of each', async () => {
  const tab = await device.tab().live();
  const sessionId = tab.commands.newId();
  const inputId = tab.commands.newId();
  const enter = async (): Promise<void> => {
    await tab.commands.createSession({ workspace: stand.workspace }, sessionId);
    await tab.commands.send(sessionId, words('double'), 'steer', inputId);
  };
  await Promise.all([enter(), enter()]);
  await until(async () => (await stand.store.session(sessionId)) !== null && (await accepted(sessionId)).length > 0, 'both are there');
  await pause(50);
  expect(await accepted(sessionId)).toEqual(['double']);
  expect(tab.screen.rows.size).toBe(1);
});

test.each(['with locks', 'without locks'])('B10: two tabs, three prompts, one wake, %s: three inputs in order', async (locks) => {
  const options = locks === 'without locks' ? { locks: 'none' as const } : {};
  const { tab: first, id } = await opened(device.tab(options));
  const second = await device.tab(options).live();
  for (const tab of [first, second]) tab.cable.cut();
  for (const text of ['one', 'two', 'three']) await first.commands.send(id, words(text), 'queue');
  for (const tab of [first, second]) tab.cable.mend();
  for (const tab of [first, second]) tab.wake();
  await until(async () => (await accepted(id)).length === 3, 'all three are accepted');
  expect(await accepted(id)).toEqual(['one', 'two', 'three']);
  await until(() => first.stages().join() === 'one: queued,two: queued,three: queued', 'both tabs know');
  const sent = [...puts(first), ...puts(second)];
  expect(new Set(sent.map(({ path, body }) => `${path} ${body}`)).size).toBe(3);
  expect(sent.length).toBeLessThanOrEqual(locks === 'with locks' ? 3 : 6);
});

test('B10: the tab that holds the lock dies in the middle: the other finishes', async () => {
  const { tab: first, id } = await opened();
  const second = await device.tab().live();
  first.cable.fate = ({ method }) => (method === 'PUT' ? 'hang' : 'pass');
  for (const text of ['one', 'two']) await first.commands.send(id, words(text), 'queue');
  await until(() => puts(first).length === 1, 'the first is out');
  first.kill();
  second.engine.outbox.kick();
  await until(async () => (await accepted(id)).length === 2, 'the other tab sends both');
  expect(await accepted(id)).toEqual(['one', 'two']);
});

test('a tab that holds the lock and gets nowhere is passed by a visible one', async () => {
  const { tab: first, id } = await opened();
  await device.tab().live();
  first.cable.fate = ({ method }) => (method === 'PUT' ? 'hang' : 'pass');
  await first.commands.send(id, words('overtaken'), 'queue');
  await until(() => puts(first).length === 1, 'it is out');
  await until(async () => (await accepted(id)).length === 1, 'the other tab took over', 15_000);
  await until(() => first.stages().join() === 'overtaken: queued', 'the first one learns of it');
  expect(await accepted(id)).toEqual(['overtaken']);
});

test('B13: the session is fixed when the prompt is handed over, whatever is open when it goes', async () => {
  const { tab, id } = await opened();
  const other = await stand.session();
  tab.cable.cut();
  await tab.commands.send(id, words('for the first'), 'queue');
  await tab.commands.open(other);
  tab.commands.saveDraft(other, 'half-typed');
  tab.cable.mend();
  tab.wake();
  await until(async () => (await accepted(id)).length === 1, 'it lands in the first');
  expect(await accepted(other)).toEqual([]);
  expect(await tab.commands.draft(other)).toBe('half-typed');
});

test.each([7 * 60 * 60 * 1000, -2 * 24 * 60 * 60 * 1000])(
  'I35: a device clock that is %d ms off expires and hides nothing',
  async (ahead) => {
    device.ahead = ahead;
    const { tab, id } = await opened();
    tab.cable.cut();
    await tab.commands.send(id, words('odd hours'), 'queue');
    device.ahead = 0;
    tab.cable.mend();
    tab.wake();
    await until(() => tab.stages().join() === 'odd hours: queued', 'it is sent');
    expect(await accepted(id)).toEqual(['odd hours']);
  },
);

test('attempted under an older epoch, not known there any more: it asks, and goes when told', async () => {
  const { tab, id } = await opened();
  tab.cable.fate = ({ method }) => (method === 'PUT' ? 'no-answer' : 'pass');
  const inputId = await tab.commands.send(id, words('before the restore'), 'queue');
  await until(() => puts(tab).length > 0, 'it was attempted');
  tab.cable.cut();
  await until(async () => (await tab.own.rows())[0]?.state === 'held', 'it waits');
  const other = await openStand();
  try {
    await other.call('PUT', `/sessions/${id}`, { workspace: other.workspace });
    tab.cable.stand = other;
    tab.cable.fate = () => 'pass';
    tab.cable.mend();
    tab.wake();
    await until(() => tab.stages().join() === 'before the restore: orphaned', 'it asks');
    await tab.commands.resendInput(id, inputId);
    await until(() => tab.stages().join() === 'before the restore: queued', 'it goes');
    expect((await other.store.input(id, inputId))?.state).toBe('pending');
  } finally {
    tab.kill();
    await other.close();
  }
});
