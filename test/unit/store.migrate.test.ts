/** An update of the database's format: a copy first, all steps or none, and what cannot be opened is left as it was found. */
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { decisions } from '../../server/inbox/decisions.ts';
import { BackupFailed, DatabaseDamaged, DatabaseTooNew, MigrationFailed } from '../../server/store/sqlite/errors.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { openReady } from '../../server/store/sqlite/ready.ts';
import { FORMAT, STEPS } from '../../server/store/sqlite/schema.ts';
import { admission, newSession, NOW, seededRandom } from '../support/store-harness.ts';

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-migrate-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
async function open(folder: string, now = NOW) {
  const store = await openSqliteStore({ folder, clock: { now: () => now }, random: seededRandom(3), report: () => undefined, decisions });
  onTestFinished(() => store.close());
  return store;
}
const refusalOf = (folder: string): Promise<unknown> => open(folder).catch((error: unknown) => error);
/** A database of the first format, with a session in it, as that version left it. */
async function ofFirstFormat(): Promise<string> {
  const folder = await place();
  const db = openReady(folder, { now: () => NOW }, STEPS.slice(0, 1));
  db.exec(`INSERT INTO meta VALUES ('epoch', 'of old');
    INSERT INTO session VALUES (1, 'an-id', 'An old one', '/w', NULL, NULL, 'ask', 'idle', 0, 0, 1, 1, 0, 0, 5, 5, '', 'h', 0, NULL, NULL, 0, NULL,
      NULL, 0, 0, 0, NULL, NULL, 0, 0, 0)`);
  db.close();
  return folder;
}
const files = (folder: string): Promise<string[]> => readdir(folder).then((names) => names.toSorted());
const sumOf = async (path: string): Promise<string> =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex');
const versionOf = (path: string): unknown => {
  const db = new Database(path, { readonly: true });
  const version = db.pragma('user_version', { simple: true });
  db.close();
  return version;
};

test('there is more than one format, so that what is tried here is an update', () => {
  expect(FORMAT).toBeGreaterThan(1);
});

test('an older database is copied, then updated with all that is in it', async () => {
  const folder = await ofFirstFormat();
  const store = await open(folder, Date.UTC(2026, 10, 30, 12, 5, 7, 8));
  expect(store.epoch).toBe('of old');
  expect((await store.sessionsSince(0, 10)).sessions).toMatchObject([{ id: 'an-id', title: 'An old one' }]);
  await store.admit(admission((await newSession(store)).id, 'it works'));
  expect(versionOf(join(folder, 'cairn.db'))).toBe(FORMAT);

  expect(await files(join(folder, 'backups'))).toEqual(['cairn-v1-2026-11-30T12-05-07-008Z.db']);
  const copy = join(folder, 'backups', 'cairn-v1-2026-11-30T12-05-07-008Z.db');
  expect((await stat(copy)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'backups'))).mode & 0o777).toBe(0o700);
  expect(versionOf(copy)).toBe(1);

  // The copy put in the database's place is what the older version had, and is updated again.
  await store.close();
  const other = await place();
  await writeFile(join(other, 'cairn.db'), await readFile(copy));
  expect((await (await open(other)).sessionsSince(0, 10)).sessions).toMatchObject([{ title: 'An old one' }]);
});

test('what only the log of a killed process holds is in the copy too', async () => {
  const folder = await place();
  const killed = openReady(folder, { now: () => NOW }, STEPS.slice(0, 1));
  killed.exec(`INSERT INTO setting VALUES ('model', '"from the log"')`);
  const other = await place();
  for (const file of ['cairn.db', 'cairn.db-wal']) await writeFile(join(other, file), await readFile(join(folder, file)));
  killed.close();
  expect((await (await open(other)).settings()).model).toBe('from the log');
  const [name] = await files(join(other, 'backups'));
  const copy = new Database(join(other, 'backups', name!), { readonly: true });
  onTestFinished(() => void copy.close());
  expect(copy.prepare('SELECT value FROM setting').pluck().get()).toBe('"from the log"');
});

test('a new database and one of this format are not copied', async () => {
  const folder = await place();
  await (await open(folder)).close();
  await (await open(folder)).close();
  expect(await files(folder)).not.toContain('backups');
});

