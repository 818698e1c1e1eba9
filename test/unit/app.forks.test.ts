/** Forks as a device asks for them: durable here first, one of each at the server, and shown for what they are. */
import { describe, expect, test } from 'vitest';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { NewFork } from '../../app/sync/commands.ts';
import { uuid } from '../support/http-stand.ts';
import { Device, pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, offline, online, stand, useDevice } from '../support/device/use-device.ts';

useDevice();
const words = (text: string): ContentPart[] => [{ type: 'text', text }];
const say = async (turn: DrivenTurn, text: string): Promise<void> => {
  await turn.begin();
  turn.say(0, text, true);
  await turn.seal();
};
const summary = async (id: string): Promise<SessionSummary> => (await stand.store.session(id)) as SessionSummary;

/** A session of two settled turns, open on a tab. Answers where each turn began and ended. */
async function opened(): Promise<{ tab: Tab; id: string; ends: number[]; prompts: number[] }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  const ends: number[] = [];
  for (const text of ['one', 'two']) {
    const turn = await DrivenTurn.prompted(stand, id, uuid(), text);
    await say(turn, `answer to ${text}`);
    await turn.settle();
    ends.push((await summary(id)).head);
  }
  await until(() => tab.screen.words().length === 4 && tab.screen.rows.get(id)?.summary.turnId === null, 'both turns are shown');
  const prompts = tab.screen.view.chunks.filter(({ type }) => type === 'prompt').map(({ seq }) => seq);
  return { tab, id, ends, prompts };
}
function forkOf(tab: Tab, sessionId: string, seq: number): NewFork {
  const { workspace, mode, model, effort } = tab.screen.rows.get(sessionId)!.summary;
  return { workspace, mode, model, effort, title: 'A fork', origin: { sessionId, seq } };
}

describe('a fork', () => {
  test('asked for offline is shown at once as held here, survives the tab, and is made once with its history and its prompt', async () => {
    const { tab, id, ends } = await opened();
    const before = await stand.logOf(id);
    await offline(tab);
    const fork = uuid();
    const inputId = uuid();
    await tab.commands.forkSession(forkOf(tab, id, ends[0]!), { id: inputId, content: words('two, better') }, fork);
    expect(tab.screen.rows.get(fork)).toMatchObject({
      heldHere: true,
      heldInputs: 1,
      summary: { title: 'A fork', lastWords: 'two, better', origin: { sessionId: id, seq: ends[0] } },
    });
    await tab.commands.open(fork);
    expect(tab.stages()).toEqual(['two, better: held']);
    tab.kill();

    // the first answer to each is lost: what was committed is asked for again, not made again
    const next = device.tab();
    const lost = new Set<string>();
    next.cable.fate = ({ method, path }) => (method === 'PUT' && !lost.has(path) ? (lost.add(path), 'lost') : 'pass');
    await next.live();
    await next.commands.open(fork);
    await until(() => next.stages().join() === 'two, better: steer', 'both are with the server');
    await until(() => next.screen.words().length === 2, 'its history is here');
    expect(lost.size).toBe(2);
    expect(next.screen.words()).toEqual(['one', 'answer to one']);
    expect(next.screen.rows.get(fork)).toMatchObject({ heldHere: false, summary: { origin: { sessionId: id, seq: ends[0] }, total: 2 } });
    const { pendingInputs } = await stand.store.timeline(fork, 10);
    expect(pendingInputs.map((receipt) => [receipt.id, receipt.content])).toEqual([[inputId, words('two, better')]]);
    expect((await stand.store.sessionsSince(0, 10)).sessions).toHaveLength(2);
    expect(await stand.logOf(id)).toEqual(before);
    expect(await next.own.rows()).toMatchObject([{ id: inputId, state: 'acked' }]);
  });

  test('I33: asked for twice at once is one fork with one prompt', async () => {
    const { tab, id, ends } = await opened();
    const fork = uuid();
    const prompt = { id: uuid(), content: words('again') };
    const press = (): Promise<void> => tab.commands.forkSession(forkOf(tab, id, ends[1]!), prompt, fork);
    await Promise.all([press(), press()]);
    await until(async () => (await stand.store.session(fork)) !== null, 'it is made');
    await until(async () => (await stand.store.timeline(fork, 1)).pendingInputs.length === 1, 'the prompt is there');
    await pause(50);
    expect((await stand.store.timeline(fork, 1)).pendingInputs.map((receipt) => receipt.id)).toEqual([prompt.id]);
    expect([...tab.screen.rows.keys()].toSorted()).toEqual([id, fork].toSorted());
  });

  test('without a prompt is only the copy, and another device sees what it is a fork of', async () => {
    const { tab, id, ends } = await opened();
    const fork = uuid();
    await tab.commands.forkSession(forkOf(tab, id, ends[1]!), null, fork);
    const phone = await new Device(stand).tab().live();
    await until(() => phone.screen.rows.get(fork)?.summary.origin?.seq === ends[1], 'the phone knows');
    await phone.commands.open(fork);
    await until(() => phone.screen.words().length === 4, 'it reads the history');
    expect(phone.screen.words()).toEqual(['one', 'answer to one', 'two', 'answer to two']);
    phone.kill();
  });

  test('of a session that is gone meanwhile is refused in words, and what was to be said in it is kept', async () => {
    const { tab, id, ends } = await opened();
    await offline(tab);
    const fork = uuid();
    await tab.commands.forkSession(forkOf(tab, id, ends[0]!), { id: uuid(), content: words('kept') }, fork);
    await tab.commands.open(fork);
    await stand.call('DELETE', `/sessions/${id}`);
    online(tab);
    await until(() => tab.stages().join() === 'kept: refused', 'it is refused');
    expect(tab.screen.view.receipts[0]!.reason).toBe('The session to fork from was deleted.');
    expect(tab.screen.notices.map(({ strong, text }) => `${strong} ${text}`)).toContain(
      'The fork was not made. The session to fork from was deleted.',
    );
    expect(tab.screen.rows.get(fork)?.notMade).toBe('The session to fork from was deleted.');
    expect(await stand.store.session(fork)).toBeNull();
    await tab.commands.deleteSession(fork);
    await until(() => !tab.screen.rows.has(fork), 'it can be put away');
  });
});

