/** Killed at any instant of a start: the very first one, and one that copies an older database and takes it to this version's format. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { FORMAT, STEPS } from '../../server/store/sqlite/schema.ts';
import { seededRandom } from '../support/store-harness.ts';
import { buildServer, type Program } from './kit/build.ts';
import { CrashServer } from './kit/process.ts';
import { SEED, seedOf } from './kit/seed.ts';

const KILLS = 8;
const BLOBS = 24;

let program: Program;
let server: CrashServer;
beforeAll(async () => {
  program = await buildServer();
});
afterAll(() => program.remove());
beforeEach(() => {
  server = new CrashServer(program.file, {});
});
afterEach(() => server.dispose());

/** Kills starts at instants from 0 to a little more than a whole start takes. */
async function killStarts(name: string, whole: number, look: () => void): Promise<void> {
  const random = seededRandom(seedOf(name));
  for (let n = 0; n < KILLS; n++) {
    const starting = server.start('');
    await sleep(random.unit() * whole * 1.2);
    await server.kill();
    await starting;
    look();
  }
}
/** Of the folder as it was left, read from a copy. */
function onDisk<T>(read: (db: Database.Database) => T): T | null {
  if (!existsSync(join(server.dataFolder, 'cairn.db'))) return null;
  const folder = mkdtempSync(join(tmpdir(), 'cairn-crash-copy-'));
  for (const file of ['cairn.db', 'cairn.db-wal'])
    if (existsSync(join(server.dataFolder, file))) copyFileSync(join(server.dataFolder, file), join(folder, file));
  const db = new Database(join(folder, 'cairn.db'));
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    return read(db);
  } finally {
    db.close();
    rmSync(folder, { recursive: true });
  }
}
const formatOf = (db: Database.Database): unknown => db.pragma('user_version', { simple: true });
const blobsIn = (db: Database.Database): number => db.prepare<[], { n: number }>('SELECT count(*) AS n FROM blob').get()!.n;
/** How long one start takes here and now. */
async function timeOfStart(): Promise<number> {
  const other = new CrashServer(program.file, {});
  try {
    await other.start('');
    return other.starts[0]!;
  } finally {
    await other.dispose();
  }
}

test(`killed at any instant of its first start, it starts the next time (seed ${SEED})`, async () => {
  await killStarts('first', await timeOfStart(), () => expect([0, FORMAT, null]).toContain(onDisk(formatOf)));
  expect(await server.start('')).toBe(true);
  expect(await server.call('GET', '/health')).toMatchObject({ status: 200, body: { ok: true } });
}, 300_000);

test(`B55: killed while an older database is copied and changed, it is the old one or the new one, whole (seed ${SEED})`, async () => {
  mkdirSync(server.dataFolder, { mode: 0o700 });
  const old = new Database(join(server.dataFolder, 'cairn.db'));
  old.pragma('journal_mode = WAL');
  old.exec(STEPS[0]!);
  old.pragma('user_version = 1');
  const insert = old.prepare('INSERT INTO blob (sha256, mime, size, bytes) VALUES (?, ?, ?, ?)');
  for (let n = 0; n < BLOBS; n++) insert.run(String(n), 'x', 1_000_000, Buffer.alloc(1_000_000, n));
  old.close();

  await killStarts('older', await timeOfStart(), () => {
    expect([1, FORMAT]).toContain(onDisk(formatOf));
    expect(onDisk(blobsIn)).toBe(BLOBS);
  });
  expect(await server.start('')).toBe(true);
  await server.kill();
  expect(onDisk(formatOf)).toBe(FORMAT);
  expect(onDisk(blobsIn)).toBe(BLOBS);
  const backups = join(server.dataFolder, 'backups');
  const whole = readdirSync(backups).filter((file) => file.endsWith('.db'));
  expect(whole.length).toBeGreaterThan(0);
  for (const file of whole) {
    const copy = new Database(join(backups, file), { readonly: true });
    expect([formatOf(copy), blobsIn(copy), copy.pragma('integrity_check', { simple: true })]).toEqual([1, BLOBS, 'ok']);
    copy.close();
  }
}, 300_000);
