/**
 * Own work that was written beside its database while that took nothing, and how the two become one again. Merging the same
 * twice changes nothing, and no word of either side is dropped. Pure.
 */
import { isBlank } from '#shared/text.ts';
import type { OutboxRow } from './port.ts';

/** Format of what is kept aside. */
export const ASIDE_FORMAT = 1;

/** `was`: as the database last had it; null: it had none, as far as was known. `now` null: gone. */
export interface Changed<T> {
  id: string;
  was: T | null;
  now: T | null;
}
export interface Aside {
  v: number;
  /** In order. */
  rows: Changed<OutboxRow>[];
  /** By session; no draft is null. */
  drafts: Changed<string>[];
  facts: [key: string, value: unknown][];
}
/** Own work as it is at one moment. */
export interface Held {
  rows: ReadonlyMap<string, OutboxRow>;
  drafts: ReadonlyMap<string, string>;
  facts: ReadonlyMap<string, unknown>;
}
export const NOTHING: Held = { rows: new Map(), drafts: new Map(), facts: new Map() };

/** What became of `was`; null: nothing. */
export function changesOf(was: Held, now: Held): Aside | null {
  const rows = changed(was.rows, now.rows).toSorted((a, b) => orderOf(a) - orderOf(b));
  const drafts = changed(was.drafts, now.drafts);
  const facts = [...now.facts].filter(([key, value]) => !isSame(value, was.facts.get(key)));
  return rows.length + drafts.length + facts.length === 0 ? null : { v: ASIDE_FORMAT, rows, drafts, facts };
}

export interface Merged {
  put: OutboxRow[];
  remove: string[];
  drafts: [sessionId: string, text: string][];
}
/** What the database, having these, must change to hold both. */
export function mergeOf(aside: Aside, rows: readonly OutboxRow[], drafts: ReadonlyMap<string, string>): Merged {
  const here = new Map(rows.map((row) => [row.id, row]));
  const merged: Merged = { put: [], remove: [], drafts: [] };
  let last = Math.max(0, ...rows.map((row) => row.order));
  for (const change of aside.rows) {
    const held = here.get(change.id);
    if (change.now === null) {
      if (held !== undefined && !isReworded(held, change.was)) merged.remove.push(change.id);
    } else if (held !== undefined) {
      const row = further(held, change.was, change.now);
      if (row !== held) merged.put.push({ ...row, order: held.order });
      // One that the database had and has no more was dealt with by another window.
    } else if (change.was === null) merged.put.push({ ...change.now, order: ++last });
  }
  for (const { id, was, now } of aside.drafts) {
    const held = drafts.get(id) ?? '';
    const text = both(held, was ?? '', now ?? '');
    if (text !== held) merged.drafts.push([id, text]);
  }
  return merged;
}

/** Changed on both sides, what the server has is further, then what was tried more often. */
function further(held: OutboxRow, was: OutboxRow | null, now: OutboxRow): OutboxRow {
  if (isSame({ ...held, order: 0 }, { ...now, order: 0 })) return held;
  if (was !== null && isSame(held, was)) return now;
  if (held.state === 'acked') return held;
  // What was sent said something else: the words of here go, or are refused and kept (law 3).
  if (now.state === 'acked' && isReworded(held, was)) return held;
  return now.state === 'acked' || now.tries >= held.tries ? now : held;
}
/** Another window changed what it says meanwhile. */
function isReworded({ command }: OutboxRow, was: OutboxRow | null): boolean {
  return command.kind === 'input' && was?.command.kind === 'input' && !isSame(command.content, was.command.content);
}
/** Written on both sides, both stay: one word too many can be deleted, one too few is gone. */
function both(held: string, was: string, now: string): string {
  if (held === was || held === now || isBlank(held)) return now;
  if (now === '' || held.includes(now)) return held;
  return now.includes(held) ? now : `${held}\n\n${now}`;
}

function changed<T>(was: ReadonlyMap<string, T>, now: ReadonlyMap<string, T>): Changed<T>[] {
  const ids = [...new Set([...was.keys(), ...now.keys()])];
  return ids.map((id) => ({ id, was: was.get(id) ?? null, now: now.get(id) ?? null })).filter((change) => !isSame(change.was, change.now));
}
function orderOf({ was, now }: Changed<OutboxRow>): number {
  return (now ?? was)?.order ?? 0;
}
/** Plain data: the same text is the same value. */
function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