describe('the end of a turn', () => {
  test('is its settling, read from this device without a server', async () => {
    const { tab, id, ends, prompts } = await opened();
    await offline(tab);
    expect(await tab.commands.turnEnd(id, prompts[0]!)).toBe(ends[0]);
    expect(await tab.commands.turnEnd(id, prompts[1]!)).toBe(ends[1]);
    expect(await tab.commands.turnEnd(id, prompts[0]! + 2)).toBe(ends[0]);
  });
  test('is none while the turn is open', async () => {
    const { tab, id } = await opened();
    const turn = await DrivenTurn.prompted(stand, id, uuid(), 'three');
    await say(turn, 'so far');
    await until(() => tab.screen.words().length === 6, 'it is shown');
    const open = tab.screen.view.chunks.findLast(({ type }) => type === 'prompt')!.seq;
    expect(await tab.commands.turnEnd(id, open)).toBeNull();
  });
  test('in what a fork has copied, it ends before the next turn or with the log', async () => {
    const { tab, id, ends } = await opened();
    const fork = uuid();
    await tab.commands.forkSession(forkOf(tab, id, ends[1]!), null, fork);
    await tab.commands.open(fork);
    await until(() => tab.screen.words().length === 4, 'it is here');
    const prompts = tab.screen.view.chunks.filter(({ type }) => type === 'prompt').map(({ seq }) => seq);
    const answers = [await tab.commands.turnEnd(fork, prompts[0]!), await tab.commands.turnEnd(fork, prompts[1]!)];
    expect(answers).toEqual([prompts[1]! - 1, (await summary(fork)).head]);
    for (const seq of answers) {
      const again = uuid();
      await tab.commands.forkSession(forkOf(tab, fork, seq!), null, again);
      await until(async () => (await stand.store.session(again)) !== null, `a fork of the fork at ${seq}`);
    }
  });
  test('is asked of the server where this device has a hole, and is none without a link', async () => {
    const { tab, id, ends, prompts } = await opened();
    await tab.mirror.dropLog(id);
    expect(await tab.commands.turnEnd(id, prompts[0]!)).toBe(ends[0]);
    await offline(tab);
    expect(await tab.commands.turnEnd(id, prompts[0]!)).toBeNull();
  });
});
