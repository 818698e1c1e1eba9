/** Law 6. Sealed is final: no byte of a sealed record changes and no record moves. Rename, cancellation, edits: all append. */
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admission, command, DONE, id, newSession, noPreface, NOW, runningTurn, sqliteHarness, textRow } from '../support/store-harness.ts';
import { histories, play } from '../support/store-history.ts';

/** Every stored row of every living session as the bytes it is kept in. */
function rows(folder: string): Map<string, string> {
  const db = new Database(join(folder, 'cairn.db'), { readonly: true });
  const found = db
    .prepare('SELECT record.*, session.id AS session FROM record JOIN session ON key = session_key WHERE deleted = 0')
    .all() as {
    session: string;
    seq: number;
  }[];
  db.close();
  return new Map(found.map((row) => [`${row.session}/${row.seq}`, JSON.stringify(row)]));
}

describe('law 6: sealed is final', () => {
  test(
    'in any history, restarts and refusals included, a row once written is there, at its place, byte for byte',
    { timeout: 120_000 },
    async () => {
      const property = fc.asyncProperty(histories(50), async (actions) => {
        let sealed = new Map<string, string>();
        await play(actions, async (world) => {
          const now = rows(world.harness.folder);
          const kept = [...sealed].filter(([place]) => !world.deleted.has(place.split('/')[0]!));
          expect(kept.filter(([place, row]) => now.get(place) !== row)).toEqual([]);
          sealed = now;
        });
      });
      await fc.assert(property, { numRuns: 15 });
    },
  );

  test('rename, edit, move, cancel, stop, resume and settle only append', async () => {
    const harness = await sqliteHarness();
    const { store } = harness;
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    await store.seal(claim, [textRow(turnId, 0, 0, 'sealed')], NOW);
    const first = (await store.admit(admission(session.id, 'first', 'queue'))).receipt;
    const second = (await store.admit(admission(session.id, 'second', 'queue'))).receipt;
    const changes: (() => Promise<unknown>)[] = [
      () => store.changeSession(session.id, { title: 'new', mode: 'plan' }, null, command()),
      () => store.editInput(session.id, first.id, { content: [{ type: 'text', text: 'edited' }] }, null, command()),
      () => store.editInput(session.id, first.id, { after: second.id }, null, command()),
      () => store.cancelInput(session.id, first.id, command()),
      () => store.stop(session.id, null, command()),
      () => store.settle(claim, turnId, { ...DONE, reason: 'stopped' }, NOW),
      () => store.resume(session.id, null, command()),
      () => store.openTurn(session.id, 'runner', id(), NOW, noPreface),
    ];
    for (const change of changes) {
      const before = rows(harness.folder);
      await change();
      const after = rows(harness.folder);
      expect(after.size).toBeGreaterThan(before.size);
      for (const [place, row] of before) expect(after.get(place)).toBe(row);
    }
    await harness.close();
  });

  test('a record is announced, returned and read as one thing, and mutating what was handed out changes nothing', async () => {
    const harness = await sqliteHarness();
    const { store } = harness;
    const session = await newSession(store);
    const { claim, turnId } = await runningTurn(store, session.id);
    const row = textRow(turnId, 0, 0, 'as sealed');
    const [sealed] = await store.seal(claim, [row], NOW);
    const kept = structuredClone(sealed!);
    const read = async () => (await store.log(session.id, kept.seq - 1, 1, 1_000_000)).records;
    expect(await read()).toEqual([kept]);
    Object.assign(sealed!.data as object, { text: 'changed in memory' });
    for (const record of await read()) Object.assign(record, { data: null });
    expect(await read()).toEqual([kept]);
    await harness.close();
  });
});
