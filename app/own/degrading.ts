/**
 * Own work that outlives its database. While the disk takes nothing (held up by another window, full, closed for good, missing),
 * the same rows go on in memory, and each change is put aside in a small database of this window before it is answered; once the
 * disk takes them, they go back to it (law 17). A prompt is never held up by more than one operation's limit.
 */
import { faultOf } from '../disk/faults.ts';
import { backoff } from '#shared/backoff.ts';
import type { Random, Report, Timers } from '#shared/ports.ts';
import { changesOf, NOTHING, type Aside, type Held } from './aside.ts';
import { memoryOwn, type MemoryOwn } from './memory.ts';
import type { Facts, OutboxRow, Own } from './port.ts';
import type { Side } from './side.ts';

/** Where words go that the disk does not take: into the small database, or nowhere that outlives the window. */
export type Kept = 'aside' | 'memory';
export interface Keeping {
  timers: Timers;
  random: Random;
  report: Report;
  /** Null: there is no second place. */
  side: Side | null;
  /** Makes room on a full disk; false: there is none to make. */
  makeRoom(): Promise<boolean>;
  /** The disk takes everything again, and has what was written meanwhile. */
  onBack(): void;
}
/** Things that may give way to one write. */
const EVICTIONS = 8;
/** Characters that the disk must take to be good for more. */
const PROBE = 16 * 1024;
const RETRY = { base: 1_000, cap: 10_000 };

export interface DegradingOwn extends Own {
  /** The database was deleted under this window, and is empty: what this window knows of it is put back. */
  putBack(): Promise<void>;
}

/**
 * `disk` null: there is no IndexedDB. `onLost`: told once each time, with the error and where words go from now on. `keeping`
 * absent: what is lost stays lost.
 */
