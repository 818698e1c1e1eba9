/** Law 17 between windows: one that holds the storage up, one that is older, one that is newer; and a copy that was deleted. */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import { describe, expect, test } from 'vitest';
import { Database } from '../../app/disk/database.ts';
import { diskOwn } from '../../app/own/indexeddb.ts';
import { memoryOwn } from '../../app/own/memory.ts';
import { takeLeft } from '../../app/own/side.ts';
import { noteLoss } from '../../app/sync/losses.ts';
import { pause, realTimers, until } from '../support/device/device.ts';
import { device, stand, useDevice, words } from '../support/device/use-device.ts';

useDevice();
const disk = (indexedDB: IDBFactory) => ({ indexedDB, IDBKeyRange, timers: realTimers });

function asked<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result));
    request.addEventListener('error', () => reject(request.error ?? new Error('failed')));
  });
}
/** Another window that sits in a transaction on `stores`, until told to end. */
async function sitting(factory: IDBFactory, name: string, stores: readonly string[]): Promise<() => void> {
  const db = await asked(factory.open(name));
  const tx = db.transaction(stores, 'readwrite');
  let sits = true;
  const keep = (): void => void (sits && tx.objectStore(stores[0]!).get('x').addEventListener('success', keep));
  keep();
  return () => {
    sits = false;
    db.close();
  };
}
const OWN = ['outbox', 'drafts', 'facts'];

describe('a window that sits in a transaction', () => {
  test('holds up no composer: the words are aside on the disk when Send has its answer, sent, and with own work afterwards', async () => {
    const tab = await device.tab().live();
    const id = await stand.session();
    await tab.commands.open(id);
    const end = await sitting(device.factory, 'cairn-own', OWN);
    const began = Date.now();
    const inputId = await tab.commands.send(id, words('not held up'), 'queue');
    expect(Date.now() - began).toBeLessThan(6_000);
    const aside = await device.factory.databases();
    expect(aside.some(({ name }) => name?.startsWith('cairn-aside-'))).toBe(true);
    await until(() => tab.stages().join() === 'not held up: queued', 'the prompt is accepted');
    expect(tab.screen.inMemory).toBe(false);
    await until(() => tab.screen.notices.length > 0, 'it is told');
    expect(tab.screen.notices.map(({ strong }) => strong)).toEqual(['Another window holds this device’s storage.']);
    end();
    await until(() => tab.screen.notices.at(-1)?.strong === 'Saving is on again.', 'it saves again', 10_000);
    expect((await tab.own.rows()).map((row) => [row.id, row.state])).toEqual([[inputId, 'acked']]);
    expect((await device.factory.databases()).some(({ name }) => name?.startsWith('cairn-aside-'))).toBe(false);
  });
  test('and the one that waited dies: its words are found by the next, and run once', async () => {
    const tab = device.tab();
    tab.cable.cut();
    await tab.start();
    const id = await stand.session();
    const end = await sitting(device.factory, 'cairn-own', OWN);
    await tab.commands.send(id, words('kept aside'), 'queue');
    tab.commands.saveDraft(id, 'half a thought');
    await pause(300);
    tab.kill();
    end();
    const next = await device.tab().live();
    await next.gather();
    await next.commands.open(id);
    await until(() => next.stages().join() === 'kept aside: queued', 'it is sent');
    expect(await next.commands.draft(id)).toBe('half a thought');
    const left: unknown[] = [];
    await takeLeft(
      disk(device.factory),
      (_name, task) => task(),
      async (aside) => void left.push(aside),
    );
    expect(left).toEqual([]);
  });
});

/** The database as a newer app has it: `version` above ours. */
function newer(factory: IDBFactory, name: string, version: number): IDBOpenDBRequest {
  return factory.open(name, version);
}

describe('B20: an older window beside a newer database', () => {
  test('the old window saves what is typed, lets go, says so, and goes on; the next one has its words', async () => {
    const tab = await device.tab().live();
    const id = await stand.session();
    await tab.commands.open(id);
    tab.commands.saveDraft(id, 'typed a moment ago');
    const db = await asked(newer(device.factory, 'cairn-own', 20));
    const draft = await asked<{ text: string } | undefined>(db.transaction('drafts').objectStore('drafts').get(id));
    expect(draft?.text).toBe('typed a moment ago');
    await until(() => tab.screen.notices.some(({ act }) => act === 'reload'), 'it offers to reload');
    await tab.commands.send(id, words('from the old window'), 'queue');
    await until(() => tab.stages().join() === 'from the old window: queued', 'and still sends');
    expect(tab.screen.notices.filter(({ id: told }) => told === 'outdated')).toHaveLength(1);
    const left: string[][] = [];
    tab.kill();
    db.close();
    await takeLeft(
      disk(device.factory),
      (_name, task) => task(),
      async (aside) => void left.push(aside.rows.map((row) => row.id)),
    );
    expect(left.flat()).toHaveLength(1);
  });
  test('an older app that meets a newer database leaves it alone, and works from the server', async () => {
    const [own, mirror] = await Promise.all([
      asked(newer(device.factory, 'cairn-own', 20)),
      asked(newer(device.factory, 'cairn-mirror', 30)),
    ]);
    own.close();
    mirror.close();
    const tab = await device.tab().live();
    const id = await tab.commands.createSession({ workspace: stand.workspace });
    await tab.commands.open(id);
    await tab.commands.send(id, words('still works'), 'steer');
    await until(() => tab.stages().join() === 'still works: steer', 'the prompt is accepted');
    expect(tab.screen.notices.map(({ id: told }) => told)).toEqual(['outdated']);
    const after = await asked(device.factory.open('cairn-own'));
    expect(after.version).toBe(20);
    after.close();
  });
  test('a newer window that an old one blocks is usable within 3 s, and its upgrade goes on by itself', async () => {
    const factory = new IDBFactory();
    const old = await asked(factory.open('d', 1));
    let upgraded = false;
    const version = {
      version: 1,
      stores: { facts: 'key' },
      async upgrade() {
        upgraded = true;
      },
    };
    const schema = { facts: 'facts', versions: [version] };
    const database = new Database('d', schema, disk(factory));
    const look = { mode: 'readonly', stores: ['facts'], durability: 'default', work: async () => 'done' } as const;
    const began = Date.now();
    const both = await Promise.allSettled([database.run(look), database.run(look)]);
    expect(both.map((result) => (result.status === 'rejected' ? (result.reason as Error).name : result.value))).toEqual([
      'BlockedError',
      'BlockedError',
    ]);
    expect(Date.now() - began).toBeLessThan(4_000);
    old.close();
    await until(() => upgraded, 'the upgrade went on');
    expect(await database.run(look)).toBe('done');
    database.close();
  });
});

