/** Copying one log's beginning into another, a stretch at a time, each within the caller's transaction. */
import type { Core } from './core.ts';
import { fullRecordOf } from './data.ts';
import { forkedId } from './fork-ids.ts';
import type { ForkStatements } from './fork-statements.ts';
import type { RecordRow, SessionRow } from './rows.ts';
import { contextWire, lastWordsOf } from './work.ts';

/** Seqs that an event names, by its type. */
const NAMED: Readonly<Record<string, readonly ('from' | 'to')[]>> = {
  'thinking-off': ['to'],
  'context-cut': ['from', 'to'],
  compacted: ['to'],
};

export class ForkCopy {
  /** The fork's row: `head`, `total`, `header`, `context` and `last_words` are kept by this class. Its `key` is set once it is inserted. */
  readonly row: SessionRow;
  readonly #core: Core;
  readonly #sql: ForkStatements;
  readonly #origin: number;
  /** What all ids of its rows follow from. */
  readonly #salt: string;
  /** The last seq of the origin that was looked at. */
  #at = 0;
  /** How many records there were up to which seq of the origin, one entry a stretch. */
  readonly #reached: { seq: number; head: number }[] = [{ seq: 0, head: 0 }];

  constructor(core: Core, sql: ForkStatements, origin: SessionRow, salt: string, row: SessionRow) {
    this.#core = core;
    this.#sql = sql;
    this.#origin = origin.key;
    this.#salt = salt;
    this.row = row;
  }
  get at(): number {
    return this.#at;
  }

  /** Copies what the origin has above `at`, up to `upTo`. */
  stretch(upTo: number): void {
    const { row } = this;
    const { key, head } = row;
    const stretch = { origin: this.#origin, after: this.#at, upTo };
    const old = this.#sql.copied(stretch).map(({ seq }) => seq);
    row.head += this.#sql.copy({ ...stretch, key, head, salt: this.#salt });
    row.total += this.#sql.shownCount(key, head)!.count;
    for (const told of this.#sql.telling(key, head)) this.#heed(told);
    this.#marks(stretch, old, head);
    this.#at = upTo;
    this.#reached.push({ seq: upTo, head: row.head });
  }

  /** All of it is here. */
  finish(): void {
    this.#sql.dropMarks(this.row.key, this.row.head);
    for (const row of this.#sql.newestWords(this.row.key)) {
      const record = fullRecordOf(this.row.id, row, this.#core.report);
      const words = record?.kind === 'chunk' ? lastWordsOf(record) : null;
      if (words === null) continue;
      this.row.last_words = words;
      return;
    }
  }

  #heed({ seq, kind, type, data }: Pick<RecordRow, 'seq' | 'kind' | 'type' | 'data'>): void {
    const value = parsed(data);
    if (kind === 'chunk') {
      this.row.context = contextWire({ type, data: value }) ?? this.row.context;
      return;
    }
    if (type === 'wire-header') this.row.header = 1;
    const named = NAMED[type];
    if (named === undefined || typeof value !== 'object' || value === null) return;
    const mapped: Record<string, unknown> = { ...value };
    for (const name of named) {
      const old = mapped[name];
      // the first record that is still there from one seq, the last one up to the other
      if (typeof old === 'number') mapped[name] = name === 'from' ? this.#upTo(old - 1) + 1 : this.#upTo(old);
    }
    this.#sql.setData(JSON.stringify(mapped), this.row.key, seq);
  }

  /** How many records of the fork come from `seq` or before. An event names only what was there when it was written. */
  #upTo(seq: number): number {
    const from = this.#reached.findLast((one) => one.seq <= seq) ?? this.#reached[0]!;
    return from.head + this.#sql.copiedCount({ origin: this.#origin, after: from.seq, upTo: seq })!.count;
  }

  /** A turn that begins with an event begins in the fork with what was copied next. */
  #marks(stretch: { origin: number; after: number; upTo: number }, old: readonly number[], head: number): void {
    let at = 0;
    for (const mark of this.#sql.marks(stretch)) {
      while (at < old.length && old[at]! < mark.seq) at++;
      this.#sql.putMark(this.row.key, head + at + 1, forkedId(this.#salt, mark.turn_id), mark.created_at, mark.words);
    }
  }
}

/** Null: it cannot be read, which whoever reads the copy is told as of the original. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}