export function degradingOwn(disk: Own | null, onLost: (error: unknown, kept: Kept) => void, keeping?: Keeping): DegradingOwn {
  /** What the disk last said, so that nothing which was seen here is lost with it. */
  let known: Held = NOTHING;
  let spare: MemoryOwn | null = null;
  /** What of the spare is on the disk. */
  let base: Held = NOTHING;
  let kept: Kept = 'memory';
  /** Everything on the disk goes as soon as it takes that. */
  let wiped = false;
  let tries = 0;

  const noteDraft = (sessionId: string, text: string): void => {
    known = { ...known, drafts: new Map(known.drafts).set(sessionId, text) };
  };
  const noteFact = (key: string, value: unknown): void => {
    known = { ...known, facts: new Map(known.facts).set(key, value) };
  };
  const noteRows = (rows: readonly OutboxRow[]): void => {
    known = { ...known, rows: new Map(rows.map((row) => [row.id, row])) };
  };

  function lose(error: unknown): MemoryOwn {
    if (spare !== null) return spare;
    base = withoutBlank(known);
    spare = memoryOwn(base);
    kept = disk !== null && (keeping?.side ?? null) !== null ? 'aside' : 'memory';
    onLost(error, kept);
    // A newer app has it: only a window that loads again can.
    if (disk !== null && faultOf(error) !== 'newer') later();
    return spare;
  }
  function later(): void {
    keeping?.timers.after(backoff(tries++, RETRY, keeping.random), () => void comeBack());
  }
  async function comeBack(): Promise<void> {
    if (spare === null || disk === null) return;
    try {
      if (wiped) await disk.wipe();
      wiped = false;
      // A disk that is full takes a transaction that writes nothing.
      for (const value of ['x'.repeat(PROBE), '']) await disk.merge({ ...EMPTY, facts: [['probe', value]] });
      let now = spare.held();
      await disk.merge(changesOf(base, now) ?? EMPTY);
      base = now;
      for (let left = changesOf(base, spare.held()); left !== null; left = changesOf(base, spare.held())) {
        now = spare.held();
        await disk.merge(left);
        base = now;
      }
    } catch (error) {
      if (faultOf(error) !== 'newer') later();
      return;
    }
    known = base;
    spare = null;
    // Left there, it is found by the next window, and merging it again changes nothing.
    await keeping?.side?.drop().catch((error: unknown) => keeping.report('own.aside', { error }));
    keeping?.onBack();
  }

  async function run<T>(work: (own: Own) => Promise<T>): Promise<T> {
    if (spare !== null) return work(spare);
    if (disk === null) return work(lose(new Error('no IndexedDB here')));
    for (let evictions = 0; ; evictions++) {
      try {
        return await work(disk);
      } catch (error) {
        const full = faultOf(error) === 'quota' && evictions < EVICTIONS;
        if (!full || !((await keeping?.makeRoom()) ?? false)) return work(lose(error));
      }
    }
  }
  async function writing<T>(work: (own: Own) => Promise<T>): Promise<T> {
    const value = await run(work);
    if (spare !== null) await putAside();
    return value;
  }
  /** A write of rows. It is on the disk; if only this read fails, what was known before stays the best there is. */
  async function writingRows<T>(work: (own: Own) => Promise<T>): Promise<T> {
    const value = await writing(work);
    if (spare === null && disk !== null) await disk.rows().then(noteRows, () => undefined);
    return value;
  }
  async function putAside(): Promise<void> {
    const side = keeping?.side ?? null;
    const aside = spare === null ? null : changesOf(base, spare.held());
    if (kept === 'memory' || side === null || aside === null) return;
    try {
      await side.save(aside);
    } catch (error) {
      kept = 'memory';
      onLost(error, kept);
    }
  }

  return {
    get durable() {
      return disk !== null && (spare === null || kept === 'aside');
    },
    close: () => disk?.close(),
    rows: () =>
      run(async (own) => {
        const rows = await own.rows();
        if (own === disk) noteRows(rows);
        return rows;
      }),
    async add(row, clearDraft) {
      const made = await writingRows((own) => own.add(row, clearDraft));
      if (clearDraft) noteDraft(row.sessionId, '');
      return made;
    },
    addAll: (rows) => writingRows((own) => own.addAll(rows)),
    change: (id, patch, only) => writingRows((own) => own.change(id, patch, only)),
    replace: (old, row) => writingRows((own) => own.replace(old, row)),
    remove: (ids, states) => writingRows((own) => own.remove(ids, states)),
    claim: () => writingRows((own) => own.claim()),
    draft: (sessionId) =>
      run(async (own) => {
        const text = await own.draft(sessionId);
        if (own === disk) noteDraft(sessionId, text);
        return text;
      }),
    saveDraft: (sessionId, text) =>
      writing(async (own) => {
        await own.saveDraft(sessionId, text);
        if (own === disk) noteDraft(sessionId, text);
      }),
    fact: <K extends keyof Facts>(key: K) =>
      run(async (own) => {
        const value = await own.fact(key);
        if (own === disk && value !== null) noteFact(key, value);
        return value;
      }),
    setFact: (key, value) =>
      writing(async (own) => {
        await own.setFact(key, value);
        if (own === disk) noteFact(key, value);
      }),
    merge: (aside) => writingRows((own) => own.merge(aside)),
    async putBack() {
      const facts = new Map([...known.facts].filter(([key]) => key !== 'made'));
      const aside = changesOf(NOTHING, withoutBlank({ ...known, facts }));
      if (aside !== null) await writingRows((own) => own.merge(aside));
    },
    async wipe() {
      known = NOTHING;
      await run((own) => own.wipe());
      if (spare === null) return;
      wiped = true;
      base = NOTHING;
      await keeping?.side?.drop().catch((error: unknown) => keeping.report('own.aside', { error }));
    },
  };
}

const EMPTY: Aside = { v: 1, rows: [], drafts: [], facts: [] };

/** No draft is no entry. */
function withoutBlank(held: Held): Held {
  return { ...held, drafts: new Map([...held.drafts].filter(([, text]) => text !== '')) };
}
