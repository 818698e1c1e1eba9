/** How the session list is cut into groups. Order within a group is the store's: newest first. */
import type { SessionRow } from '../sync/views.ts';
import { markOf, titleOf, type SessionMark } from './session-words.ts';
import { daysAgo } from './time-words.ts';

export type ListFilter = 'all' | 'needs' | 'unread';
export interface ListGroup {
  key: 'needs' | 'running' | 'pinned' | 'today' | 'earlier' | 'archived';
  name: string;
  /** Only where the number says something. */
  count: number | null;
  rows: SessionRow[];
}

/** Rows that a search for `words` keeps: every word is in the title or the workspace, in any case. */
export function matches(row: SessionRow, words: string): boolean {
  const text = `${titleOf(row)} ${row.summary.workspace}`.toLocaleLowerCase();
  return words
    .toLocaleLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** It waits for the user, or did when it was last seen: it can be answered here either way. */
function needs(mark: SessionMark): boolean {
  return mark === 'waiting' || mark === 'asked';
}
/** What those are called: without the server's word of now, it is what was so (law 16). */
export function needsName(rows: readonly SessionRow[]): string {
  const marks = rows.map(markOf).filter(needs);
  return marks.length > 0 && !marks.includes('waiting') ? 'Needed you' : 'Needs you';
}
/** How many rows each filter would keep. */
export function filterCounts(rows: readonly SessionRow[]): { needs: number; unread: number } {
  return {
    needs: rows.filter((row) => needs(markOf(row))).length,
    unread: rows.filter((row) => !row.summary.archived && row.unread).length,
  };
}

/** Groups in the order they are shown, none of them empty. */
export function groupRows(rows: readonly SessionRow[], filter: ListFilter, now: number | null): ListGroup[] {
  const groups: Record<ListGroup['key'], SessionRow[]> = { needs: [], running: [], pinned: [], today: [], earlier: [], archived: [] };
  for (const row of rows) {
    const mark = markOf(row);
    if (filter === 'needs' && !needs(mark)) continue;
    if (filter === 'unread' && !row.unread) continue;
    groups[placeOf(row, mark, now)].push(row);
  }
  const names: [ListGroup['key'], string, boolean][] = [
    ['needs', needsName(groups.needs), true],
    ['running', 'Running', true],
    ['pinned', 'Pinned', false],
    ['today', 'Today', false],
    // Where the time is not known, nothing is called today, and nothing old.
    ['earlier', now === null ? 'Sessions' : 'Earlier', false],
    ['archived', 'Archived', true],
  ];
  return names
    .map(([key, name, counted]) => ({ key, name, count: counted ? groups[key].length : null, rows: groups[key] }))
    .filter((group) => group.rows.length > 0);
}

function placeOf(row: SessionRow, mark: SessionMark, now: number | null): ListGroup['key'] {
  if (needs(mark)) return 'needs';
  if (row.summary.archived) return 'archived';
  if (mark === 'running') return 'running';
  if (row.summary.pinned) return 'pinned';
  if (now === null) return 'earlier';
  // A time ahead of what is known of now is no reason to call a session old.
  return daysAgo(row.summary.updatedAt, now) <= 0 ? 'today' : 'earlier';
}