describe('an emptied copy', () => {
  const deleted = (name: string): Promise<unknown> => asked(device.factory.deleteDatabase(name));

  test('on a device that the server knows is a loss, told once', async () => {
    const notices: string[] = [];
    const screen = { notice: ({ strong }: { strong: string }) => void notices.push(strong) } as never;
    const answer = { kind: 'ok', value: { devices: [{ id: 'device-9', current: true }] } };
    const http = { ask: async () => answer } as never;
    const own = diskOwn('o', { ...disk(new IDBFactory()), mark: () => 'made once' });
    expect(await noteLoss({ own, screen }, http)).toBe('device-9');
    expect(await noteLoss({ own, screen }, http)).toBeNull();
    expect(notices).toEqual(['The browser emptied this device’s copy.']);
    // Signed out by its user it is empty on purpose, and one in memory says so already.
    await own.wipe();
    expect(await noteLoss({ own, screen }, http)).toBeNull();
    expect(await noteLoss({ own: memoryOwn(), screen }, http)).toBeNull();
    const unheard = diskOwn('p', { ...disk(new IDBFactory()), mark: () => 'made' });
    expect(await noteLoss({ own: unheard, screen }, { ask: async () => ({ kind: 'trouble' }) } as never)).toBeNull();
    expect(await noteLoss({ own: unheard, screen }, http), 'once it can be asked').toBe('device-9');
  });
  test('a first sign-in, and one after the own sign-out, is none', async () => {
    const tab = device.tab();
    await tab.engine.paint();
    await tab.engine.signedIn('device-1');
    tab.engine.connect();
    await until(() => tab.screen.linkView?.kind === 'live', 'the link is live');
    await pause(50);
    expect(tab.screen.notices).toEqual([]);
    await tab.own.wipe();
    tab.kill();
    const next = await device.tab().live();
    await pause(50);
    expect(next.screen.notices).toEqual([]);
  });
  test('under a running window: what it knows of unsent words is put back, and what comes is kept again', async () => {
    const tab = device.tab();
    await tab.engine.paint();
    await tab.engine.signedIn('device-1');
    tab.engine.connect();
    await until(() => tab.screen.linkView?.kind === 'live', 'the link is live');
    const id = await stand.session();
    await tab.commands.open(id);
    await until(() => tab.screen.view.loaded, 'it is shown');
    tab.cable.cut();
    await tab.commands.send(id, words('unsent and dear'), 'queue');
    tab.commands.saveDraft(id, 'half');
    await tab.engine.drafts.flush();
    await deleted('cairn-own');
    await deleted('cairn-mirror');
    await tab.commands.pauseCopying(false);
    await until(async () => (await tab.own.rows()).length === 1, 'the prompt is put back');
    expect(await tab.own.draft(id)).toBe('half');
    expect(tab.screen.notices.filter(({ strong }) => strong === 'The copy on this device was deleted.').length).toBeGreaterThan(0);
    tab.cable.mend();
    await until(() => tab.stages().join() === 'unsent and dear: queued', 'and sent');
    await until(async () => (await tab.mirror.facts()).epoch !== null, 'the mirror is of this history again');
    await until(async () => (await tab.mirror.projections(id)).cursor.seq > 0, 'and is filled');
  });
});

test('own work of two windows joins: nothing is dropped, nothing runs twice', async () => {
  const own = diskOwn('o', disk(new IDBFactory()));
  const row = (id: string) => ({
    id,
    sessionId: 's',
    command: { kind: 'input' as const, content: words(id), delivery: 'queue' as const, seenSeq: 0 },
    composedAt: 1,
    skew: 0,
  });
  await own.add(row('a'), false);
  await own.saveDraft('s', 'mine');
  const [a] = await own.rows();
  const b = { ...a!, id: 'b', order: 1 };
  const gone = { ...a!, id: 'gone', order: 3 };
  const aside = {
    v: 1,
    rows: [
      { id: 'a', was: a!, now: { ...a!, state: 'acked' as const } },
      { id: 'b', was: null, now: b },
      { id: 'gone', was: gone, now: { ...gone, tries: 2 } },
    ],
    drafts: [{ id: 's', was: null, now: 'yours' }],
    facts: [['skew', 7]] as [string, unknown][],
  };
  for (let twice = 0; twice < 2; twice++) {
    await own.merge(aside);
    expect((await own.rows()).map(({ id, order, state }) => [id, order, state])).toEqual([
      ['a', 1, 'acked'],
      ['b', 2, 'held'],
    ]);
    expect(await own.draft('s')).toBe('mine\n\nyours');
    expect(await own.fact('skew')).toBe(7);
  }
});
