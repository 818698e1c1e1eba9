/** Own work in IndexedDB, `strict`: a write that was answered is on the disk, since the composer clears on its word. */
import { Dexie, type Table } from 'dexie';
import { plain } from '#shared/plain.ts';
import type { Timers } from '#shared/ports.ts';
import { Connection } from '../disk/connection.ts';
import { FORMAT, type Facts, type NewRow, type OutboxRow, type Own, type RowPatch, type RowState } from './port.ts';
import { changed, inOrder, isOneOf, newRow, recovered } from './rows.ts';

interface Fact {
  key: string;
  value: unknown;
}
class OwnDb extends Dexie {
  readonly outbox!: Table<OutboxRow, string>;
  readonly drafts!: Table<{ sessionId: string; text: string }, string>;
  readonly facts!: Table<Fact, string>;
  constructor(name: string, parts: OwnParts) {
    super(name, { indexedDB: parts.indexedDB, IDBKeyRange: parts.IDBKeyRange, chromeTransactionDurability: 'strict' });
    this.version(1).stores({ outbox: 'id, order', drafts: 'sessionId', facts: 'key' });
  }
}
export interface OwnParts {
  indexedDB: IDBFactory;
  IDBKeyRange: typeof IDBKeyRange;
  timers: Timers;
}
const FENCE = 'fence';

export function dexieOwn(name: string, parts: OwnParts): Own {
  const db = new OwnDb(name, parts);
  const connection = new Connection(db, parts.timers);
  // `async` matters: only so does Dexie follow native awaits, and a real browser keep the transaction open across them.
  const write = <T>(work: () => Promise<T>): Promise<T> => connection.run(() => db.transaction('rw', db.tables, async () => work()));

  const fence = async (): Promise<number> => ((await db.facts.get(FENCE))?.value as number | undefined) ?? 0;
  async function addIn(row: NewRow, order: number | null): Promise<OutboxRow> {
    const held = await db.outbox.get(row.id);
    if (held !== undefined) return held;
    const last = order === null ? await db.outbox.orderBy('order').last() : undefined;
    const made = newRow(row, order ?? (last?.order ?? 0) + 1);
    await db.outbox.put(made);
    return made;
  }

  return {
    durable: true,
    close: () => db.close(),
    rows: () => connection.run(() => db.outbox.toArray()).then(inOrder),
    add(row: NewRow, clearDraft: boolean) {
      const own = plain(row);
      return write(async () => {
        const made = await addIn(own, null);
        if (clearDraft) await db.drafts.delete(own.sessionId);
        return made;
      });
    },
    addAll(rows: readonly NewRow[]) {
      const own = plain(rows);
      return write(async () => {
        for (const row of own) await addIn(row, null);
      });
    },
    change(id: string, patch: RowPatch, only?: { states?: readonly RowState[]; fence?: number }) {
      const own = plain(patch);
      return write(async () => {
        if (only?.fence !== undefined && only.fence !== (await fence())) return false;
        const held = await db.outbox.get(id);
        const next = held === undefined ? null : changed(held, own, only?.states);
        if (next === null) return false;
        await db.outbox.put(next);
        return true;
      });
    },
    replace(old: string, row: NewRow) {
      const own = plain(row);
      return write(async () => {
        const held = await db.outbox.get(old);
        await db.outbox.delete(old);
        await addIn(own, held?.order ?? null);
      });
    },
    remove: (ids, states) =>
      write(async () => {
        const rows = states === undefined ? [] : await db.outbox.bulkGet([...ids]);
        await db.outbox.bulkDelete(states === undefined ? [...ids] : ids.filter((_, at) => isOneOf(rows[at], states)));
      }),
    claim: () =>
      write(async () => {
        const next = (await fence()) + 1;
        await db.facts.put({ key: FENCE, value: next });
        const stuck = (await db.outbox.toArray()).filter((row) => row.v === FORMAT && row.state === 'sending');
        await db.outbox.bulkPut(stuck.map(recovered));
        return next;
      }),
    draft: (sessionId) => connection.run(() => db.drafts.get(sessionId)).then((draft) => draft?.text ?? ''),
    saveDraft: (sessionId, text) =>
      write(async () => {
        if (text === '') await db.drafts.delete(sessionId);
        else await db.drafts.put({ sessionId, text });
      }),
    fact: <K extends keyof Facts>(key: K) =>
      connection.run(() => db.facts.get(key)).then((fact) => (fact === undefined ? null : (fact.value as Facts[K]))),
    setFact: (key, value) =>
      write(async () => {
        await db.facts.put({ key, value });
      }),
    wipe: () =>
      write(async () => {
        for (const table of db.tables) await table.clear();
      }),
  };
}
