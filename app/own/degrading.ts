/**
 * Own work that outlives its database: when the disk gives out (closed for good, full, missing), the same rows go on in
 * memory, the user is told once, and prompts are still sent (law 17).
 */
import { memoryOwn } from './memory.ts';
import type { OutboxRow, Own } from './port.ts';

/** `disk` null: there is no IndexedDB. `onLost`: told once, with the error. */
export function degradingOwn(disk: Own | null, onLost: (error: unknown) => void): Own {
  let spare: Own | null = null;
  /** What the disk last said, so that nothing which was seen here is lost with it. */
  let known: readonly OutboxRow[] = [];
  const drafts = new Map<string, string>();

  function lose(error: unknown): Own {
    if (spare === null) {
      spare = memoryOwn(known, drafts);
      onLost(error);
    }
    return spare;
  }
  async function run<T>(work: (own: Own) => Promise<T>): Promise<T> {
    if (spare !== null) return work(spare);
    if (disk === null) return work(lose(new Error('no IndexedDB here')));
    try {
      return await work(disk);
    } catch (error) {
      return work(lose(error));
    }
  }
  async function writing<T>(work: (own: Own) => Promise<T>): Promise<T> {
    const value = await run(work);
    // The write is on the disk; if only this read fails, what was known before stays the best there is.
    if (spare === null && disk !== null) known = await disk.rows().catch(() => known);
    return value;
  }

  return {
    get durable() {
      return spare === null && disk !== null;
    },
    close: () => disk?.close(),
    rows: () =>
      run(async (own) => {
        const rows = await own.rows();
        if (spare === null) known = rows;
        return rows;
      }),
    async add(row, clearDraft) {
      const made = await writing((own) => own.add(row, clearDraft));
      if (clearDraft) drafts.delete(row.sessionId);
      return made;
    },
    addAll: (rows) => writing((own) => own.addAll(rows)),
    change: (id, patch, only) => writing((own) => own.change(id, patch, only)),
    replace: (old, row) => writing((own) => own.replace(old, row)),
    remove: (ids, states) => writing((own) => own.remove(ids, states)),
    claim: () => writing((own) => own.claim()),
    draft: (sessionId) =>
      run(async (own) => {
        const text = await own.draft(sessionId);
        if (spare === null) drafts.set(sessionId, text);
        return text;
      }),
    saveDraft(sessionId, text) {
      drafts.set(sessionId, text);
      return run((own) => own.saveDraft(sessionId, text));
    },
    fact: (key) => run((own) => own.fact(key)),
    setFact: (key, value) => run((own) => own.setFact(key, value)),
    wipe() {
      known = [];
      drafts.clear();
      return run((own) => own.wipe());
    },
  };
}
