/** Typed ways to prepare a statement once. */
import type Database from 'better-sqlite3';
import { requireOpen } from './transaction.ts';

/**
 * Writes answer the number of changed rows. A write outside of a transaction throws: what an asynchronous callback does
 * after its transaction was refused must not slip in by itself (B56).
 */
export function statementMakers(db: Database.Database) {
  function change<P extends unknown[]>(source: string): (...params: P) => number {
    const statement = db.prepare<P>(source);
    return (...params) => {
      if (!db.inTransaction) throw new Error('a write outside of a transaction');
      return statement.run(...params).changes;
    };
  }
  function one<P extends unknown[], R>(source: string): (...params: P) => R | undefined {
    const statement = db.prepare<P, R>(source);
    return (...params) => {
      requireOpen(db);
      return statement.get(...params);
    };
  }
  function all<P extends unknown[], R>(source: string): (...params: P) => R[] {
    const statement = db.prepare<P, R>(source);
    return (...params) => {
      requireOpen(db);
      return statement.all(...params);
    };
  }
  function each<P extends unknown[], R>(source: string): (...params: P) => IterableIterator<R> {
    const statement = db.prepare<P, R>(source);
    return (...params) => {
      requireOpen(db);
      return statement.iterate(...params);
    };
  }
  return { change, one, all, each };
}
