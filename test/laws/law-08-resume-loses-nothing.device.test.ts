/**
 * Law 8, the device's half: after any drop, sleep, restart or restore, the view equals the log. The real engine and mirror
 * against a real server, cut at random moments while records are being committed and streamed.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isShown, type LogRecord } from '#shared/protocol/records.ts';
import { openStand, type HttpStand } from '../support/http-stand.ts';
import { Device, pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';

let stand: HttpStand;
let device: Device;
const others: HttpStand[] = [];
beforeEach(async () => {
  stand = await openStand();
  device = new Device(stand);
});
afterEach(async () => {
  device.close();
  await stand.close();
  for (const other of others.splice(0)) await other.close();
});

function dice(seed: number): (below: number) => number {
  let state = (seed * 2654435761) >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}
async function shownLog(from: HttpStand, id: string): Promise<string[]> {
  return (await from.logOf(id)).filter((record) => record.kind === 'chunk' && isShown(record)).map((record) => record.id);
}
/** Waits until the screen holds the log: all of it, in order, each once. Answers what the mirror holds. */
async function settled(tab: Tab, from: HttpStand, id: string): Promise<LogRecord[]> {
  const wanted = await shownLog(from, id);
  await until(() => tab.screen.view.chunks.map((chunk) => chunk.id).join() === wanted.join(), 'the view equals the log', 15_000);
  await until(() => tab.screen.view.live === null, 'nothing is live');
  const { length } = await from.logOf(id);
  await until(async () => (await tab.mirror.projections(id)).cursor.seq === length, 'the cursor is at the head');
  return (await tab.mirror.readBefore(id, length + 1, 10_000)).records;
}

test.each([1, 2, 3, 4])('whatever is cut, and whenever, seed %d', async (seed) => {
  const roll = dice(seed);
  const tab = await device.tab({ disk: 'memory', chunkLimit: 1000 }).live();
  const id = await stand.session();
  await tab.commands.open(id);
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  for (let step = 0; step < 25; step++) {
    await turn.begin();
    const blocks = 1 + roll(3);
    for (let i = 0; i < blocks; i++) {
      turn.say(i, `${step}.${i} `);
      if (roll(5) === 0) tab.cable.drop();
      if (roll(9) === 0) tab.cable.freeze();
      if (roll(6) === 0) tab.wake();
      turn.say(i, 'end', true);
    }
    if (roll(7) === 0) {
      tab.cable.cut();
      setTimeout(() => {
        tab.cable.mend();
        tab.wake();
      }, roll(20));
    }
    await turn.seal();
    await pause(roll(15));
  }
  await turn.settle();
  tab.cable.mend();
  tab.wake();
  expect(await settled(tab, stand, id)).toEqual(await stand.logOf(id));
});

test('what streams is shown as it is said, and is the same text once sealed', async () => {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await turn.begin();
  turn.say(0, 'one ');
  await until(() => tab.screen.words().join() === 'go,one ', 'the first word');
  tab.cable.drop();
  turn.say(0, 'two ');
  await until(() => tab.screen.linkView?.kind === 'live' && tab.screen.words().join() === 'go,one two ', 'what was said meanwhile');
  turn.say(0, 'three', true);
  await until(() => tab.screen.words().join() === 'go,one two three', 'and on');
  await turn.seal();
  await until(() => tab.screen.view.live === null && tab.screen.words().join() === 'go,one two three', 'sealed');
  expect(await settled(tab, stand, id)).toEqual(await stand.logOf(id));
});

test('B1: a socket that is open and dead is found on waking, and its late frames reach nobody', async () => {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await until(() => tab.screen.words().join() === 'go', 'the prompt is shown');
  tab.cable.freeze();
  await turn.begin();
  for (let i = 0; i < 5; i++) turn.say(i, `unseen ${i}`, true);
  await turn.seal();
  await pause(30);
  expect(tab.screen.words()).toEqual(['go']);
  tab.wake();
  await until(() => tab.screen.words().length === 6, 'all five are shown with no reload');
  expect((await tab.mirror.projections(id)).cursor.seq).toBe((await stand.logOf(id)).length);
});

test('B3: a prompt sent in the tick of the opening, and a mirror cleared: prompt then answer, once each', async () => {
  const tab = device.tab();
  await tab.engine.paint();
  const id = await stand.session();
  tab.engine.connect();
  const opening = tab.commands.open(id);
  const sent = tab.commands.send(id, [{ type: 'text', text: 'early' }], 'steer');
  await Promise.all([opening, sent]);
  await until(() => tab.stages().join() === 'early: steer', 'it is accepted');
  const turn = await DrivenTurn.open(stand, id, 'turn-1');
  await turn.begin();
  turn.say(0, 'answer', true);
  await turn.seal();
  await until(() => tab.screen.words().join() === 'early,answer', 'prompt then answer');
  await tab.mirror.dropLog(id);
  tab.cable.drop();
  expect(await settled(tab, stand, id)).toEqual(await stand.logOf(id));
  expect(tab.screen.words()).toEqual(['early', 'answer']);
  expect(tab.cable.calls.filter(({ method, path }) => method === 'PUT' && path.includes('/inputs/'))).toHaveLength(1);
});

describe('B4: another history', () => {
  test('the server is restored under a new epoch: the mirror is loaded anew, what waited here stays', async () => {
    const tab = await device.tab().live();
    const id = await stand.session();
    await tab.commands.open(id);
    const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
    await turn.begin();
    for (let i = 0; i < 30; i++) turn.say(i, `old ${i}`, true);
    await turn.seal();
    await until(() => tab.screen.words().length === 31, 'the old history is shown');
    tab.cable.cut();
    await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
    await tab.commands.send(id, [{ type: 'text', text: 'written meanwhile' }], 'queue');

    const other = await openStand();
    others.push(other);
    await other.call('PUT', `/sessions/${id}`, { workspace: other.workspace });
    const again = await DrivenTurn.prompted(other, id, 'turn-9', 'new go');
    await again.begin();
    again.say(0, 'another history', true);
    await again.seal();
    tab.cable.stand = other;
    tab.cable.mend();
    tab.wake();
    await until(() => tab.screen.words().join() === 'new go,another history', 'the view equals the restored server');
    await until(() => tab.stages().join() === 'written meanwhile: queued', 'the outbox was not dropped');
    expect(tab.screen.notices.some(({ id: notice }) => notice === 'restored')).toBe(true);
    await again.settle();
    expect(await settled(tab, other, id)).toEqual(await other.logOf(id));
  });
  test('one session of the same epoch differs at the cursor: only its log is dropped and fetched again', async () => {
    const tab = await device.tab().live();
    const id = await stand.session();
    const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
    await turn.begin();
    turn.say(0, 'true words', true);
    await turn.seal();
    const log = await stand.logOf(id);
    const { epoch } = await tab.mirror.facts();
    const foreign = log.map((record) => ({
      ...record,
      id: `${record.id}-x`,
      ...(record.type === 'text' ? { data: { text: 'false words' } } : {}),
    }));
    const { session } = await stand.store.timeline(id, 1);
    const timeline = { session, records: foreign, pendingInputs: [], approvals: [], live: null, head: foreign.length, epoch: epoch! };
    await tab.mirror.apply(await tab.mirror.guard(id), { kind: 'timeline', sessionId: id, timeline });
    await tab.commands.open(id);
    await until(() => tab.screen.words().join() === 'go,true words', 'the view equals the log');
    await turn.settle();
    expect(await settled(tab, stand, id)).toEqual(await stand.logOf(id));
  });
});
