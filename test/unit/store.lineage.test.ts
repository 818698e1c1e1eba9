/** A copy that was put in the database's place is another history, and says so by another epoch (B4, B55). */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { decisions } from '../../server/inbox/decisions.ts';
import type { Store } from '../../server/store/port.ts';
import { isCopy } from '../../server/store/sqlite/lineage.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import { admission, newSession, NOW, seededRandom } from '../support/store-harness.ts';

let now = NOW;
const random = seededRandom(11);

async function place(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-lineage-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
async function open(folder: string, reports: string[] = []): Promise<Store> {
  const store = await openSqliteStore({
    folder,
    clock: { now: () => now },
    random,
    report: (event) => void reports.push(event),
    decisions,
  });
  onTestFinished(() => store.close());
  return store;
}
/** The database as SQLite copies it while it is in use. */
function copyOf(folder: string, to: string): string {
  const db = new Database(join(folder, 'cairn.db'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(to);
  db.close();
  return to;
}
/** As the README says: the copy in its place, and the logs of the other away. */
function putBack(copy: string, folder: string): void {
  for (const end of ['-wal', '-shm']) rmSync(join(folder, `cairn.db${end}`), { force: true });
  copyFileSync(copy, join(folder, 'cairn.db'));
}
/** The disk at this moment, as a kill leaves it: another folder goes on from it. */
async function killed(folder: string): Promise<string> {
  const after = join(await place(), 'data');
  mkdirSync(after);
  for (const name of ['cairn.db', 'cairn.db-wal', 'served.json']) {
    if (existsSync(join(folder, name))) copyFileSync(join(folder, name), join(after, name));
  }
  return after;
}

test('the same database keeps its epoch: closed and opened, killed and opened', async () => {
  const folder = await place();
  const first = await open(folder);
  await newSession(first);
  const after = await killed(folder);
  expect((await open(after)).epoch).toBe(first.epoch);
  await first.close();
  const second = await open(folder);
  expect(second.epoch).toBe(first.epoch);
  await newSession(second);
  await second.close();
  expect((await open(folder)).epoch).toBe(first.epoch);
});

test('B4: a copy of an earlier run is another history, and stays the one that it then is', async () => {
  const folder = await place();
  const first = await open(folder);
  const { id } = await newSession(first);
  await first.close();
  const copy = copyOf(folder, join(folder, 'copy.db'));
  const second = await open(folder);
  await second.admit(admission(id, 'written after the copy'));
  await second.close();

  putBack(copy, folder);
  const reports: string[] = [];
  const restored = await open(folder, reports);
  expect(restored.epoch).not.toBe(first.epoch);
  expect(reports).toContain('database-restored');
  expect((await restored.timeline(id, 10)).pendingInputs).toEqual([]);
  await restored.close();
  expect((await open(folder)).epoch).toBe(restored.epoch);
});

test('B4: so is a copy of the very run that it replaces, after an orderly end as after a kill', async () => {
  const folder = await place();
  const first = await open(folder);
  const { id } = await newSession(first);
  const copy = copyOf(folder, join(folder, 'copy.db'));
  now += 60_000;
  await first.admit(admission(id, 'written after the copy'));
  const dead = await killed(folder);
  putBack(copy, dead);
  expect((await open(dead)).epoch, 'killed').not.toBe(first.epoch);

  await first.admit(admission(id, 'a moment before the end'));
  await first.close();
  putBack(copy, folder);
  expect((await open(folder)).epoch, 'closed').not.toBe(first.epoch);
});

test('a copy that nothing was written after is the same history', async () => {
  const folder = await place();
  const first = await open(folder);
  await newSession(first);
  const copy = copyOf(folder, join(folder, 'copy.db'));
  await first.close();
  putBack(copy, folder);
  expect((await open(folder)).epoch).toBe(first.epoch);
});

test('B55: a copy in a folder of its own is another history than the one that goes on elsewhere', async () => {
  const folder = await place();
  const first = await open(folder);
  await newSession(first);
  const other = await place();
  copyOf(folder, join(other, 'cairn.db'));
  expect((await open(other)).epoch).not.toBe(first.epoch);
});

test('a database of a Cairn that marked nothing keeps its epoch once, and not when it comes back as a copy', async () => {
  const folder = await place();
  const first = await open(folder);
  await first.close();
  const db = new Database(join(folder, 'cairn.db'));
  db.exec("DELETE FROM meta WHERE key = 'run'");
  db.close();
  rmSync(join(folder, 'served.json'));
  const old = copyOf(folder, join(folder, 'old.db'));
  const second = await open(folder);
  expect(second.epoch).toBe(first.epoch);
  await second.close();
  putBack(old, folder);
  expect((await open(folder)).epoch).not.toBe(first.epoch);
});

describe('killed between its writes, a start leaves the same history', () => {
  const served = { run: '4-a', next: '5-b', version: 20 };
  test.each([
    ['before the database was marked', { run: '4-a', version: 20 }, false],
    ['after it', { run: '5-b', version: 23 }, false],
    ['a copy of before both', { run: '3-c', version: 19 }, true],
    ['a copy of the last run that is less far', { run: '4-a', version: 19 }, true],
    ['one that was never marked', { run: null, version: 20 }, true],
  ])('%s', (_when, found, copy) => {
    expect(isCopy(found, served)).toBe(copy);
  });
});
