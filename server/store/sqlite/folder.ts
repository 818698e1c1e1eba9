/** The data folder: made for its owner only, and held by one process. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Database from 'better-sqlite3';
import { DataFolderBusy, DataFolderUnusable } from './errors.ts';

/** Milliseconds a statement waits for another process (a backup, a command line tool) before it fails with BUSY. */
const BUSY_TIMEOUT = 5_000;

/** Makes the folder (0700) if it is not there. */
export function prepareFolder(folder: string): void {
  try {
    makeFolders(folder);
  } catch (error) {
    throw new DataFolderUnusable(folder, error);
  }
}

/** One by one: Node's own `recursive` never ends where the system says ENOENT below a folder that is there, as under /proc. */
function makeFolders(folder: string): void {
  if (existsSync(folder)) return;
  makeFolders(dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another start made it in the meantime.
    if (!existsSync(folder)) throw error;
  }
}

/**
 * Takes the folder for this process by an exclusive lock on `lock.db`, which the system drops when the process dies, however
 * it dies. Answers its release. Throws `DataFolderBusy` when another process holds it (I36).
 */
export function holdFolder(folder: string): () => void {
  let db: Database.Database | null = null;
  try {
    db = new Database(privateFile(join(folder, 'lock.db')), { timeout: 0 });
    db.exec('BEGIN EXCLUSIVE');
    const held = db;
    return () => held.close();
  } catch (error) {
    db?.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) throw new DataFolderBusy(folder);
    throw new DataFolderUnusable(folder, error);
  }
}

/** Opens `cairn.db` as every process must open it. */
export function openDatabase(folder: string): Database.Database {
  let db: Database.Database | null = null;
  try {
    db = new Database(privateFile(join(folder, 'cairn.db')), { timeout: BUSY_TIMEOUT });
    db.pragma('journal_mode = WAL');
    // accepted is durable (law 2): each commit is on the disk before it is answered
    db.pragma('synchronous = FULL');
    db.pragma('foreign_keys = ON');
    db.pragma('trusted_schema = OFF');
    return db;
  } catch (error) {
    db?.close();
    throw new DataFolderUnusable(folder, error);
  }
}

/** Makes the file readable by its owner only; SQLite gives its journals the same mode. A file that is there is left alone: closing it would drop the locks that this process has on it. */
function privateFile(path: string): string {
  if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
  return path;
}
