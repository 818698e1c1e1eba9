/** Law 17: full quota, closed database, no database: the app goes on from memory and server, says so once, and loses no words. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test } from 'vitest';
import { Database, type Schema } from '../../app/disk/database.ts';
import { faultOf } from '../../app/disk/faults.ts';
import { degradingMirror } from '../../app/mirror/degrading.ts';
import { diskMirror } from '../../app/mirror/indexeddb.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { degradingOwn } from '../../app/own/degrading.ts';
import { diskOwn } from '../../app/own/indexeddb.ts';
import type { Own } from '../../app/own/port.ts';
import { realTimers, until } from '../support/device/device.ts';
import { recordsTo, summaryOf } from '../support/device/records.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { device, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();
const quota = (): Error =>
  Object.assign(new Error('aborted'), { name: 'AbortError', inner: { name: 'AbortError', inner: { name: 'QuotaExceededError' } } });

/** A mirror whose writes of rows fail while `full()`. */
function filling(mirror: Mirror, full: () => boolean): Mirror {
  return new Proxy(mirror, {
    get(target, name, receiver) {
      if (name === 'apply' && full()) return () => Promise.reject(quota());
      const value: unknown = Reflect.get(target, name, receiver);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
const SCHEMA: Schema = { facts: 'facts', versions: [{ version: 1, stores: { facts: 'key' } }] };
const LOOK = { mode: 'readonly', stores: ['facts'], durability: 'default', work: async () => 'done' } as const;
const open = (factory: IDBFactory, limit?: number): Database => new Database('d', SCHEMA, disk(factory), {}, limit);
const opened = (factory: IDBFactory): Promise<IDBDatabase> => asked(factory.open('d'));
function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error));
  });
}
/** A factory whose connections are noted. */
function watched(factory: IDBFactory, handles: IDBDatabase[]): IDBFactory {
  const open = factory.open.bind(factory);
  factory.open = (name: string, version?: number) => {
    const request = open(name, version);
    request.addEventListener('success', () => handles.push(request.result));
    return request;
  };
  return factory;
}
const disk = (factory: IDBFactory) => ({ indexedDB: factory, IDBKeyRange, timers: realTimers });

test('B18: the quota error is found however deep it is wrapped', () => {
  expect(faultOf(quota())).toBe('quota');
  expect(faultOf(Object.assign(new Error('x'), { name: 'DatabaseClosedError' }))).toBe('closed');
  expect(faultOf(new TypeError('x'))).toBe('failed');
});

