import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decisions } from '../../server/inbox/decisions.ts';
import { DataFolderBusy, DataFolderUnusable } from '../../server/store/sqlite/errors.ts';
import { openDatabase } from '../../server/store/sqlite/folder.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { FORMAT } from '../../server/store/sqlite/schema.ts';
import { startChild } from '../support/child.ts';
import { newSession, NOW, seededRandom } from '../support/store-harness.ts';

async function place(): Promise<string> {
  const parent = await mkdtemp(join(tmpdir(), 'cairn-folder-'));
  onTestFinished(() => rm(parent, { recursive: true, force: true }));
  return join(parent, 'new', 'data');
}
async function open(folder: string) {
  const random = seededRandom(3);
  const store = await openSqliteStore({ folder, clock: { now: () => NOW }, random, report: () => undefined, decisions });
  onTestFinished(() => store.close());
  return store;
}

test(
  'I36: a folder that another process holds is refused with one plain line, and is free once that process is killed',
  { timeout: 60_000 },
  async () => {
    const folder = await place();
    const holder = await startChild('./store-children/hold.ts', [folder]);
    onTestFinished(() => void holder.process.kill('SIGKILL'));
    const refusal = await open(folder).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DataFolderBusy);
    expect((refusal as Error).message).toBe(
      `Another Cairn server is already using the data folder ${folder}. Stop it, or give this one another CAIRN_DATA_DIR.`,
    );
    expect(await readdir(folder)).not.toContain('cairn.db');

    holder.process.kill('SIGKILL');
    await holder.end;
    expect((await newSession(await open(folder))).head).toBe(0);
  },
);

test('I36: a folder is held once within a process too, until it is closed', async () => {
  const folder = await place();
  const store = await open(folder);
  await expect(open(folder)).rejects.toBeInstanceOf(DataFolderBusy);
  await newSession(store);
  await store.close();
  await store.close();
  const closed = { code: 'shutting-down' };
  await expect(newSession(store)).rejects.toMatchObject(closed);
  await expect(store.session('any')).rejects.toMatchObject(closed);
  await expect(store.log('any', 0, 1, 1)).rejects.toMatchObject(closed);
  await expect(store.openTurns()).rejects.toMatchObject(closed);
  expect((await (await open(folder)).sessionsSince(0, 10)).sessions).toHaveLength(1);
});

test('the folder and its files are for their owner only', async () => {
  const folder = await place();
  await newSession(await open(folder));
  const mode = async (path: string) => (await stat(path)).mode & 0o777;
  expect(await mode(folder)).toBe(0o700);
  const files = await readdir(folder);
  expect(files).toEqual(expect.arrayContaining(['cairn.db', 'cairn.db-wal', 'lock.db']));
  for (const file of files) expect([file, await mode(join(folder, file))]).toEqual([file, 0o600]);
});

test('every commit is on the disk before it is answered: WAL with full sync, keys checked', async () => {
  const folder = await place();
  await open(folder);
  const db = openDatabase(folder);
  onTestFinished(() => void db.close());
  const pragma = (name: string) => db.pragma(name, { simple: true });
  // 2 is FULL
  expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys')]).toEqual(['wal', 2, 1]);
  expect([pragma('user_version'), pragma('integrity_check')]).toEqual([FORMAT, 'ok']);
});

test('a folder that cannot be made is told plainly', async () => {
  const folder = await place();
  const file = join(folder, '..', '..', 'file');
  await writeFile(file, 'not a folder');
  await expect(open(join(file, 'data'))).rejects.toBeInstanceOf(DataFolderUnusable);
});

test('a folder where none can be made is refused at once, also where the system is odd about why', async () => {
  for (const folder of ['/proc/cairn/data', '/dev/null/data']) await expect(open(folder)).rejects.toBeInstanceOf(DataFolderUnusable);
});
