/**
 * A session's log as a turn needs it: its records with their data in full, and what was read out of them so far. It only
 * grows, since what is sealed is final (law 6): whoever keeps one reads on from its head and has what the store would give.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import { Remembered } from './remembered.ts';

/** What a record costs beside its data: its object, its place in the array, its ids. */
const RECORD_BYTES = 400;
/** A value in an object or array that is no text. */
const VALUE_BYTES = 24;

export class SessionHistory {
  readonly sessionId: string;
  readonly remembered = new Remembered();
  readonly #records: LogRecord[] = [];
  #bytes = 0;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get records(): readonly LogRecord[] {
    return this.#records;
  }
  /** Seq of the newest record; 0: none. */
  get head(): number {
    return this.#records.at(-1)?.seq ?? 0;
  }
  /** About what is held, in bytes of memory: rather too much than too little. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes what the store gave. What is here already is left out: two may read at once while tools run side by side. */
  append(rows: readonly LogRecord[]): void {
    for (const row of rows) {
      if (row.seq <= this.head) continue;
      this.#records.push(row);
      this.#bytes += RECORD_BYTES + weight(row.data);
    }
  }
}

/** Text counts two bytes a unit, as it does once a single character of it is not Latin. */
function weight(value: unknown): number {
  if (typeof value === 'string') return VALUE_BYTES + value.length * 2;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let sum = VALUE_BYTES;
  for (const inner of Object.values(value)) sum += VALUE_BYTES + weight(inner);
  return sum;
}