describe('B18: a full disk', () => {
  test('while an answer streams and a prompt waits: the chat goes on, the stored cursor stays, one notice, the prompt is sent', async () => {
    let full = false;
    const onDisk = diskMirror('cairn-mirror', disk(device.factory));
    const tab = await device.tab({ mirror: filling(onDisk, () => full) }).live();
    const id = await stand.session();
    await tab.commands.open(id);
    const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
    await until(() => tab.screen.words().join() === 'go', 'the prompt is shown');
    const stored = await onDisk.projections(id);
    full = true;
    await turn.begin();
    turn.say(0, 'an answer', true);
    await turn.seal();
    await tab.commands.send(id, words('go on'), 'queue');
    await until(() => tab.screen.words().join() === 'go,an answer', 'the answer is shown');
    await until(() => tab.stages().join() === 'go on: queued', 'the prompt is accepted');
    expect(tab.screen.notices.map(({ strong }) => strong)).toEqual(['This device is full.']);
    expect(tab.screen.inMemory, 'own work is kept').toBe(false);
    expect((await onDisk.projections(id)).cursor).toEqual(stored.cursor);
    await turn.begin();
    turn.say(0, 'and more', true);
    await turn.seal();
    await until(() => tab.screen.words().join() === 'go,an answer,and more', 'and so on, in order, each once');
    tab.kill();

    full = false;
    const later = await device.tab().live();
    await later.commands.open(id);
    await until(() => later.screen.words().join() === 'go,an answer,and more', 'the next start goes on from the stored cursor');
  });
  test('the oldest mirrored sessions go first, never the one being written', async () => {
    let failures = 2;
    const onDisk = diskMirror('m', disk(new IDBFactory()));
    const lost: unknown[] = [];
    const mirror = degradingMirror({
      disk: filling(onDisk, () => failures-- > 0),
      onLost: (error) => lost.push(error),
      keep: () => new Set(),
    });
    await mirror.adopt('e', false);
    const ages = ['now', 'old', 'older'].map((id, at) => summaryOf(id, { version: at + 1, updatedAt: 100 - at }));
    await mirror.putSessions((await mirror.facts()).guard, ages, 3);
    for (const { id } of ages) await onDisk.apply(await onDisk.guard(id), { kind: 'records', sessionId: id, records: recordsTo(id, 5) });
    const more = await mirror.apply(await mirror.guard('now'), { kind: 'records', sessionId: 'now', records: recordsTo('now', 9) });
    expect(more).toMatchObject({ ok: true, now: { cursor: { seq: 9 } } });
    expect(lost).toEqual([]);
    expect((await onDisk.projections('older')).cursor.seq).toBe(0);
    expect((await onDisk.projections('old')).cursor.seq).toBe(0);
    expect((await onDisk.projections('now')).cursor.seq).toBe(9);
  });
  test('memory goes on where the disk ends, and both read as one', async () => {
    let full = false;
    const onDisk = diskMirror('m', disk(new IDBFactory()));
    const mirror = degradingMirror({ disk: filling(onDisk, () => full), onLost: () => undefined, keep: () => new Set() });
    await mirror.adopt('e', false);
    await mirror.putSessions((await mirror.facts()).guard, [summaryOf('s', { version: 1 })], 1);
    await mirror.apply(await mirror.guard('s'), { kind: 'records', sessionId: 's', records: recordsTo('s', 350) });
    full = true;
    const records = recordsTo('s', 360).slice(350);
    expect(await mirror.apply(await mirror.guard('s'), { kind: 'records', sessionId: 's', records })).toMatchObject({ ok: true });
    const all = await mirror.readBefore('s', 361, 1000);
    expect(all.from).toBe(1);
    expect(all.records.map(({ seq }) => seq)).toEqual(recordsTo('s', 360).map(({ seq }) => seq));
  });
});

