/**
 * Group commit: operations that wait at the same moment share one transaction and one sync of the disk, each in a savepoint of its
 * own, and none is answered or told of before that commit. So two hundred sessions cost the disk what the loop's rounds are, not
 * what their writes are; a lone operation runs as it always did.
 *
 * Nobody sees the difference: each operation is still all or nothing, they happen in the order in which they were asked for, and
 * when their common commit cannot be had they are run again one by one.
 */
import type Database from 'better-sqlite3';
import type { Report } from '#shared/ports.ts';
import type { Commit } from '../port.ts';
import { answerOf, reader, requireOpen, toldOf, writer, type Read, type Write } from './transaction.ts';

/** Operations that share a commit at most: what is between two rounds of the event loop stays short. */
const MOST = 16;

interface Waiting {
  operation(): unknown;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}
type Outcome = { ok: true; value: unknown } | { ok: false; error: unknown };

export interface Group {
  /** A write transaction; within a group's, a part of it that is undone alone. */
  readonly write: Write;
  /** All its reads see one state. */
  readonly read: Read;
  /** Runs `operation` soon, with whatever else waits by then. */
  run<T>(operation: () => T): Promise<T>;
  /** What a write has changed, to be told of once it is committed. */
  committed(commits: readonly Commit[]): void;
  /** Runs what waits, now. */
  flush(): void;
}

/** `tell` is called after a commit, in its order. */
export function groupOver(db: Database.Database, tell: (commit: Commit) => void, report: Report): Group {
  const alone = writer(db);
  const readAlone = reader(db);
  const begin = db.prepare('BEGIN IMMEDIATE');
  const commit = db.prepare('COMMIT');
  const rollback = db.prepare('ROLLBACK');
  const [save, release, undo] = ['SAVEPOINT part', 'RELEASE part', 'ROLLBACK TO part'].map((sql) => db.prepare(sql)) as [
    Database.Statement,
    Database.Statement,
    Database.Statement,
  ];
  const waiting: Waiting[] = [];
  /** Of the group that is under way; null: there is none. */
  let news: Commit[] | null = null;
  let inPart = false;
  let rung = false;

  const write: Write = (callback) => {
    // A write within a write is refused by the database itself.
    if (news === null || inPart) return alone(callback);
    // A full disk has undone the group under way: a savepoint would be a transaction of its own now.
    if (!db.inTransaction) throw new Error('the transaction of the group is gone');
    inPart = true;
    save.run();
    try {
      const result = answerOf(callback);
      release.run();
      return result;
    } catch (error) {
      // A full disk undoes the whole transaction at once: then there is no part left.
      if (db.inTransaction) {
        undo.run();
        release.run();
      }
      throw toldOf(error);
    } finally {
      inPart = false;
    }
  };
  /** A group's own transaction is one state already. */
  const read: Read = (callback) => (news === null || inPart ? readAlone(callback) : answerOf(callback));
  function committed(commits: readonly Commit[]): void {
    if (news !== null) news.push(...commits);
    else for (const one of commits) tell(one);
  }

  function outcomeOf({ operation }: Waiting): Outcome {
    try {
      return { ok: true, value: operation() };
    } catch (error) {
      return { ok: false, error };
    }
  }
  function answer({ resolve, reject }: Waiting, outcome: Outcome): void {
    if (outcome.ok) resolve(outcome.value);
    else reject(outcome.error);
  }
  /** Null: they cannot be had as one, and nothing has happened: each meets what it was by itself, and tells its own caller. */
  function together(batch: readonly Waiting[]): { outcomes: Outcome[]; heard: Commit[] } | null {
    const heard: Commit[] = [];
    const outcomes: Outcome[] = [];
    try {
      requireOpen(db);
      begin.run();
      news = heard;
      for (const one of batch) {
        outcomes.push(outcomeOf(one));
        if (!db.inTransaction) return null;
      }
      commit.run();
      return { outcomes, heard };
    } catch (error) {
      report('group-undone', { operations: batch.length, error });
      return null;
    } finally {
      news = null;
      if (db.open && db.inTransaction) rollback.run();
    }
  }
  function round(): void {
    rung = false;
    const batch = waiting.splice(0, MOST);
    if (waiting.length > 0) ring();
    const done = batch.length > 1 ? together(batch) : null;
    for (const one of done?.heard ?? []) tell(one);
    for (const [at, one] of batch.entries()) answer(one, done === null ? outcomeOf(one) : done.outcomes[at]!);
  }
  function ring(): void {
    if (rung) return;
    rung = true;
    setImmediate(round);
  }

  return {
    write,
    read,
    committed,
    run: (operation) =>
      new Promise((resolve, reject) => {
        waiting.push({ operation, resolve: (value) => resolve(value as ReturnType<typeof operation>), reject });
        ring();
      }),
    flush() {
      while (waiting.length > 0) round();
    },
  };
}
