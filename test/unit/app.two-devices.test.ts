/** Two devices on one queue, also without a link: the server's order settles it, each is told, and no word is lost. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { clock, openStand, uuid, type HttpStand } from '../support/http-stand.ts';
import { Device, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';

let stand: HttpStand;
let devices: Device[] = [];
beforeEach(async () => {
  stand = await openStand();
});
afterEach(async () => {
  for (const device of devices) device.close();
  devices = [];
  await stand.close();
});
const words = (text: string) => [{ type: 'text' as const, text }];
const text = (content: readonly unknown[]): string => (content[0] as { text: string }).text;
const queue = (tab: Tab): string[] => tab.screen.view.receipts.filter(({ lane }) => lane === 'tray').map(({ content }) => text(content));
const pending = async (id: string): Promise<string[]> =>
  (await stand.store.timeline(id, 1)).pendingInputs
    .toSorted((a, b) => a.rank - b.rank)
    .map(({ content, delivery }) => `${text(content)}: ${delivery}`);

async function twoOn(): Promise<{ desk: Tab; phone: Tab; id: string }> {
  const id = await stand.session();
  const open = async (): Promise<Tab> => {
    const device = new Device(stand);
    devices.push(device);
    const tab = await device.tab().live();
    await tab.commands.open(id);
    await until(() => tab.screen.view.loaded && tab.screen.rows.has(id), 'the session is shown');
    return tab;
  };
  return { desk: await open(), phone: await open(), id };
}
/** Queued at the desk, and seen by both. */
async function queued(on: { desk: Tab; phone: Tab; id: string }, ...prompts: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const prompt of prompts) ids.push(await on.desk.commands.send(on.id, words(prompt), 'queue'));
  for (const tab of [on.desk, on.phone]) {
    await until(
      () => queue(tab).join() === prompts.join() && tab.screen.view.receipts.every(({ place }) => place !== null),
      'both see them',
    );
  }
  return ids;
}
async function offline(...tabs: Tab[]): Promise<void> {
  for (const tab of tabs) {
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
  }
}
async function online(tab: Tab): Promise<void> {
  tab.cable.mend();
  tab.wake();
  await until(() => tab.screen.linkView?.kind === 'live', 'the link is up');
}
const rest = (tab: Tab): Promise<void> =>
  until(async () => (await tab.own.rows()).every(({ state }) => state !== 'held' && state !== 'sending'), 'nothing is on its way');
const of = (tab: Tab, inputId: string) => tab.screen.view.receipts.find(({ id }) => id === inputId);

describe('the same words edited on both, without a link', () => {
  async function conflict() {
    const on = await twoOn();
    const [a] = await queued(on, 'as it was');
    await offline(on.desk, on.phone);
    await on.desk.commands.editInput(on.id, a!, words('from the desk'));
    await on.phone.commands.editInput(on.id, a!, words('from the phone'));
    expect(of(on.phone, a!)).toMatchObject({ content: words('as it was'), heldContent: words('from the phone'), changeHeld: true });
    await online(on.desk);
    await until(async () => (await pending(on.id)).join() === 'from the desk: queue', 'the desk was first');
    await online(on.phone);
    await until(() => of(on.phone, a!)?.conflict != null, 'the phone is asked');
    return { ...on, a: a! };
  }
  test('laws 3 and 4: the first stands; the second is asked with both texts, and nothing of either is lost, also over a reload', async () => {
    const { phone, id, a } = await conflict();
    expect(of(phone, a)).toMatchObject({ content: words('from the desk'), conflict: words('from the phone'), stage: 'queued' });
    expect(phone.screen.notices).toEqual([]);
    phone.kill();
    const later = await devices[1]!.tab().live();
    await later.commands.open(id);
    await until(() => of(later, a)?.conflict != null, 'it is asked there too');
    expect(of(later, a)).toMatchObject({ content: words('from the desk'), conflict: words('from the phone') });
  });
  test('the words of here are chosen: they stand on both', async () => {
    const { desk, phone, id, a } = await conflict();
    await phone.commands.chooseEdit(id, a, 'here');
    await until(() => queue(desk).join() === 'from the phone' && queue(phone).join() === 'from the phone', 'both show them');
    await rest(phone);
    await until(() => of(phone, a)?.changeHeld === false, 'the change is told as made');
    expect(of(phone, a)).toMatchObject({ conflict: null, content: words('from the phone') });
  });
  test('the words of elsewhere are chosen: nothing of the edit is left', async () => {
    const { phone, id, a } = await conflict();
    await phone.commands.chooseEdit(id, a, 'elsewhere');
    await until(() => of(phone, a)?.conflict === null, 'it is decided');
    expect(await pending(id)).toEqual(['from the desk: queue']);
    expect((await phone.own.rows()).filter(({ command }) => command.kind === 'edit')).toEqual([]);
  });
  test('chosen while they changed once more elsewhere: asked again, with the newest', async () => {
    const { desk, phone, id, a } = await conflict();
    await offline(phone);
    await phone.commands.chooseEdit(id, a, 'here');
    await desk.commands.editInput(id, a, words('the desk again'));
    await until(async () => (await pending(id)).join() === 'the desk again: queue', 'the desk was faster');
    await online(phone);
    await until(() => of(phone, a)?.conflict != null && text(of(phone, a)!.content) === 'the desk again', 'it is asked again');
    expect(text(of(phone, a)!.conflict!)).toBe('from the phone');
  });
  test('it runs before anybody chose: the words of here are kept as a prompt that can be sent', async () => {
    const { phone, id, a } = await conflict();
    await DrivenTurn.open(stand, id, 'turn-1');
    await until(() => phone.screen.words().join() === 'from the desk', 'it ran');
    await until(() => phone.stages().join() === 'from the phone: refused', 'the edit stands by itself');
    const left = phone.screen.view.receipts[0]!;
    expect(left).toMatchObject({ code: 'already-promoted', lane: 'transcript' });
    await phone.commands.editInput(id, left.id, words('from the phone, once more'));
    await phone.commands.resendInput(id, left.id);
    await until(async () => (await pending(id)).join() === 'from the phone, once more: queue', 'they are sent, as they were changed');
    expect(a).not.toBe(left.id);
  });
});