describe('B19: the browser closes the connection', () => {
  test('one reopen and one retry an operation: what was written after it is there after a reload', async () => {
    const tab = await device.tab().live();
    const id = await stand.session();
    await tab.commands.open(id);
    const turn = await DrivenTurn.prompted(stand, id, 'turn-1');
    await until(() => tab.screen.words().join() === 'go', 'the prompt is shown');
    tab.mirror.close();
    tab.own.close();
    await turn.begin();
    for (let i = 0; i < 50; i++) turn.say(i, `chunk ${i}`, true);
    await turn.seal();
    await tab.commands.send(id, words('still kept'), 'queue');
    await until(() => tab.screen.words().length === 51, 'all of it is shown');
    expect(tab.screen.inMemory).toBe(false);
    tab.kill();

    const later = device.tab();
    later.cable.cut();
    await later.start();
    await later.commands.open(id);
    expect(later.screen.words()).toEqual(['go', ...Array.from({ length: 50 }, (_, i) => `chunk ${i}`)]);
    expect(later.stages().join()).toMatch(/^still kept: /);
  });
  test('with reopening failing thrice the error comes out; operations that fail together share one reopening', async () => {
    const factory = new IDBFactory();
    const database = open(factory);
    await database.run(LOOK);
    const first = await opened(factory);
    first.close();
    let opens = 0;
    factory.open = () => {
      opens++;
      throw new DOMException('no', 'InvalidStateError');
    };
    database.close();
    const both = await Promise.allSettled([database.run(LOOK), database.run(LOOK)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    // One first try and one reopening of three, for both.
    expect(opens).toBe(4);
  });
  test('a connection that throws, or was closed behind its back, is opened again, and the operation is run once more', async () => {
    const factory = new IDBFactory();
    const handles: IDBDatabase[] = [];
    const database = open(watched(factory, handles));
    await database.run(LOOK);
    handles[0]!.transaction = () => {
      throw new DOMException('the connection is closing', 'InvalidStateError');
    };
    await database.run(LOOK);
    expect(handles).toHaveLength(2);
    handles[1]!.close();
    await database.run(LOOK);
    expect(handles).toHaveLength(3);
  });
  test('no operation hangs past its limit, and what was late did not happen', async () => {
    const factory = new IDBFactory();
    const database = open(factory, 50);
    await database.run(LOOK);
    const holder = await opened(factory);
    const holding = holder.transaction('facts', 'readwrite');
    let held = true;
    const keep = (): void => void (held && holding.objectStore('facts').get('x').addEventListener('success', keep));
    keep();
    const late = database.run({ ...LOOK, mode: 'readwrite', work: async (tx) => void tx.objectStore('facts').put({ key: 'late' }) });
    await expect(late).rejects.toThrow('did not answer within');
    held = false;
    expect(await database.run({ ...LOOK, work: (tx) => asked(tx.objectStore('facts').getAllKeys()) })).toEqual(['made']);
  });
  test('an open that never settles, or cannot even be asked for, fails in time', async () => {
    const factory = new IDBFactory();
    factory.open = () => new EventTarget() as never;
    const soon = { after: (_ms: number, callback: () => void) => realTimers.after(5, callback) };
    const deaf = new Database('d', SCHEMA, { indexedDB: factory, IDBKeyRange, timers: soon });
    await expect(deaf.run(LOOK)).rejects.toThrow('did not answer within');
    factory.open = () => {
      throw new DOMException('forbidden', 'SecurityError');
    };
    await expect(open(factory).run(LOOK)).rejects.toThrow('forbidden');
  });
});

describe('R11: no IndexedDB at all', () => {
  test('everything works from memory, and it is said', async () => {
    const tab = device.tab({ disk: 'memory', mirror: brokenDisk<Mirror>(), own: brokenDisk<Own>() });
    await tab.live();
    const id = await tab.commands.createSession({ workspace: stand.workspace });
    await tab.commands.open(id);
    await tab.commands.send(id, words('in a private window'), 'steer');
    await until(() => tab.stages().join() === 'in a private window: steer', 'the prompt is accepted');
    await DrivenTurn.open(stand, id, 'turn-1');
    await until(() => tab.screen.words().join() === 'in a private window', 'the transcript works');
    expect(tab.screen.inMemory).toBe(true);
    expect(tab.screen.notices.filter(({ id }) => /disk/.test(id)).length, 'the banner says it').toBeLessThanOrEqual(1);
  });
  test('rows and drafts that were seen before the disk gave out go on in memory', async () => {
    const onDisk = diskOwn('o', disk(new IDBFactory()));
    let broken = false;
    const own = degradingOwn(
      new Proxy(onDisk, {
        get: (target, name) => (broken ? () => Promise.reject(new Error('gone')) : Reflect.get(target, name)),
      }),
      () => undefined,
    );
    const command = { kind: 'input' as const, content: words('kept'), delivery: 'queue' as const, seenSeq: 0 };
    await own.add({ id: 'i1', sessionId: 's', command, composedAt: 1, skew: 0 }, false);
    await own.saveDraft('s', 'half');
    broken = true;
    expect((await own.rows()).map(({ id }) => id)).toEqual(['i1']);
    expect(await own.draft('s')).toBe('half');
    expect(own.durable).toBe(false);
  });
});

/** Every operation fails, as in a browser that forbids storage. */
function brokenDisk<T extends object>(): T {
  return new Proxy({} as T, {
    get: (_, name) =>
      name === 'close' ? () => undefined : name === 'durable' ? true : () => Promise.reject(new Error('storage is forbidden')),
  });
}
