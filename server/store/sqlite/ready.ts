/**
 * From a data folder to a database of this version's format. What is there is looked at before anything is written: one from
 * the future, or one that is none, is left as it was found; an older one is copied first.
 */
import { closeSync, existsSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Clock } from '#shared/ports.ts';
import { backUp } from './backup.ts';
import { DatabaseDamaged, DatabaseTooNew, isDamage, MigrationFailed } from './errors.ts';
import { openDatabase } from './folder.ts';
import { migrate, STEPS } from './schema.ts';

/** Opens `cairn.db` in this version's format. `steps`: another way there, for tests. */
export function openReady(folder: string, clock: Clock, steps: readonly string[] = STEPS): Database.Database {
  const path = join(folder, 'cairn.db');
  const found = existsSync(path) ? formatOf(folder, path) : 0;
  if (found > steps.length) throw new DatabaseTooNew(found, steps.length);
  const db = openDatabase(folder);
  try {
    if (found === steps.length) return db;
    // Nothing was ever written to one of format 0: there is nothing to lose.
    const copy = found === 0 ? null : backUp(db, folder, found, clock.now());
    try {
      migrate(db, steps);
    } catch (error) {
      // The database itself is what it was, so the copy is of no use.
      if (copy !== null) rmSync(copy, { force: true });
      throw new MigrationFailed(path, error);
    }
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** The format of a database that is there, read without writing to it. Throws `DatabaseDamaged` when it is none, or cut off. */
function formatOf(folder: string, path: string): number {
  const { size } = statSync(path);
  const log = existsSync(`${path}-wal`) ? statSync(`${path}-wal`).size : 0;
  // A start that was killed at its first moment leaves a file with nothing in it, and no log either.
  if (size === 0 && log === 0) return 0;
  if (!isWhole(path, size, log > 0)) throw new DatabaseDamaged(folder);
  let db: Database.Database | null = null;
  try {
    db = new Database(path, { readonly: true, fileMustExist: true });
    return db.pragma('user_version', { simple: true }) as number;
  } catch (error) {
    throw isDamage(error) ? new DatabaseDamaged(folder) : error;
  } finally {
    db?.close();
  }
}

const MAGIC = 'SQLite format 3\0';
const HEAD_BYTES = 100;

/** By the header of the file format: what it is, and that no page is missing. With a log beside it, pages may be there instead. */
function isWhole(path: string, size: number, hasLog: boolean): boolean {
  const head = Buffer.alloc(HEAD_BYTES);
  const file = openSync(path, 'r');
  try {
    if (readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return false;
  } finally {
    closeSync(file);
  }
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) return false;
  const written = head.readUInt16BE(16);
  const pageBytes = written === 1 ? 65_536 : written;
  // The count is to be trusted only where these two agree.
  const counted = head.readUInt32BE(24) === head.readUInt32BE(92);
  return hasLog || !counted || head.readUInt32BE(28) * pageBytes <= size;
}
