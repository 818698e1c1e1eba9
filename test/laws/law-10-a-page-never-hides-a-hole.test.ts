/** Law 10: what is missing on this device is shown as missing, never as the start. */
import { expect, test } from 'vitest';
import { until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

useDevice();
async function grow(turn: DrivenTurn, from: number, count: number): Promise<void> {
  await turn.begin();
  for (let i = 0; i < count; i++) turn.say(i, `word ${from + i}`, true);
  await turn.seal();
}
/** Up until nothing more comes: the start, or a hole. */
async function pageUp(tab: Tab): Promise<void> {
  tab.commands.atTail(false);
  for (let page = 0; page < 40 && !tab.screen.view.atStart && tab.screen.view.hole === null; page++) await tab.commands.loadOlder();
}
const unbroken = (tab: Tab): boolean => {
  const numbers = tab.screen
    .words()
    .filter((word) => word.startsWith('word'))
    .map((word) => Number(word.slice(5)));
  return numbers.every((number, at) => at === 0 || number === numbers[at - 1]! + 1);
};

test('offline above the newest records: the hole has its true ends, and is no start', async () => {
  const id = await stand.session();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await grow(turn, 0, 500);
  const tab = await device.tab().live();
  await tab.commands.open(id);
  await until(() => tab.screen.words().at(-1) === 'word 499', 'the newest is shown');
  tab.cable.cut();
  await pageUp(tab);
  const { hole, atStart, oldestLoadedSeq } = tab.screen.view;
  expect(atStart).toBe(false);
  expect(hole).toEqual({ from: 1, to: (await tab.mirror.readBefore(id, oldestLoadedSeq!, 1)).from - 1 });
  expect(unbroken(tab)).toBe(true);

  tab.cable.mend();
  tab.wake();
  await until(() => tab.screen.linkView?.kind === 'live', 'the link is back');
  expect(tab.screen.view.hole).toBeNull();
  await pageUp(tab);
  expect(tab.screen.words()[0]).toBe('go');
  expect(tab.screen.view).toMatchObject({ atStart: true, hole: null });
  expect(unbroken(tab)).toBe(true);
});

test('a hole in the middle, between an old visit and a new one, ends where the old one does', async () => {
  const id = await stand.session();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await grow(turn, 0, 30);
  const first = await device.tab().live();
  await first.commands.open(id);
  await until(() => first.screen.words().at(-1) === 'word 29', 'the old visit is mirrored');
  const { seq: left } = (await first.mirror.projections(id)).cursor;
  first.kill();
  // So much happens meanwhile that the server answers a cursor of then with a gap.
  for (let part = 0; part < 11; part++) await grow(turn, 30 + part * 500, 500);

  const second = await device.tab().live();
  await second.commands.open(id);
  await until(() => second.screen.words().at(-1) === 'word 5529', 'the newest is shown', 20_000);
  second.cable.cut();
  await pageUp(second);
  expect(second.screen.view.hole?.from).toBe(left + 1);
  expect(second.screen.view.atStart).toBe(false);
  expect(unbroken(second)).toBe(true);
});

test('nothing mirrored and no server: missing, not empty', async () => {
  const id = await stand.session();
  await grow(await DrivenTurn.prompted(stand, id, 'turn-1'), 0, 5);
  const first = await device.tab().live();
  await until(() => first.screen.rows.has(id), 'the list is here');
  first.kill();
  const second = device.tab();
  second.cable.cut();
  // Only the list, as after an eviction.
  await second.mirror.dropLog(id);
  await second.start();
  await second.commands.open(id);
  const { head } = second.screen.rows.get(id)!.summary;
  expect(second.screen.view).toMatchObject({ loaded: true, atStart: false, hole: { from: 1, to: head } });
});

test('a page that the server cuts short, or will not give, leaves no silent gap', async () => {
  const id = await stand.session();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await turn.begin();
  for (let i = 0; i < 300; i++) turn.say(i, `word ${i} ${'x'.repeat(4_000)}`, true);
  await turn.seal();
  const tab = await device.tab({ chunkLimit: 2048 }).live();
  await tab.commands.open(id);
  await until(() => tab.screen.words().at(-1)?.startsWith('word 299') ?? false, 'the newest is shown');
  let refused = 0;
  tab.cable.fate = ({ path }) => (path.includes('/log?') && refused++ % 2 === 0 ? 'no-answer' : 'pass');
  tab.commands.atTail(false);
  for (let page = 0; page < 60 && !tab.screen.view.atStart; page++) {
    await tab.commands.loadOlder();
    const seqs = tab.screen.view.chunks.map(({ seq }) => seq);
    const log = (await stand.logOf(id)).filter((record) => record.kind === 'chunk' && record.seq >= seqs[0]!).map(({ seq }) => seq);
    expect(seqs).toEqual(log);
  }
  expect(tab.screen.view.atStart).toBe(true);
});

test('a copy that was cut half-way: the hole has its true ends, and none is left once the copy went on', async () => {
  const id = await stand.session();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  for (let part = 0; part < 3; part++) await grow(turn, part * 500, 500);
  const tab = device.tab({ copies: true });
  let pages = 0;
  tab.cable.hold = async ({ path }) => {
    if (path.includes('/log?') && ++pages === 2) tab.cable.cut();
  };
  await tab.live();
  await until(() => pages === 2, 'the copy is cut');
  await tab.commands.open(id);
  await until(() => tab.screen.linkView?.kind === 'offline', 'the link is down');
  await pageUp(tab);
  const { runs, cursor } = await tab.mirror.coverage(id);
  expect(runs).toEqual([{ from: runs[0]!.from, to: cursor }]);
  expect(tab.screen.view).toMatchObject({ atStart: false, hole: { from: 1, to: runs[0]!.from - 1 } });
  expect(unbroken(tab)).toBe(true);

  tab.cable.mend();
  tab.wake();
  await until(async () => (await tab.mirror.coverage(id)).runs[0]?.from === 1, 'the copy went on', 15_000);
  tab.kill();
  const later = device.tab();
  later.cable.cut();
  await later.start();
  await later.commands.open(id);
  await pageUp(later);
  expect(later.screen.view).toMatchObject({ atStart: true, hole: null });
  expect(unbroken(later)).toBe(true);
});
