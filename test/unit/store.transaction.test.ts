import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../server/store/sqlite/folder.ts';
import { migrate } from '../../server/store/sqlite/schema.ts';
import { prepareStatements } from '../../server/store/sqlite/statements.ts';
import { reader, writer } from '../../server/store/sqlite/transaction.ts';
import { startChild } from '../support/child.ts';

function memory() {
  const db = new Database(':memory:');
  onTestFinished(() => void db.close());
  db.exec('CREATE TABLE receipt (id); CREATE TABLE message (id); CREATE TABLE seq (value)');
  const insert = (table: string) => db.prepare(`INSERT INTO ${table} VALUES (1)`).run();
  const counts = () => ['receipt', 'message', 'seq'].map((table) => db.prepare(`SELECT count(*) FROM ${table}`).pluck().get());
  return { db, insert, counts };
}

describe('B56: a transaction callback that goes on after its answer', () => {
  test('is refused before any commit', async () => {
    const { db, insert, counts } = memory();
    const write = writer(db) as (callback: () => unknown) => unknown;
    const accept = async () => {
      insert('receipt');
      await Promise.resolve();
      throw new Error('after the first await');
    };
    let running: Promise<void> | null = null;
    expect(() => write(() => (running = accept()))).toThrow(TypeError);
    await expect(running).rejects.toThrow('after the first await');
    expect(counts()).toEqual([0, 0, 0]);
    expect(db.inTransaction).toBe(false);
  });

  test('cannot write by itself later: the store has no write outside of a transaction', async () => {
    const db = new Database(':memory:');
    onTestFinished(() => void db.close());
    migrate(db);
    const sql = prepareStatements(db);
    const write = writer(db) as (callback: () => unknown) => unknown;
    const late = async () => {
      sql.putMeta('first', '1');
      await Promise.resolve();
      sql.putMeta('second', '2');
    };
    let running: Promise<void> | null = null;
    expect(() => write(() => (running = late()))).toThrow(TypeError);
    await expect(running).rejects.toThrow('a write outside of a transaction');
    expect([sql.meta('first'), sql.meta('second')]).toEqual([undefined, undefined]);
  });
});

test('a callback that throws leaves nothing, and its own error comes out', () => {
  const { db, insert, counts } = memory();
  const write = writer(db);
  expect(() =>
    write(() => {
      insert('receipt');
      insert('message');
      throw new RangeError('no');
    }),
  ).toThrow(RangeError);
  expect(counts()).toEqual([0, 0, 0]);
  expect(write(() => insert('seq').changes)).toBe(1);
  expect(counts()).toEqual([0, 0, 1]);
});

test('a transaction within a transaction is refused without touching the outer one', () => {
  const { db, insert, counts } = memory();
  const write = writer(db);
  write(() => {
    insert('receipt');
    expect(() => write(() => insert('message'))).toThrow('within a transaction');
    insert('seq');
  });
  expect(counts()).toEqual([1, 0, 1]);
});

test('a closed database says that the server is shutting down', () => {
  const { db } = memory();
  const [write, read] = [writer(db), reader(db)];
  db.close();
  expect(() => write(() => 1)).toThrow(expect.objectContaining({ code: 'shutting-down' }));
  expect(() => read(() => 1)).toThrow(expect.objectContaining({ code: 'shutting-down' }));
});

test(
  'B53: two processes that each read the newest seq and insert the next lose none, repeat none and fail never',
  { timeout: 120_000 },
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-two-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const db = openDatabase(folder);
    onTestFinished(() => void db.close());
    db.exec('CREATE TABLE row (seq INTEGER NOT NULL UNIQUE, pid INTEGER NOT NULL)');

    const children = await Promise.all([
      startChild('./store-children/append.ts', [folder, '1000']),
      startChild('./store-children/append.ts', [folder, '1000']),
    ]);
    for (const child of children) child.process.stdin.write('go\n');
    const ends = await Promise.all(children.map((child) => child.end));
    expect(ends).toEqual([
      { code: 0, errors: '' },
      { code: 0, errors: '' },
    ]);

    const rows = db.prepare<[], { seq: number; pid: number }>('SELECT seq, pid FROM row ORDER BY seq').all();
    expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 2000 }, (_, at) => at + 1));
    expect(new Set(rows.map((row) => row.pid)).size).toBe(2);
  },
);

test('a disk that is full is said so, may be tried again, and leaves nothing half-done', () => {
  const { db, insert, counts } = memory();
  db.pragma(`max_page_count = ${db.pragma('page_count', { simple: true }) as number}`);
  const write = writer(db);
  const fill = () =>
    write(() => {
      insert('receipt');
      db.prepare('INSERT INTO message VALUES (zeroblob(100000))').run();
    });
  expect(fill).toThrow(expect.objectContaining({ code: 'disk-full' }));
  expect(counts()).toEqual([0, 0, 0]);
  expect(db.inTransaction).toBe(false);
});
