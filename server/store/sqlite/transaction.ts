/**
 * The one way to write. Every write transaction begins IMMEDIATE: one that reads first and asks for the lock later fails
 * with BUSY at once, whatever the timeout, when another process wrote in between (B53).
 */
import Database from 'better-sqlite3';
import { CodedError } from '#shared/protocol/errors.ts';

/** What a callback may answer: anything but a promise, which would be committed before its work is done (B56). */
type Plain<T> = T extends PromiseLike<unknown> ? never : T;
export type Write = <T>(callback: () => Plain<T>) => T;
export type Read = <T>(callback: () => Plain<T>) => T;

/** Runs callbacks each in a write transaction: committed when it answers, rolled back whole when it throws or answers a thenable. */
export function writer(db: Database.Database): Write {
  return runner(db, 'BEGIN IMMEDIATE');
}
/** Runs callbacks each in a read transaction: all its reads see one state. */
export function reader(db: Database.Database): Read {
  return runner(db, 'BEGIN DEFERRED');
}

/** A request that outlived the database is told so, and may be tried again elsewhere or later. */
export function requireOpen(db: Database.Database): void {
  if (!db.open) throw new CodedError('shutting-down', 'the server is shutting down');
}

function runner(db: Database.Database, how: 'BEGIN IMMEDIATE' | 'BEGIN DEFERRED'): Write {
  const begin = db.prepare(how);
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  return (callback) => {
    requireOpen(db);
    begin.run();
    try {
      const result = answerOf(callback);
      commit.run();
      return result;
    } catch (error) {
      throw toldOf(error);
    } finally {
      // SQLite itself rolls some failures back (a full disk); then nothing is left to do
      if (db.inTransaction) rollback.run();
    }
  };
}

/** What the callback answers; a promise is refused. */
export function answerOf<T>(callback: () => Plain<T>): T {
  const result = callback();
  if (isThenable(result)) throw new TypeError('a transaction answered a promise: its work would run outside of it');
  return result;
}
/** The error as a caller can be told of it. */
export function toldOf(error: unknown): unknown {
  return isFull(error) ? new CodedError('disk-full', 'the disk of the server is full: nothing can be kept until there is room') : error;
}

function isThenable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function isFull(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL';
}