test('an edit of words that only moved elsewhere meanwhile is no conflict: it is made over what is there now', async () => {
  const on = await twoOn();
  const [, b] = await queued(on, 'a', 'b');
  await offline(on.phone);
  await on.phone.commands.editInput(on.id, b!, words('b, better'));
  await on.desk.commands.moveInput(on.id, b!, null);
  await until(() => queue(on.desk).join() === 'b,a', 'the desk moved it');
  await online(on.phone);
  await until(() => queue(on.phone).join() === 'b, better,a', 'both happened');
  await rest(on.phone);
  expect(on.phone.screen.notices).toEqual([]);
  expect(await pending(on.id)).toEqual(['b, better: queue', 'a: queue']);
});
test('edited twice without a link: the second stands in for the first, and is held against what the first was', async () => {
  const on = await twoOn();
  const [a] = await queued(on, 'a');
  await offline(on.phone);
  await on.phone.commands.editInput(on.id, a!, words('first try'));
  await on.phone.commands.editInput(on.id, a!, words('second try'));
  expect((await on.phone.own.rows()).filter(({ command }) => command.kind === 'edit')).toHaveLength(1);
  await on.desk.commands.editInput(on.id, a!, words('from the desk'));
  await until(async () => (await pending(on.id)).join() === 'from the desk: queue', 'the desk is first');
  await online(on.phone);
  await until(() => of(on.phone, a!)?.conflict != null, 'it is asked');
  expect(text(of(on.phone, a!)!.conflict!)).toBe('second try');
  expect(await pending(on.id)).toEqual(['from the desk: queue']);
});

describe('what came too late is told in words', () => {
  const told = (tab: Tab): string[] => tab.screen.notices.map(({ strong, text: more }) => `${strong} ${more}`);

  test.each([
    [
      'moved',
      'Not moved. The prompt is in the transcript already.',
      (tab: Tab, id: string, a: string) => tab.commands.moveInput(id, a, null),
    ],
    [
      'turned',
      'Not turned into a steer. The prompt is in the transcript already.',
      (tab: Tab, id: string, a: string) => tab.commands.convertInput(id, a, 'steer'),
    ],
    [
      'cancelled',
      'Not cancelled. The prompt is in the transcript already.',
      (tab: Tab, id: string, a: string) => tab.commands.cancelInput(id, a),
    ],
  ])('a prompt that ran meanwhile is %s', async (_, notice, act) => {
    const on = await twoOn();
    const [a] = await queued(on, 'a', 'b');
    await offline(on.phone);
    await act(on.phone, on.id, a!);
    await DrivenTurn.open(stand, on.id, 'turn-1');
    await online(on.phone);
    await until(() => told(on.phone).includes(notice), notice);
    await until(async () => (await on.phone.own.rows()).length === 0, 'nothing of it is left here');
    expect(on.phone.screen.words()).toEqual(['a']);
    expect(queue(on.phone)).toEqual(['b']);
  });
  test('a prompt that another device cancelled is moved, and edited: the words of the edit stay', async () => {
    const on = await twoOn();
    const [, b] = await queued(on, 'a', 'b');
    await offline(on.phone);
    await on.phone.commands.moveInput(on.id, b!, null);
    await on.phone.commands.editInput(on.id, b!, words('b, dear to me'));
    await on.desk.commands.cancelInput(on.id, b!);
    await until(async () => (await pending(on.id)).join() === 'a: queue', 'the desk cancelled it');
    await online(on.phone);
    await until(() => told(on.phone).includes('Not moved. The prompt was cancelled meanwhile.'), 'it is told');
    await until(() => on.phone.stages().join() === 'a: queued,b, dear to me: refused', 'the words are kept');
    expect(on.phone.screen.view.receipts[1]).toMatchObject({ code: 'gone' });
  });
  test('a move behind a prompt that was cancelled is told at its receipt, until it is read or moved again', async () => {
    const on = await twoOn();
    const [a, b, c] = await queued(on, 'a', 'b', 'c');
    await offline(on.phone);
    await on.phone.commands.moveInput(on.id, a!, b!);
    await on.desk.commands.cancelInput(on.id, b!);
    await until(async () => (await pending(on.id)).length === 2, 'the desk cancelled it');
    await online(on.phone);
    await until(() => of(on.phone, a!)?.note === 'not-moved', 'it is told where it stands');
    expect(queue(on.phone)).toEqual(['a', 'c']);
    await on.phone.commands.moveInput(on.id, a!, c!);
    await until(() => queue(on.phone).join() === 'c,a', 'it is moved again');
    await rest(on.phone);
    expect(of(on.phone, a!)?.note).toBeNull();
  });
  test('a prompt of this device that another one cancelled says so, and can be written again or put away', async () => {
    const on = await twoOn();
    const [a] = await queued(on, 'mine');
    await on.phone.commands.cancelInput(on.id, a!);
    await until(() => on.desk.stages().join() === 'mine: cancelled', 'it is told');
    expect(of(on.desk, a!)).toMatchObject({ undoable: false, lane: 'transcript' });
    await on.desk.commands.discardInput(on.id, a!);
    expect(on.desk.stages()).toEqual([]);
  });
  test('a Stop that arrives after its turn ended stops nothing, and says so', async () => {
    const on = await twoOn();
    const turn = await DrivenTurn.prompted(stand, on.id, 'turn-1');
    await until(() => on.phone.screen.view.turnId === 'turn-1', 'it runs');
    await offline(on.phone);
    await on.phone.commands.stop(on.id);
    await turn.settle();
    await DrivenTurn.prompted(stand, on.id, 'turn-2', 'the next');
    await online(on.phone);
    await until(() => told(on.phone).includes('Nothing was stopped. The turn you meant had ended already.'), 'it is told');
    expect(stand.runner.told.filter((word) => word.startsWith('abort'))).toEqual([]);
    expect((await stand.store.session(on.id)) ?? {}).toMatchObject({ turnId: 'turn-2', paused: null });
  });
});

