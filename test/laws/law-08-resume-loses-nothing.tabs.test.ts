/** Law 8 with two tabs on one mirror: each writes what the other has written already, and both show the log, each row once. */
import { expect, test } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import { uuid } from '../support/http-stand.ts';
import { pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { Watch } from '../support/device/watch.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();

async function shownLog(id: string): Promise<string[]> {
  return (await stand.logOf(id)).filter((record) => record.kind === 'chunk' && isShown(record)).map((record) => record.id);
}
async function both(limit: number): Promise<{ id: string; turn: DrivenTurn; tabs: Tab[]; watches: Watch[] }> {
  const id = await stand.session();
  const turn = await DrivenTurn.prompted(stand, id, uuid());
  const tabs = [await device.tab({ chunkLimit: limit }).live(), await device.tab({ chunkLimit: limit }).live()];
  const watches = tabs.map((tab) => new Watch(tab.screen, () => tab.engine.limit.value));
  for (const tab of tabs) await tab.commands.open(id);
  return { id, turn, tabs, watches };
}
const isAtEnd = (tab: Tab, log: readonly string[]): boolean => {
  const ids = tab.screen.view.chunks.map(({ id }) => id);
  return tab.screen.view.atEnd && ids.length > 0 && ids.join() === log.slice(-ids.length).join();
};

test('both follow what streams and is sealed, one of them through lost links', async () => {
  const { id, turn, tabs, watches } = await both(24);
  for (let step = 0; step < 20; step++) {
    await turn.begin();
    for (let i = 0; i < 4; i++) {
      turn.say(i, `${step}.${i} `);
      if ((step + i) % 5 === 0) tabs[1]!.cable.drop();
      turn.say(i, 'end', true);
    }
    await turn.seal();
    if (step % 3 === 0) await pause(5);
  }
  const log = await shownLog(id);
  for (const tab of tabs) {
    tab.wake();
    await until(() => isAtEnd(tab, log) && (tab.screen.view.live?.chunks.length ?? 0) === 0, 'it shows the end of the log');
  }
  for (const watch of watches) expect(watch.against(await stand.logOf(id))).toEqual([]);
});

test('one without a link reads what the other writes, at the tail as it comes; scrolled up it keeps its lines', async () => {
  const { id, turn, tabs, watches } = await both(24);
  const [online, cut] = tabs as [Tab, Tab];
  cut.cable.cut();
  await until(() => cut.screen.linkView?.kind !== 'live', 'its link is down');
  for (let step = 0; step < 12; step++) {
    await turn.begin();
    for (let i = 0; i < 5; i++) turn.say(i, `${step}.${i}`, true);
    await turn.seal();
  }
  const log = await shownLog(id);
  await until(() => isAtEnd(online, log), 'the one with a link is at the end');
  await until(() => isAtEnd(cut, log), 'and so is the other');
  cut.commands.atTail(false);
  const reading = cut.screen.view.chunks.map(({ seq }) => seq);
  await turn.begin();
  for (let i = 0; i < 5; i++) turn.say(i, `last ${i}`, true);
  await turn.seal();
  await until(async () => isAtEnd(online, await shownLog(id)), 'more is here');
  await until(() => !cut.screen.view.atEnd, 'the other knows that there is more');
  expect(cut.screen.view.chunks.map(({ seq }) => seq)).toEqual(reading);
  await cut.commands.toTail();
  expect(isAtEnd(cut, await shownLog(id))).toBe(true);
  for (const watch of watches) expect(watch.against(await stand.logOf(id))).toEqual([]);
});

test('an answer to an edit, told while the other tab is ahead in the mirror, shows nothing twice', async () => {
  const { id, turn, tabs, watches } = await both(256);
  const [, second] = tabs as [Tab, Tab];
  const input = await second.commands.send(id, [{ type: 'text', text: 'later' }], 'queue');
  await until(() => second.stages().join() === 'later: queued', 'it is queued');
  for (let step = 0; step < 6; step++) {
    await turn.begin();
    for (let i = 0; i < 5; i++) turn.say(i, `${step}.${i}`, true);
    const edit = second.commands.editInput(id, input, [{ type: 'text', text: `later ${step}` }]);
    await turn.seal();
    await edit;
  }
  const log = await shownLog(id);
  for (const tab of tabs) await until(() => isAtEnd(tab, log), 'it shows the end of the log');
  await until(() => tabs.every((tab) => tab.stages().join() === 'later 5: queued'), 'the last words wait');
  for (const watch of watches) expect(watch.against(await stand.logOf(id))).toEqual([]);
});
