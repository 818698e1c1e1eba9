/**
 * Whether the database is the one that this folder served last. A copy that was put in its place is another history from
 * there on, and must say so by another epoch: devices would go on from cursors that mean something else in it (B4, B55).
 *
 * Each start writes a mark of its own into the database, and the same into a file beside it; the file also learns now and then
 * how far the database had come. A database whose mark is another, or that is less far, is a copy from before.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import type { Clock, Random } from '#shared/ports.ts';

const FILE = 'served.json';
const MARK = 'run';
/** Milliseconds between two notes of how far it is. */
const NOTED_EVERY = 10_000;

/** What the file beside the database says. */
export interface Served {
  /** The mark of the start that wrote it, and of the one that was under way: killed between the two writes, either is right. */
  run: string;
  next: string;
  /** The newest version that was served, at least. */
  version: number;
}
/** What the database says of itself; `run` null: it was never served by a Cairn that marks its starts. */
export interface Found {
  run: string | null;
  version: number;
}

/** A copy from before, or one from another folder. `served` null: this folder has served nothing that was marked. */
export function isCopy(found: Found, served: Served | null): boolean {
  if (served === null) return found.run !== null;
  if (found.run !== served.run && found.run !== served.next) return true;
  return found.version < served.version;
}

export interface Lineage {
  /** The database is another history than the one that was served: it needs a new epoch, and has none by now. */
  readonly isOther: boolean;
  /** It has come this far. */
  served(version: number): void;
  /** The last word of an orderly end. */
  close(): void;
}

/** Marks this start in the open database and beside it. The folder is this process's alone. */
export function lineageOf(db: Database.Database, folder: string, { clock, random }: { clock: Clock; random: Random }): Lineage {
  const path = join(folder, FILE);
  const found = foundIn(db);
  const before = read(path);
  const isOther = isCopy(found, before);
  const run = markAfter(before?.next ?? found.run, random);
  let noted = { run, next: run, version: found.version };
  let notedAt = clock.now();
  let reached = found.version;

  write(path, { run: isOther ? run : (before?.run ?? run), next: run, version: isOther ? found.version : (before?.version ?? 0) });
  db.transaction(() => {
    db.prepare('INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value').run(MARK, run);
    if (isOther) db.prepare("DELETE FROM meta WHERE key = 'epoch'").run();
  }).immediate();
  write(path, noted);

  function note(): void {
    notedAt = clock.now();
    if (noted.version === reached) return;
    noted = { ...noted, version: reached };
    write(path, noted);
  }
  return {
    isOther,
    served(version) {
      reached = Math.max(reached, version);
      if (Math.abs(clock.now() - notedAt) >= NOTED_EVERY) note();
    },
    close: note,
  };
}

function foundIn(db: Database.Database): Found {
  const mark = db.prepare('SELECT value FROM meta WHERE key = ?').get(MARK) as { value: string } | undefined;
  const newest = db.prepare('SELECT max(version) AS version FROM session').get() as { version: number | null };
  return { run: mark?.value ?? null, version: newest.version ?? 0 };
}

/** Counts on, so that no two starts have the same mark, and no two folders either. */
function markAfter(last: string | null, random: Random): string {
  const count = last === null ? 0 : Number.parseInt(last, 10);
  return `${count + 1}-${Buffer.from(random.bytes(8)).toString('hex')}`;
}

/** Null: not there, or not as it was written, which proves nothing. */
function read(path: string): Served | null {
  if (!existsSync(path)) return null;
  try {
    const { run, next, version } = JSON.parse(readFileSync(path, 'utf8')) as Partial<Served>;
    return typeof run === 'string' && typeof next === 'string' && typeof version === 'number' ? { run, next, version } : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
/** Whole or not at all, and on the disk. */
function write(path: string, served: Served): void {
  const part = `${path}.part`;
  const file = openSync(part, 'w', 0o600);
  try {
    writeSync(file, JSON.stringify(served));
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
}
