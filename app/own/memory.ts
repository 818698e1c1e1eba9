/** Own work in memory: the words live as long as the window, and the user is told so. */
import { plain } from '#shared/plain.ts';
import { mergeOf, NOTHING, type Held } from './aside.ts';
import { FORMAT, type Facts, type NewRow, type OutboxRow, type Own } from './port.ts';
import { changed, inOrder, isOneOf, newRow, recovered } from './rows.ts';

export interface MemoryOwn extends Own {
  /** All of it as it is now; what is done later does not show in it. */
  held(): Held;
}

/** `from`: where to go on, when a database gave out. */
export function memoryOwn(from: Held = NOTHING): MemoryOwn {
  const outbox = new Map(from.rows);
  const texts = new Map(from.drafts);
  const facts = new Map(from.facts);
  let fence = 0;
  const nextOrder = (): number => Math.max(0, ...[...outbox.values()].map((row) => row.order)) + 1;
  const putDraft = (sessionId: string, text: string): void => {
    if (text === '') texts.delete(sessionId);
    else texts.set(sessionId, text);
  };

  return {
    durable: false,
    close: () => undefined,
    held: () => ({ rows: new Map(outbox), drafts: new Map(texts), facts: new Map(facts) }),
    rows: async () => inOrder([...outbox.values()]),
    async add(row: NewRow, clearDraft: boolean) {
      const made = outbox.get(row.id) ?? newRow(plain(row), nextOrder());
      outbox.set(row.id, made);
      if (clearDraft) texts.delete(row.sessionId);
      return made;
    },
    async addAll(rows: readonly NewRow[]) {
      for (const row of plain(rows)) if (!outbox.has(row.id)) outbox.set(row.id, newRow(row, nextOrder()));
    },
    async change(id, patch, only) {
      if (only?.fence !== undefined && only.fence !== fence) return false;
      const held = outbox.get(id);
      const next = held === undefined ? null : changed(held, plain(patch), only?.states);
      if (next !== null) outbox.set(id, next);
      return next !== null;
    },
    async replace(old: string, row: NewRow) {
      const order = outbox.get(old)?.order ?? nextOrder();
      outbox.delete(old);
      if (!outbox.has(row.id)) outbox.set(row.id, newRow(plain(row), order));
    },
    async remove(ids, states) {
      for (const id of ids) if (isOneOf(outbox.get(id), states)) outbox.delete(id);
    },
    async claim() {
      for (const row of outbox.values()) if (row.v === FORMAT) outbox.set(row.id, recovered(row));
      return ++fence;
    },
    draft: async (sessionId) => texts.get(sessionId) ?? '',
    saveDraft: async (sessionId, text) => putDraft(sessionId, text),
    fact: async <K extends keyof Facts>(key: K) => (facts.get(key) as Facts[K] | undefined) ?? null,
    async setFact(key, value) {
      facts.set(key, plain(value));
    },
    async merge(aside) {
      const own = plain(aside);
      const merged = mergeOf(own, [...outbox.values()] as OutboxRow[], texts);
      for (const row of merged.put) outbox.set(row.id, row);
      for (const id of merged.remove) outbox.delete(id);
      for (const [sessionId, text] of merged.drafts) putDraft(sessionId, text);
      for (const [key, value] of own.facts) facts.set(key, value);
    },
    async wipe() {
      outbox.clear();
      texts.clear();
      facts.clear();
    },
  };
}
