/** Law 16: cached state never shows as working, every receipt shows its real stage, no word claims more than the server said. */
import { describe, expect, test } from 'vitest';
import { pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn, prompt } from '../support/device/turns.ts';
import { device, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();
async function opened(): Promise<{ tab: Tab; id: string }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded, 'the session is shown');
  return { tab, id };
}

describe('a running session', () => {
  test('shows as running while the link says so, and as what was last seen once it does not', async () => {
    const { tab, id } = await opened();
    const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
    await turn.begin();
    turn.say(0, 'half an ans');
    await until(() => tab.screen.words().join() === 'go,half an ans', 'it streams');
    await until(() => tab.screen.rows.get(id)?.fresh === true && tab.screen.view.turnId === 'turn-1', 'it runs');
    tab.cable.cut();
    await until(() => tab.screen.view.live === null, 'the live part is void at once');
    expect(tab.screen.view.turnId).toBeNull();
    expect(tab.screen.rows.get(id)).toMatchObject({ fresh: false });
    expect(tab.screen.words()).toEqual(['go']);
    tab.kill();

    const later = device.tab();
    later.cable.cut();
    await later.start();
    await later.commands.open(id);
    expect(later.screen.view).toMatchObject({ live: null, turnId: null });
    expect(later.screen.rows.get(id)?.fresh).toBe(false);
    // B35: the turn ended while nobody looked: one reconnect shows it whole and idle.
    turn.say(0, 'wer', true);
    await turn.seal();
    await turn.settle();
    later.cable.mend();
    later.wake();
    await until(() => later.screen.words().join() === 'go,half an answer', 'the answer is whole');
    await until(() => later.screen.rows.get(id)?.summary.status === 'idle', 'it is idle');
    expect(later.screen.view.live).toBeNull();
  });
});

test('a turn that ended while this device was away is over here too, although no record is missing', async () => {
  const { tab, id } = await opened();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await until(() => tab.screen.view.turnId === 'turn-1', 'it runs');
  const { guard } = await tab.mirror.facts();
  const running = tab.screen.rows.get(id)!.summary;
  await turn.settle();
  await until(() => tab.screen.view.turnId === null, 'it is over');
  tab.kill();
  // What a tab leaves behind that dies between two writes: the log is whole, the summary is of before.
  const later = device.tab();
  const { head } = await stand.store.timeline(id, 1);
  await later.mirror.wipe();
  await later.mirror.adopt(guard.epoch!, false);
  const timeline = { ...(await stand.store.timeline(id, 100)), session: { ...running, head }, live: null };
  await later.mirror.apply(await later.mirror.guard(id), { kind: 'timeline', sessionId: id, timeline });
  await later.live();
  await later.commands.open(id);
  await until(() => later.screen.rows.get(id)?.fresh === true && later.screen.view.loaded, 'the list is fresh');
  await until(() => later.screen.view.turnId === null, 'and the open session says the same');
  expect(later.screen.rows.get(id)?.summary.turnId).toBeNull();
});