test('B13: a follow-up goes where it was written, whatever is open when it goes; so does one that is written again', async () => {
  const { desk: tab, id } = await twoOn();
  const other = await stand.session();
  const queued = await tab.commands.send(id, words('for the first, queued'), 'queue');
  await until(() => tab.screen.view.receipts[0]?.place === 1, 'it is queued');
  await offline(tab);
  await tab.commands.send(id, words('for the first'), 'queue');
  await tab.commands.open(other);
  await tab.commands.send(other, words('for the other'), 'queue');
  await online(tab);
  await tab.commands.cancelInput(id, queued);
  await until(async () => (await pending(id)).join() === 'for the first: queue', 'it is cancelled');
  await tab.commands.undoCancel(id, queued);
  await until(async () => (await pending(id)).length === 2 && (await pending(other)).length === 1, 'each went its way');
  await rest(tab);
  expect(await pending(id)).toEqual(['for the first, queued: queue', 'for the first: queue']);
  expect(await pending(other)).toEqual(['for the other: queue']);
});
test('B8: an answer given without a link is still held after a reload, in another window too, and goes once', async () => {
  const { desk: tab, id } = await twoOn();
  await stand.call('PUT', `/sessions/${id}/inputs/${uuid()}`, { content: words('go'), delivery: 'steer' });
  const turn = await stand.store.openTurn(id, 'a test', 'turn-1', clock.now(), () => []);
  const approval = { id: uuid(), turnId: 'turn-1', step: 0, callId: 'call-1', name: 'run', effect: 'run' as const, summary: 'npm ci' };
  await stand.store.askApproval(turn!.claim, approval, clock.now());
  await until(() => tab.screen.view.approvals.length === 1, 'it is asked');
  await offline(tab);
  await tab.commands.decide(id, approval.id, 'allow', true);
  tab.kill();
  const later = devices[0]!.tab();
  later.cable.cut();
  await later.start();
  await later.commands.open(id);
  expect([...later.screen.view.decisions]).toEqual([[approval.id, { decision: 'allow', heard: false, remember: true }]]);
  expect(later.screen.view.approvals.map((asked) => asked.id)).toEqual([approval.id]);
  await online(later);
  await until(async () => (await stand.store.approval(approval.id))?.state === 'allow', 'it is decided');
  await until(() => later.screen.view.decisions.size === 0 && later.screen.view.approvals.length === 0, 'and no longer held');
});
test('`resume: false` is kept with the input: it is told as one that wakes nothing, until something else does', async () => {
  const { desk: tab, id } = await twoOn();
  const input = uuid();
  await stand.call('PUT', `/sessions/${id}/inputs/${input}`, { content: words('later will do'), delivery: 'queue', resume: false });
  await until(() => of(tab, input)?.asleep === true, 'it is told');
  await tab.commands.convertInput(id, input, 'steer');
  await until(() => of(tab, input)?.stage === 'steer', 'it is sent now');
  expect(of(tab, input)?.asleep).toBe(false);
});
