/** Sessions to look at: one of each mark. Times are of one afternoon; open the gallery through shots.mjs to have it now. */
import type { SessionRow } from '../../app/sync/views.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';

export const NOW = new Date(2026, 10, 30, 14, 40).getTime();
const minute = 60_000;
const day = 24 * 60 * minute;
export const HOME = '/home/ada/code';

export function idOf(n: number): string {
  return `01930000-0000-7000-8000-${String(n).padStart(12, '0')}`;
}
let made = 0;
export function session(
  title: string,
  folder: string,
  ago: number,
  lastWords: string,
  more: Partial<SessionSummary> = {},
  row: Partial<SessionRow> = {},
): SessionRow {
  made++;
  return {
    summary: {
      id: idOf(made),
      title,
      workspace: `${HOME}/${folder}`,
      model: null,
      effort: null,
      mode: 'ask',
      status: 'idle',
      turnId: null,
      paused: null,
      head: 120,
      total: 80,
      version: made,
      rev: 1,
      pinned: false,
      archived: false,
      createdAt: NOW - 20 * day,
      updatedAt: NOW - ago,
      lastWords,
      ...more,
    },
    heldHere: false,
    notMade: null,
    gone: false,
    changeHeld: false,
    heldInputs: 0,
    unread: false,
    fresh: true,
    ...row,
  };
}

export function sampleRows(): SessionRow[] {
  made = 0;
  return [
    session('CSV import drops the last row', 'harbour', 2 * minute, 'Running npm test -- csv', { status: 'running', turnId: 't1' }),
    session('Upgrade to Node 24', 'ferry-times', 4 * minute, 'Wants to run npm ci', { status: 'waiting', turnId: 't2' }, { unread: true }),
    session('Flaky tide-table test', 'ferry-times', 80 * minute, '', { status: 'paused', paused: { seq: 90, reason: 'stopped' } }),
    session('Explain the berth cache', 'harbour', 112 * minute, 'The cache is keyed by berth and by day, so', {}, { unread: true }),
    session('Release notes for 2.3', 'harbour', 215 * minute, 'Draft the notes from the merged pull requests', {}, { heldInputs: 1 }),
    session('Photo resize worker', 'site', 299 * minute, 'Overloaded', { status: 'paused', paused: { seq: 50, reason: 'failed' } }),
    session('', 'harbour', 301 * minute, '', {}, { heldHere: true, heldInputs: 1 }),
    session('Rename dock to berth', 'harbour', 3 * day, 'Renamed in 31 files. All 212 tests pass.'),
    session('Read-only API for the app', 'ferry-times', 4 * day, 'Added GET /sailings with an ETag', { pinned: true }),
    session('Why is the map slow on iPad?', 'site', 5 * day, 'The tile layer re-renders on each resize'),
    session('Seating plan', 'site', 40 * day, 'Done', { archived: true }),
  ];
}
