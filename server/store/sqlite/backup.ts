/**
 * A copy of the database before its format changes, so that an older Cairn can be gone back to. Made by SQLite itself from
 * one snapshot, never by copying files that are being written (B55); it counts only once it is on the disk and was read back.
 */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { BackupFailed } from './errors.ts';

const FOLDER = 'backups';
/** Enough to go back over a version that turned out bad, and the one before it. */
const KEPT = 3;
const NAME = /^cairn-v\d+-(.+)\.db$/;

export function backupsIn(folder: string): string {
  return join(folder, FOLDER);
}

/**
 * Copies the open database of format `from` into `backups`; the newest few stay. Answers the copy's path. Throws
 * `BackupFailed`, and then nothing of it is left. `now`: ms since 1970.
 */
export function backUp(db: Database.Database, folder: string, from: number, now: number): string {
  const backups = backupsIn(folder);
  const path = join(backups, `cairn-v${from}-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`);
  const part = `${path}.part`;
  try {
    if (!existsSync(backups)) mkdirSync(backups, { mode: 0o700 });
    rmSync(part, { force: true });
    closeSync(openSync(part, 'ax', 0o600));
    db.prepare('VACUUM INTO ?').run(part);
    sync(part, 'r+');
    check(part, from);
    renameSync(part, path);
    // Elsewhere a folder cannot be opened, and the name is as durable as the system makes it.
    if (process.platform !== 'win32') sync(backups, 'r');
    prune(backups);
    return path;
  } catch (error) {
    if (existsSync(part)) rmSync(part);
    throw new BackupFailed(backups, error);
  }
}

function sync(path: string, flags: 'r' | 'r+'): void {
  const file = openSync(path, flags);
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** A copy that cannot be opened, or is not what it should be, is none. */
function check(path: string, version: number): void {
  const copy = new Database(path, { readonly: true, fileMustExist: true });
  try {
    const found = copy.pragma('user_version', { simple: true });
    const health = copy.pragma('quick_check(1)', { simple: true });
    if (found !== version || health !== 'ok') throw new Error(`the copy cannot be relied on (format ${String(found)}, ${String(health)})`);
  } finally {
    copy.close();
  }
}

function madeAt(name: string): string {
  return NAME.exec(name)?.[1] ?? '';
}
function prune(backups: string): void {
  // What a copying left that was killed in its middle.
  for (const name of readdirSync(backups)) if (name.endsWith('.db.part')) rmSync(join(backups, name));
  const names = readdirSync(backups)
    .filter((name) => NAME.test(name))
    .toSorted((a, b) => (madeAt(a) < madeAt(b) ? 1 : -1));
  for (const name of names.slice(KEPT)) rmSync(join(backups, name));
}
