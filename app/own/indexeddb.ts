/** Own work in IndexedDB, `strict`: a write that was answered is on the disk, since the composer clears on its word. */
import { plain } from '#shared/plain.ts';
import { Database, type DiskEvents, type DiskParts, type Schema } from '../disk/database.ts';
import { done } from '../disk/requests.ts';
import { mergeOf, type Aside } from './aside.ts';
import { FORMAT, type Facts, type NewRow, type OutboxRow, type Own, type RowPatch, type RowState } from './port.ts';
import { changed, inOrder, isOneOf, newRow, recovered } from './rows.ts';

type Store = 'outbox' | 'drafts' | 'facts';
interface Draft {
  sessionId: string;
  text: string;
}
const SCHEMA: Schema = {
  facts: 'facts',
  versions: [{ version: 1, stores: { outbox: 'id, order', drafts: 'sessionId', facts: 'key' } }],
};
const ALL: readonly Store[] = ['outbox', 'drafts', 'facts'];
const FENCE = 'fence';
/** Milliseconds: whoever presses Send waits for this. Later, the words are kept aside (`degrading.ts`). */
export const OWN_WITHIN = 2_500;

export function diskOwn(name: string, parts: DiskParts, events?: DiskEvents): Own {
  const database = new Database(name, SCHEMA, parts, events, OWN_WITHIN);
  const run = <T>(mode: IDBTransactionMode, stores: readonly Store[], work: (tx: OwnTx) => Promise<T>): Promise<T> =>
    database.run({ mode, stores, durability: 'strict', work: (tx) => work(new OwnTx(tx)) });
  const write = <T>(stores: readonly Store[], work: (tx: OwnTx) => Promise<T>): Promise<T> => run('readwrite', stores, work);

  return {
    durable: true,
    close: () => database.close(),
    rows: () => run('readonly', ['outbox'], (tx) => tx.rows()).then(inOrder),
    add(row: NewRow, clearDraft: boolean) {
      const own = plain(row);
      return write(['outbox', 'drafts'], async (tx) => {
        const made = await tx.add(own, null);
        if (clearDraft) await tx.putDraft(own.sessionId, '');
        return made;
      });
    },
    addAll(rows: readonly NewRow[]) {
      const own = plain(rows);
      return write(['outbox'], async (tx) => {
        for (const row of own) await tx.add(row, null);
      });
    },
    change(id: string, patch: RowPatch, only?: { states?: readonly RowState[]; fence?: number }) {
      const own = plain(patch);
      return write(['outbox', 'facts'], async (tx) => {
        if (only?.fence !== undefined && only.fence !== (await tx.fact<number>(FENCE))) return false;
        const held = await tx.row(id);
        const next = held === undefined ? null : changed(held, own, only?.states);
        if (next === null) return false;
        await tx.put(next);
        return true;
      });
    },
    replace(old: string, row: NewRow) {
      const own = plain(row);
      return write(['outbox'], async (tx) => {
        const held = await tx.row(old);
        await tx.remove(old);
        await tx.add(own, held?.order ?? null);
      });
    },
    remove: (ids, states) =>
      write(['outbox'], async (tx) => {
        for (const id of ids) if (states === undefined || isOneOf(await tx.row(id), states)) await tx.remove(id);
      }),
    claim: () =>
      write(['outbox', 'facts'], async (tx) => {
        const next = ((await tx.fact<number>(FENCE)) ?? 0) + 1;
        await tx.putFact(FENCE, next);
        for (const row of await tx.rows()) if (row.v === FORMAT && row.state === 'sending') await tx.put(recovered(row));
        return next;
      }),
    draft: (sessionId) => run('readonly', ['drafts'], (tx) => tx.draft(sessionId)),
    saveDraft: (sessionId, text) => write(['drafts'], async (tx) => void (await tx.putDraft(sessionId, text))),
    fact: <K extends keyof Facts>(key: K) => run('readonly', ['facts'], (tx) => tx.fact<Facts[K]>(key)),
    setFact(key, value) {
      const own = plain(value);
      return write(['facts'], async (tx) => void (await tx.putFact(key, own)));
    },
    merge(aside: Aside) {
      const own = plain(aside);
      return write(ALL, async (tx) => {
        const drafts = new Map((await tx.drafts()).map(({ sessionId, text }) => [sessionId, text]));
        const merged = mergeOf(own, await tx.rows(), drafts);
        for (const row of merged.put) await tx.put(row);
        for (const id of merged.remove) await tx.remove(id);
        for (const [sessionId, text] of merged.drafts) await tx.putDraft(sessionId, text);
        for (const [key, value] of own.facts) await tx.putFact(key, value);
      });
    },
    wipe: () => write(ALL, (tx) => tx.clear()),
  };
}

/** One transaction of own work. */
class OwnTx {
  readonly #tx: IDBTransaction;
  constructor(tx: IDBTransaction) {
    this.#tx = tx;
  }
  rows(): Promise<OutboxRow[]> {
    return done(() => this.#at('outbox').getAll());
  }
  row(id: string): Promise<OutboxRow | undefined> {
    return done(() => this.#at('outbox').get(id));
  }
  put(row: OutboxRow): Promise<unknown> {
    return done(() => this.#at('outbox').put(row));
  }
  remove(id: string): Promise<unknown> {
    return done(() => this.#at('outbox').delete(id));
  }
  /** The row held under its id, else the new one, at `order` or behind all others. */
  async add(row: NewRow, order: number | null): Promise<OutboxRow> {
    const held = await this.row(row.id);
    if (held !== undefined) return held;
    const made = newRow(row, order ?? (await this.#lastOrder()) + 1);
    await this.put(made);
    return made;
  }
  async draft(sessionId: string): Promise<string> {
    const draft = await done<Draft | undefined>(() => this.#at('drafts').get(sessionId));
    return draft?.text ?? '';
  }
  drafts(): Promise<Draft[]> {
    return done(() => this.#at('drafts').getAll());
  }
  putDraft(sessionId: string, text: string): Promise<unknown> {
    const store = this.#at('drafts');
    return text === '' ? done(() => store.delete(sessionId)) : done(() => store.put({ sessionId, text }));
  }
  async fact<T>(key: string): Promise<T | null> {
    const fact = await done<{ value: T } | undefined>(() => this.#at('facts').get(key));
    return fact?.value ?? null;
  }
  putFact(key: string, value: unknown): Promise<unknown> {
    return done(() => this.#at('facts').put({ key, value }));
  }
  async clear(): Promise<void> {
    for (const name of ALL) await done(() => this.#at(name).clear());
  }
  async #lastOrder(): Promise<number> {
    const last = await done(() => this.#at('outbox').index('order').openCursor(null, 'prev'));
    return (last?.value as OutboxRow | undefined)?.order ?? 0;
  }
  #at(name: Store): IDBObjectStore {
    return this.#tx.objectStore(name);
  }
}