describe('a receipt', () => {
  test('goes through held, sending, accepted, in the transcript: never a stage early', async () => {
    const { tab, id } = await opened();
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
    await tab.commands.send(id, words('mine'), 'steer');
    expect(tab.screen.view.receipts[0]).toMatchObject({ stage: 'held', place: 1, of: 1 });
    tab.cable.mend();
    tab.cable.fate = ({ method }) => (method === 'PUT' ? 'hang' : 'pass');
    tab.wake();
    await until(() => tab.screen.view.receipts[0]?.stage === 'sending', 'it is being sent');
    tab.cable.fate = () => 'pass';
    await until(() => tab.screen.view.receipts[0]?.stage === 'steer', 'it is accepted');
    await DrivenTurn.open(stand, id, 'turn-1');
    await until(() => tab.screen.words().join() === 'mine', 'it is in the transcript');
    expect(tab.screen.view.receipts).toEqual([]);
  });
  test('I34: at no moment is a prompt both pending and in the transcript, and never in neither', async () => {
    const { tab, id } = await opened();
    const inputId = await tab.commands.send(id, words('once'), 'steer');
    const places: string[] = [];
    tab.screen.check = (view) => {
      const sealed = view.chunks.some((chunk) => chunk.id === inputId);
      const pending = view.receipts.some((receipt) => receipt.id === inputId);
      places.push(`${sealed}/${pending}`);
    };
    await until(() => tab.stages().join() === 'once: steer', 'it is accepted');
    await DrivenTurn.open(stand, id, 'turn-1');
    await until(() => tab.screen.words().join() === 'once', 'it is in the transcript');
    await pause(50);
    expect(new Set(places)).toEqual(new Set(['false/true', 'true/false']));
  });
  test('R1: a portal that answers 200 for everybody accepts nothing', async () => {
    const { tab, id } = await opened();
    tab.cable.fate = ({ method }) => (method === 'PUT' ? { status: 200, text: '<html>Welcome to our Wi-Fi</html>' } : 'pass');
    await tab.commands.send(id, words('through a portal'), 'queue');
    await until(() => tab.cable.calls.filter(({ method }) => method === 'PUT').length >= 2, 'it was tried more than once');
    expect(['held', 'sending']).toContain(tab.screen.view.receipts[0]?.stage);
    tab.cable.fate = () => 'pass';
    await until(() => tab.stages().join() === 'through a portal: queued', 'it is accepted by the server itself');
  });
  test('a JSON answer without our header, whatever its status, is trouble and no refusal', async () => {
    const { tab, id } = await opened();
    const text = JSON.stringify({ error: { code: 'too-large', message: 'proxy says no', retryable: false } });
    tab.cable.fate = ({ method }) => (method === 'PUT' ? { status: 413, text } : 'pass');
    await tab.commands.send(id, words('behind a proxy'), 'queue');
    await until(() => tab.cable.calls.filter(({ method }) => method === 'PUT').length >= 2, 'it was tried more than once');
    expect(tab.stages()[0]).not.toContain('refused');
  });
  test('a cancel that waits here is shown as waiting, not as done', async () => {
    const { tab, id } = await opened();
    const inputId = await tab.commands.send(id, words('take it back'), 'queue');
    await until(() => tab.stages().join() === 'take it back: queued', 'it is queued');
    tab.cable.cut();
    await tab.commands.cancelInput(id, inputId);
    expect(tab.screen.view.receipts[0]).toMatchObject({ stage: 'queued', changeHeld: true });
    tab.cable.mend();
    tab.wake();
    await until(() => tab.stages().join() === 'take it back: cancelled', 'it is cancelled once the server said so');
    await until(() => tab.screen.view.receipts.length === 0, 'and gone when its time to be undone is over');
    expect((await stand.store.input(id, inputId))?.state).toBe('cancelled');
  });
  test('I29: the PUT hangs, the word comes by socket: accepted, and no second PUT', async () => {
    const { tab, id } = await opened();
    let puts = 0;
    tab.cable.fate = ({ method }) => (method === 'PUT' && ++puts ? 'hang' : 'pass');
    const inputId = await tab.commands.send(id, words('heard by socket'), 'queue');
    await until(() => puts === 1, 'the PUT is out');
    await stand.call('PUT', `/sessions/${id}/inputs/${inputId}`, { content: words('heard by socket'), delivery: 'queue' });
    await until(() => tab.stages().join() === 'heard by socket: queued', 'the socket settles it');
    await pause(100);
    expect(puts).toBe(1);
  });
  test('the server queues what was aimed at another turn, and the user is told', async () => {
    const { tab, id } = await opened();
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
    await tab.commands.send(id, words('for an idle session'), 'steer');
    await DrivenTurn.prompted(stand, id, 'turn-1');
    tab.cable.mend();
    tab.wake();
    await until(() => tab.stages().join() === 'for an idle session: queued', 'it waits for its own turn');
    await until(() => tab.screen.view.receipts[0]?.note === 'other-turn', 'its receipt says why');
    // The word stands at the receipt for as long as that is true, also after a reload.
    tab.kill();
    const later = await device.tab().live();
    await later.commands.open(id);
    await until(() => later.screen.view.receipts.length === 1, 'the receipt is there again');
    expect(later.screen.view.receipts[0]).toMatchObject({ note: 'other-turn' });
  });
});

describe('the link line', () => {
  test('signed out, offline and live are told apart by the server, not by the browser', async () => {
    const tab = device.tab();
    tab.cable.signedOut = true;
    await tab.start();
    await until(() => tab.screen.linkView?.kind === 'signed-out', 'signed out');
    tab.cable.signedOut = false;
    tab.commands.retryLink();
    await until(() => tab.screen.linkView?.kind === 'live', 'live');
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind === 'offline', 'offline');
    expect(tab.screen.linkView).toMatchObject({ tries: 0, held: 0 });
  });
  test('a 401 holds everything and refuses nothing', async () => {
    const { tab, id } = await opened();
    tab.cable.fate = ({ method }) => (method === 'PUT' ? tab.cable.envelope(401, 'signed-out', false) : 'pass');
    await tab.commands.send(id, words('wait for me'), 'queue');
    await until(() => tab.screen.linkView?.kind === 'signed-out', 'signed out');
    expect(tab.stages()).toEqual(['wait for me: held']);
    tab.cable.fate = () => 'pass';
    tab.commands.retryLink();
    await until(() => tab.stages().join() === 'wait for me: queued', 'accepted after signing in');
  });
});

test('a prompt from another device shows here with its true place', async () => {
  const { tab, id } = await opened();
  await prompt(stand, id, 'theirs', 'queue');
  await tab.commands.send(id, words('mine'), 'queue');
  await until(
    () => tab.stages().length === 2 && tab.screen.view.receipts[1]?.stage === 'queued' && tab.screen.view.receipts[1].place === 2,
    'both have their place',
  );
  expect(tab.stages()).toEqual(['theirs: queued', 'mine: queued']);
  expect(tab.screen.view.receipts.map(({ place, of }) => [place, of])).toEqual([
    [1, 2],
    [2, 2],
  ]);
});
