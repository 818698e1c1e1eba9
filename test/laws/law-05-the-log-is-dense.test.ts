/** Law 5. The log is dense: per session, `seq` runs 1, 2, 3, … over chunks and events together, with no hole. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import { isTombstone } from '#shared/protocol/summaries.ts';
import { newSession, NOW, runningTurn, sqliteHarness, textRow } from '../support/store-harness.ts';
import { histories, play } from '../support/store-history.ts';

describe('law 5: the log is dense', () => {
  test('in any history every commit goes on where the one before ended, and head and total say how far', { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(histories(50), async (actions) => {
      await play(actions, async (world, done) => {
        if (done !== 'end') return;
        const heads = new Map<string, number>();
        const totals = new Map<string, number>();
        for (const { sessionId, records, session } of world.harness.commits) {
          for (const record of records) {
            expect(record.seq).toBe((heads.get(sessionId) ?? 0) + 1);
            heads.set(sessionId, record.seq);
            if (record.kind === 'chunk' && isShown(record)) totals.set(sessionId, (totals.get(sessionId) ?? 0) + 1);
          }
          if (isTombstone(session)) continue;
          expect([session.head, session.total]).toEqual([heads.get(sessionId) ?? 0, totals.get(sessionId) ?? 0]);
        }
      });
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test('any way of paging reads every seq once, in order', { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(
      histories(50),
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 400 }),
      async (actions, limit, bytes) => {
        await play(actions, async (world, done) => {
          if (done !== 'end') return;
          const { store } = world.harness;
          for (const sessionId of world.sessions.filter((one) => !world.deleted.has(one))) {
            const { head } = (await store.timeline(sessionId, 1)).session;
            const seqs: number[] = [];
            for (let after = 0; after < head; after = seqs.at(-1)!) {
              const page = await store.log(sessionId, after, limit, bytes);
              expect(page.records.length).toBeGreaterThan(0);
              seqs.push(...page.records.map((record) => record.seq));
            }
            expect(seqs).toEqual(Array.from({ length: head }, (_, at) => at + 1));

            // chunks from the tail down: each page is whole from its `from`, and the pages meet
            const all = (await store.log(sessionId, 0, head + 1, Number.MAX_SAFE_INTEGER)).records.filter(
              (record) => record.kind === 'chunk',
            );
            const up: number[] = [];
            for (let before = head + 1; before > 1;) {
              const page = await store.chunks(sessionId, before, limit);
              const due = all.filter((record) => record.seq >= page.from && record.seq < before);
              expect(page.chunks).toEqual(due);
              up.unshift(...due.map((record) => record.seq));
              before = page.from;
            }
            expect(up).toEqual(all.map((record) => record.seq));
          }
        });
      },
    );
    await fc.assert(property, { numRuns: 20 });
  });

  test('a commit that fails at any of its rows leaves no hole for the next', async () => {
    const harness = await sqliteHarness();
    const { store } = harness;
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const head = (await store.timeline(session.id, 1)).head;
    const db = new Database(join(harness.folder, 'cairn.db'));
    const rows = (from: number) => [0, 1, 2].map((n) => textRow(turnId, 0, from + n, 'x'));
    for (const at of [1, 2, 3]) {
      db.exec(`CREATE TRIGGER fault BEFORE INSERT ON record WHEN new.seq = ${head + at} BEGIN SELECT RAISE(ABORT, 'disk fault'); END`);
      await expect(store.seal(claim, rows(0), NOW)).rejects.toThrow('disk fault');
      db.exec('DROP TRIGGER fault');
    }
    const sealed = await store.seal(claim, rows(0), NOW);
    expect(sealed.map((record) => record.seq)).toEqual([head + 1, head + 2, head + 3]);
    expect((await store.log(session.id, 0, 100, 1_000_000)).records.map((record) => record.seq)).toEqual(
      Array.from({ length: head + 3 }, (_, n) => n + 1),
    );
    // the database itself refuses a second row for a seq
    const twice = db.prepare(
      'INSERT INTO record SELECT session_key, seq, id || 1, kind, turn_id, step, role, type, data, created_at, blob FROM record',
    );
    expect(() => twice.run()).toThrow('UNIQUE');
    db.close();
    await harness.close();
  });
});
