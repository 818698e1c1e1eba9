/** Law 9: chunks in reactive state ≤ `chunkLimit` + the open ones: while streaming, scrolled up, paging, always. */
import { expect, test } from 'vitest';
import type { TranscriptView } from '../../app/sync/ports.ts';
import { until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, stand, useDevice } from '../support/device/use-device.ts';

const LIMIT = 20;
useDevice();

/** Checked after every single change of the screen. */
function watched(tab: Tab): { most: number } {
  const seen = { most: 0 };
  tab.screen.check = (view: TranscriptView) => {
    const open = view.live?.chunks.filter((chunk) => chunk.open).length ?? 0;
    const shownLive = view.atEnd ? (view.live?.chunks.length ?? 0) : 0;
    expect(view.chunks.length + shownLive).toBeLessThanOrEqual(LIMIT + open);
    const seqs = view.chunks.map(({ seq }) => seq);
    expect(seqs).toEqual([...new Set(seqs)].toSorted((a, b) => a - b));
    seen.most = Math.max(seen.most, view.chunks.length);
  };
  return seen;
}
async function longSession(words: number): Promise<{ id: string; turn: DrivenTurn }> {
  const id = await stand.session();
  const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
  await turn.begin();
  for (let i = 0; i < words; i++) turn.say(i, `word ${i}`, true);
  await turn.seal();
  return { id, turn };
}

test('while an answer streams far past the limit, at the bottom', async () => {
  const { id, turn } = await longSession(30);
  const tab = await device.tab({ chunkLimit: LIMIT }).live();
  const seen = watched(tab);
  await tab.commands.open(id);
  await until(() => tab.screen.words().at(-1) === 'word 29', 'the newest is shown');
  await turn.begin();
  for (let i = 0; i < 50; i++) turn.say(i, `more ${i}`, true);
  turn.say(50, 'still open');
  await until(() => tab.screen.words().at(-1) === 'still open', 'the stream is shown');
  expect(seen.most).toBe(LIMIT);
  // Of 50 completed ones the window holds the newest, and no sealed chunk beside them.
  expect(tab.screen.words()).toEqual([...Array.from({ length: LIMIT }, (_, at) => `more ${at + 30}`), 'still open']);
  turn.say(50, '.', true);
  await turn.seal();
  await until(() => tab.screen.view.live === null && tab.screen.words().at(-1) === 'still open.', 'it is sealed');
  expect(tab.screen.view.chunks).toHaveLength(LIMIT);
  expect(tab.screen.view.atEnd).toBe(true);
});

test('scrolled up, the reader keeps every line while others stream and seal', async () => {
  const { id, turn } = await longSession(60);
  const tab = await device.tab({ chunkLimit: LIMIT }).live();
  watched(tab);
  await tab.commands.open(id);
  await until(() => tab.screen.words().at(-1) === 'word 59', 'the newest is shown');
  tab.commands.atTail(false);
  await tab.commands.loadOlder();
  const reading = tab.screen.view.chunks.map(({ seq }) => seq);
  expect(reading).toHaveLength(LIMIT);
  await turn.begin();
  for (let i = 0; i < 10; i++) turn.say(i, `new ${i}`, true);
  await turn.seal();
  await until(async () => (await tab.mirror.projections(id)).cursor.seq === (await stand.logOf(id)).length, 'all of it is mirrored');
  expect(tab.screen.view.chunks.map(({ seq }) => seq)).toEqual(reading);
  expect(tab.screen.view.atEnd).toBe(false);
  await tab.commands.toTail();
  expect(tab.screen.words().at(-1)).toBe('new 9');
});

test('paging all the way up and down: never over the limit, nothing skipped, nothing twice', async () => {
  const { id } = await longSession(150);
  const tab = await device.tab({ chunkLimit: LIMIT }).live();
  watched(tab);
  await tab.commands.open(id);
  await until(() => tab.screen.words().at(-1) === 'word 149', 'the newest is shown');
  tab.commands.atTail(false);
  const seen = new Set(tab.screen.words());
  for (let page = 0; page < 40 && !tab.screen.view.atStart; page++) {
    await tab.commands.loadOlder();
    for (const word of tab.screen.words()) seen.add(word);
  }
  expect(tab.screen.view.atStart).toBe(true);
  expect(tab.screen.words()[0]).toBe('go');
  expect(seen.size).toBe(151);
  const down = new Set<string>();
  for (let page = 0; page < 40 && !tab.screen.view.atEnd; page++) {
    await tab.commands.loadNewer();
    for (const word of tab.screen.words()) down.add(word);
  }
  expect(tab.screen.view.atEnd).toBe(true);
  expect(tab.screen.words().at(-1)).toBe('word 149');
});