test('the newest three copies stay, whatever their format, and none that was cut off', async () => {
  const folder = await ofFirstFormat();
  await mkdir(join(folder, 'backups'));
  const older = ['cairn-v9-2026-01-01T00-00-00-000Z.db', 'cairn-v10-2026-01-02T00-00-00-000Z.db', 'cairn-v2-2026-01-03T00-00-00-000Z.db'];
  for (const name of [...older, 'my own.db', 'cairn-v1-2026-11-29T00-00-00-000Z.db.part'])
    await writeFile(join(folder, 'backups', name), '');
  await open(folder, Date.UTC(2026, 10, 30));
  expect(await files(join(folder, 'backups'))).toEqual([
    'cairn-v1-2026-11-30T00-00-00-000Z.db',
    'cairn-v10-2026-01-02T00-00-00-000Z.db',
    'cairn-v2-2026-01-03T00-00-00-000Z.db',
    'my own.db',
  ]);
});

test('no copy, no update: the start is refused with one plain line, and the database is what it was', async () => {
  const folder = await ofFirstFormat();
  await writeFile(join(folder, 'backups'), 'a file in the way');
  const before = await sumOf(join(folder, 'cairn.db'));
  const refusal = await refusalOf(folder);
  expect(refusal).toBeInstanceOf(BackupFailed);
  expect((refusal as Error).message).toContain(join(folder, 'backups'));
  expect((refusal as Error).message).not.toContain('\n');
  expect(await sumOf(join(folder, 'cairn.db'))).toBe(before);
  expect(versionOf(join(folder, 'cairn.db'))).toBe(1);

  await rm(join(folder, 'backups'));
  expect((await (await open(folder)).sessionsSince(0, 10)).sessions).toHaveLength(1);
});

test('a step that fails undoes those before it, and leaves no copy that nobody needs', async () => {
  const folder = await ofFirstFormat();
  const steps = [...STEPS.slice(0, 1), 'CREATE TABLE half (x TEXT) STRICT', 'CREATE TABLE half (x TEXT) STRICT'];
  const tried = (): Database.Database => openReady(folder, { now: () => NOW }, steps);
  expect(tried).toThrow(MigrationFailed);
  expect(tried).toThrow(/could not be updated.*is as it was: table half already exists$/);
  expect(versionOf(join(folder, 'cairn.db'))).toBe(1);
  expect(await files(join(folder, 'backups'))).toEqual([]);
  const store = await open(folder);
  expect((await store.sessionsSince(0, 10)).sessions).toHaveLength(1);
});

test('a database from the future is refused with one plain line, and nothing of it is written', async () => {
  const folder = await place();
  await (await open(folder)).close();
  const path = join(folder, 'cairn.db');
  const db = new Database(path);
  db.pragma(`user_version = ${FORMAT + 1}`);
  db.close();
  const before = await sumOf(path);
  for (let round = 0; round < 2; round++) {
    const refusal = await refusalOf(folder);
    expect(refusal).toBeInstanceOf(DatabaseTooNew);
    expect((refusal as Error).message).not.toContain('\n');
    expect(await sumOf(path)).toBe(before);
  }
  expect(await files(folder)).not.toContain('backups');
});

test.each([
  ['no database at all', (path: string) => writeFile(path, 'this is not a database, whatever its name says')],
  ['a long file of another kind', (path: string) => writeFile(path, 'x'.repeat(100_000))],
  ['cut off at a page', async (path: string) => truncate(path, (await stat(path)).size - 4096)],
  ['cut off in a page', async (path: string) => truncate(path, (await stat(path)).size - 1000)],
  ['cut off in its head', (path: string) => truncate(path, 50)],
  [
    'emptied, with its log still there',
    async (path: string) => {
      await truncate(path, 0);
      await writeFile(`${path}-wal`, 'frames');
    },
  ],
])('%s: refused with one plain line that names the file and the copies, and left as it is', async (_what, hurt) => {
  const folder = await place();
  const store = await open(folder);
  await newSession(store);
  await store.close();
  const path = join(folder, 'cairn.db');
  await hurt(path);
  const before = await sumOf(path);
  const refusal = await refusalOf(folder);
  expect(refusal).toBeInstanceOf(DatabaseDamaged);
  const { message } = refusal as Error;
  expect(message).toContain(path);
  expect(message).toContain(join(folder, 'backups'));
  expect(message).not.toContain('\n');
  expect(await sumOf(path)).toBe(before);
});

test('a start that was killed as it made the file is no damage', async () => {
  const folder = await place();
  await writeFile(join(folder, 'cairn.db'), '');
  expect((await newSession(await open(folder))).head).toBe(0);
});
