/** Group commit: writes that wait at the same moment share a commit, and nobody sees the difference. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import type { Commit } from '../../server/store/port.ts';
import { groupOver } from '../../server/store/sqlite/group.ts';

async function stand() {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-group-'));
  const statements: string[] = [];
  const db = new Database(join(folder, 'group.db'), { verbose: (sql) => void statements.push(String(sql)) });
  onTestFinished(async () => {
    db.close();
    await rm(folder, { recursive: true });
  });
  db.exec('CREATE TABLE line (word TEXT PRIMARY KEY, body BLOB)');
  const told: string[] = [];
  const reports: string[] = [];
  const other = new Database(join(folder, 'group.db'), { readonly: true });
  onTestFinished(() => void other.close());
  const words = (from = db): unknown[] => from.prepare('SELECT word FROM line ORDER BY rowid').pluck().all();
  const group = groupOver(
    db,
    (commit) => {
      told.push(commit.sessionId);
      // What is told of is on the disk: another connection sees it.
      expect(words(other)).toContain(commit.sessionId);
    },
    (event) => void reports.push(event),
  );
  const insert = db.prepare('INSERT INTO line (word, body) VALUES (?, ?)');
  const news = (word: string) => ({ sessionId: word, records: [], receipts: [] }) as unknown as Commit;
  const put =
    (word: string, bytes = 0) =>
    (): string => {
      group.write(() => insert.run(word, Buffer.alloc(bytes)).changes);
      group.committed([news(word)]);
      return word;
    };
  const commits = (): number => statements.filter((sql) => sql === 'COMMIT').length;
  return { db, group, put, told, reports, words, commits, insert, statements };
}

test('what waits at the same moment is one commit, answered and told of in its order', async () => {
  const { group, put, told, words, commits } = await stand();
  const answers = await Promise.all(['a', 'b', 'c'].map((word) => group.run(put(word))));
  expect(answers).toEqual(['a', 'b', 'c']);
  expect(told).toEqual(['a', 'b', 'c']);
  expect(words()).toEqual(['a', 'b', 'c']);
  expect(commits()).toBe(1);
  await group.run(put('d'));
  expect(commits()).toBe(2);
});
test('a group has an end: many that wait are several commits, and the loop is free between them', async () => {
  const { group, put, commits } = await stand();
  let rounds = 0;
  const all = Promise.all(Array.from({ length: 40 }, (_, at) => group.run(put(`w${at}`))));
  const count = (): void => void (++rounds < 20 && setImmediate(count));
  setImmediate(count);
  await all;
  expect(commits()).toBe(3);
  expect(rounds).toBeGreaterThanOrEqual(2);
});
test('what throws is undone alone, with its own error', async () => {
  const { group, put, told, words, insert } = await stand();
  const failing = (): never =>
    group.write(() => {
      insert.run('half', null);
      throw new RangeError('no');
    });
  const [first, second, third] = await Promise.allSettled([group.run(put('a')), group.run(failing), group.run(put('c'))]);
  expect([first, third]).toMatchObject([{ value: 'a' }, { value: 'c' }]);
  expect(second).toMatchObject({ reason: new RangeError('no') });
  expect(words()).toEqual(['a', 'c']);
  expect(told).toEqual(['a', 'c']);
});
test('what wrote before it threw keeps that, as it would alone', async () => {
  const { group, put, words } = await stand();
  const twice = (): never => {
    put('first')();
    throw new Error('after its first write');
  };
  await Promise.allSettled([group.run(twice), group.run(put('b'))]);
  expect(words()).toEqual(['first', 'b']);
});
test('B56: an answer that is a promise is refused before any commit; a write within a write likewise', async () => {
  const { group, put, words, insert } = await stand();
  const promised = (): unknown => (group.write as (callback: () => unknown) => unknown)(() => Promise.resolve(insert.run('later', null)));
  const nested = (): unknown => group.write(() => group.write(() => insert.run('inner', null).changes));
  const [a, b, c] = await Promise.allSettled([group.run(promised), group.run(nested), group.run(put('c'))]);
  expect(a).toMatchObject({ reason: expect.any(TypeError) });
  expect(b).toMatchObject({ reason: { message: expect.stringContaining('within a transaction') } });
  expect(c).toMatchObject({ value: 'c' });
  expect(words()).toEqual(['c']);
});
test('a full disk is told to what has no room; the others are kept, once', async () => {
  const { db, group, put, told, words, reports } = await stand();
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + 20}`);
  const [a, big, c] = await Promise.allSettled([group.run(put('a')), group.run(put('big', 4_000_000)), group.run(put('c'))]);
  expect([a, c]).toMatchObject([{ value: 'a' }, { value: 'c' }]);
  expect(big).toMatchObject({ reason: { code: 'disk-full' } });
  expect(words().toSorted()).toEqual(['a', 'c']);
  expect(told.toSorted()).toEqual(['a', 'c']);
  expect(reports.length).toBeLessThanOrEqual(1);
});
test('when the common commit cannot be had, each is run again by itself: none is lost, none is told of twice', async () => {
  const { db, group, put, told, words, reports } = await stand();
  let first = true;
  const breaking = (): string => {
    if (first) db.exec('ROLLBACK');
    first = false;
    return put('b')();
  };
  await Promise.all([group.run(put('a')), group.run(breaking), group.run(put('c'))]);
  expect(words()).toEqual(['a', 'b', 'c']);
  expect(told).toEqual(['a', 'b', 'c']);
  expect(reports).toEqual([]);
});
test('a listener that writes makes a commit of its own, after this one', async () => {
  const { group, put, words } = await stand();
  const [made] = await Promise.all([group.run(put('a')).then(() => group.run(put('of the listener'))), group.run(put('b'))]);
  expect(made).toBe('of the listener');
  expect(words()).toEqual(['a', 'b', 'of the listener']);
});
test('flush runs what waits; what comes after the end is refused', async () => {
  const { db, group, put, words } = await stand();
  const waiting = [group.run(put('a')), group.run(put('b'))];
  group.flush();
  expect(words()).toEqual(['a', 'b']);
  await Promise.all(waiting);
  db.close();
  const late = await Promise.allSettled([group.run(put('c')), group.run(put('d'))]);
  expect(late).toMatchObject([{ reason: { code: 'shutting-down' } }, { reason: { code: 'shutting-down' } }]);
});
test('whatever is asked for, in whatever groups: the same rows as one by one', async () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(word, { maxLength: 8 }), { maxLength: 6 }), async (groups) => {
      const at = await stand();
      const alone = new Set<string>();
      for (const asked of groups) {
        const outcomes = await Promise.allSettled(asked.map((one) => at.group.run(at.put(one))));
        for (const [n, one] of asked.entries()) {
          // A word that is there is refused by its key.
          expect(outcomes[n]!.status).toBe(alone.has(one) ? 'rejected' : 'fulfilled');
          alone.add(one);
        }
      }
      expect(at.words()).toEqual([...alone]);
      expect(at.told).toEqual([...alone]);
    }),
    { numRuns: 40 },
  );
});
