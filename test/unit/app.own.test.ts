/** Own work, on disk and in memory: one transaction from draft to outbox, fences, and rows of a format not known here. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test } from 'vitest';
import { reactive } from 'vue';
import { diskOwn } from '../../app/own/indexeddb.ts';
import { memoryOwn } from '../../app/own/memory.ts';
import type { NewRow, Own } from '../../app/own/port.ts';
import { realTimers } from '../support/device/device.ts';

const input = (id: string, text = id): NewRow => ({
  id,
  sessionId: 's',
  command: { kind: 'input', content: [{ type: 'text', text }], delivery: 'queue', seenSeq: 0 },
  composedAt: 1,
  skew: 0,
});
const disk = (factory = new IDBFactory()) => ({ indexedDB: factory, IDBKeyRange, timers: realTimers });
const adapters: [string, () => Own][] = [
  ['IndexedDB', () => diskOwn('own', disk())],
  ['memory', () => memoryOwn()],
];

describe.each(adapters)('own work in %s', (_, open) => {
  test('the draft goes when the row is in, in the order they were added', async () => {
    const own = open();
    await own.saveDraft('s', 'words');
    await own.add(input('a'), true);
    await own.add(input('b'), false);
    expect((await own.rows()).map(({ id, order, state }) => [id, order, state])).toEqual([
      ['a', 1, 'held'],
      ['b', 2, 'held'],
    ]);
    expect(await own.draft('s')).toBe('');
  });
  test('the same id again changes nothing', async () => {
    const own = open();
    await own.add(input('a', 'first'), false);
    expect((await own.add(input('a', 'second'), false)).command).toMatchObject({ content: [{ text: 'first' }] });
    expect(await own.rows()).toHaveLength(1);
  });
  test('several go in together, in their order; what is there already stays as it is', async () => {
    const own = open();
    await own.add(input('b', 'first'), false);
    await own.addAll([input('a'), input('b', 'second'), input('c')]);
    expect((await own.rows()).map(({ id, order }) => [id, order])).toEqual([
      ['b', 1],
      ['a', 2],
      ['c', 3],
    ]);
    expect((await own.rows())[0]!.command).toMatchObject({ content: [{ text: 'first' }] });
  });
  test('a change only from the states, and under the fence, that it names', async () => {
    const own = open();
    await own.add(input('a'), false);
    const fence = await own.claim();
    expect(await own.change('a', { state: 'sending', tries: 1 }, { states: ['held'], fence })).toBe(true);
    expect(await own.change('a', { state: 'refused' }, { states: ['held'] })).toBe(false);
    const next = await own.claim();
    expect(next).toBeGreaterThan(fence);
    expect(await own.change('a', { state: 'refused' }, { fence })).toBe(false);
    expect((await own.rows())[0]).toMatchObject({ state: 'held', tries: 0 });
    expect(await own.change('gone', { state: 'refused' })).toBe(false);
  });
  test('a replacement stands where the old one stood', async () => {
    const own = open();
    for (const id of ['a', 'b', 'c']) await own.add(input(id), false);
    await own.replace('b', input('d'));
    expect((await own.rows()).map(({ id }) => id)).toEqual(['a', 'd', 'c']);
  });
  test('B21: reactive rows and drafts are stored plain and equal', async () => {
    const own = open();
    const held = reactive(input('a'));
    if (held.command.kind === 'input') held.command.content = [{ type: 'text', text: 'changed' }];
    await own.add(held, false);
    await own.change('a', reactive({ command: held.command }));
    await own.replace('x', reactive(input('b')));
    expect((await own.rows())[0]?.command).toEqual({
      kind: 'input',
      content: [{ type: 'text', text: 'changed' }],
      delivery: 'queue',
      seenSeq: 0,
    });
    expect((await own.rows()).map(({ id }) => id)).toEqual(['a', 'b']);
  });
  test('facts are kept, and a wipe leaves nothing', async () => {
    const own = open();
    expect(await own.fact('skew')).toBeNull();
    await own.setFact('skew', 5);
    await own.saveDraft('s', 'x');
    await own.add(input('a'), false);
    expect(await own.fact('skew')).toBe(5);
    await own.wipe();
    expect([await own.rows(), await own.draft('s'), await own.fact('skew')]).toEqual([[], '', null]);
  });
});

test('rows of a newer format are left for an app that knows them', async () => {
  const factory = new IDBFactory();
  const own = diskOwn('own', disk(factory));
  await own.add(input('a'), false);
  const raw = await asked(factory.open('own'));
  const outbox = (): IDBObjectStore => raw.transaction('outbox', 'readwrite').objectStore('outbox');
  const newer = { ...(await asked(outbox().get('a'))), id: 'z', order: 0, v: 2, state: 'sending' };
  await asked(outbox().put(newer));
  await own.claim();
  expect((await own.rows()).map(({ id }) => id)).toEqual(['a']);
  expect(await asked(outbox().get('z'))).toEqual(newer);
});

function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
