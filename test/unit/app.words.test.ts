/** What the shell says: times, link, marks, groups. Wording is the look's. */
import { describe, expect, it } from 'vitest';
import { FIRST_VIEW } from '../../app/sync/link-view.ts';
import type { LinkView, SessionRow } from '../../app/sync/views.ts';
import { isLinkDown, linkWords } from '../../app/composables/link-words.ts';
import { filterCounts, groupRows, matches } from '../../app/composables/list-groups.ts';
import { lastLine, markOf } from '../../app/composables/session-words.ts';
import { daysAgo, durationWords, plural, sinceWords, sizeWords, timeWords } from '../../app/composables/time-words.ts';
import { NOW, sampleRows, session } from '../gallery/sessions.ts';

const at = (day: number, hour: number, minute = 0, month = 10, year = 2026): number => new Date(year, month, day, hour, minute).getTime();

describe('times', () => {
  it('are the clock today, the weekday this week, then the date', () => {
    expect(timeWords(at(30, 9, 5), NOW)).toBe('09:05');
    expect(timeWords(at(30, 0, 0), NOW)).toBe('00:00');
    expect(timeWords(at(29, 23, 59), NOW)).toBe('Sun');
    expect(timeWords(at(24, 12), NOW)).toBe('Tue');
    expect(timeWords(at(23, 23, 59), NOW)).toBe('23 Nov');
    expect(timeWords(at(3, 12, 0, 10, 2024), NOW)).toBe('3 November 2024');
    expect(sinceWords(at(30, 14, 2), NOW)).toBe('14:02');
    expect(sinceWords(at(27, 14, 2), NOW)).toBe('Friday 14:02');
    expect(sinceWords(at(3, 9), NOW)).toBe('3 November');
  });
  it('I35: a time ahead of this clock is never called today or a weekday', () => {
    expect(timeWords(at(2, 12, 0, 11), NOW)).toBe('2 Dec');
    expect(daysAgo(at(2, 12, 0, 11), NOW)).toBe(-2);
  });
  it('last so long, and amounts read so', () => {
    expect([0, 48_900, 130_000, 64_000, 3_720_000].map(durationWords)).toEqual(['0 s', '48 s', '2 m 10 s', '1 m 04 s', '1 h 02 m']);
    expect(durationWords(-5)).toBe('0 s');
    expect([plural(1, 'change'), plural(2, 'change'), plural(1240, 'record')]).toEqual(['1 change', '2 changes', '1,240 records']);
    expect([sizeWords(999), sizeWords(1536), sizeWords(41 * 1024 * 1024)]).toEqual(['999 bytes', '1.5 KB', '41 MB']);
  });
});

describe('the link line', () => {
  const said = (kind: LinkView['kind'], more: Partial<LinkView> = {}, memoryOnly = false): string =>
    linkWords({ ...FIRST_VIEW, kind, since: at(30, 14, 2), skew: 0, ...more }, memoryOnly, NOW).words;

  it('says each state in the words of the look', () => {
    expect(said('live')).toBe('Live');
    expect(said('connecting', { tries: 1 })).toBe('Connecting');
    expect(said('connecting', { tries: 3 })).toBe('Connecting, try 3');
    expect(said('catching-up', { left: 1240 })).toBe('Catching up, 1,240 left');
    expect(said('offline', { held: 2, prompts: 2 })).toBe('Offline since 14:02, 2 prompts held');
    expect(said('offline', { held: 1 })).toBe('Offline since 14:02, 1 change held');
    expect(said('offline', { held: 4, prompts: 1 })).toBe('Offline since 14:02, 1 prompt, 3 changes held');
    expect(linkWords({ ...FIRST_VIEW, kind: 'offline', since: at(27, 14, 2), held: 4, prompts: 1 }, false, NOW, true).words).toBe(
      'Offline since Friday 14:02, 4 held',
    );
    expect(said('offline', { since: null, held: 1, prompts: 1 })).toBe('Offline, 1 prompt held');
    expect(said('live', { restartedAt: at(30, 14, 10) })).toBe('Server restarted 14:10');
    expect(said('offline')).toBe('Offline since 14:02');
    expect(said('signed-out', { held: 2 })).toBe('Signed out here');
    expect(said('update-needed')).toBe('Update to keep sending');
    expect(said('live', {}, true)).toBe('Memory only in this window');
  });
  it('tells a link that is down before it tells that nothing is kept', () => {
    expect(said('offline', { held: 1, prompts: 1 }, true)).toBe('Offline since 14:02, 1 prompt held');
  });
  it('is down when a prompt would wait here, not in the first moment of a connection', () => {
    const down = (kind: LinkView['kind'], tries = 0): boolean => isLinkDown({ ...FIRST_VIEW, kind, tries });
    expect([down('offline'), down('signed-out'), down('update-needed'), down('connecting', 2)]).toEqual([true, true, true, true]);
    expect([down('live'), down('catching-up'), down('connecting', 1)]).toEqual([false, false, false]);
  });
});

describe('a row of the list', () => {
  const row = (more: Parameters<typeof session>[4], rest: Partial<SessionRow> = {}): SessionRow =>
    session('A', 'harbour', 0, 'words', more, rest);

  it('law 16: what was last seen running is not shown as running', () => {
    const running = row({ status: 'running', turnId: 't' });
    expect(markOf(running)).toBe('running');
    expect(markOf({ ...running, fresh: false })).toBe('stale');
    expect(lastLine({ ...running, fresh: false }, NOW)).toBe('Last seen running at 14:40');
    expect(groupRows([{ ...running, fresh: false }], 'all', NOW).map((group) => group.key)).toEqual(['today']);
  });
  it('law 16, B35: nor what was last seen waiting for the user or paused: it is dated, and can still be found', () => {
    const waiting = row({ status: 'waiting' });
    expect(markOf({ ...waiting, fresh: false })).toBe('asked');
    expect(lastLine({ ...waiting, fresh: false }, NOW)).toBe('Was waiting for you at 14:40');
    expect(groupRows([{ ...waiting, fresh: false }], 'needs', NOW)).toMatchObject([{ key: 'needs', name: 'Needed you', count: 1 }]);
    expect(groupRows([{ ...waiting, fresh: false }, waiting], 'all', NOW)).toMatchObject([{ key: 'needs', name: 'Needs you', count: 2 }]);
    const paused = row({ status: 'paused', paused: { seq: 1, reason: 'stopped' } });
    expect(lastLine(paused, NOW)).toBe('Paused. You stopped the turn');
    expect(lastLine({ ...paused, fresh: false }, NOW)).toBe('Paused when last seen. You stopped the turn');
  });
  it('has the most pressing of its marks', () => {
    expect(markOf(row({ status: 'waiting' }, { heldInputs: 1, unread: true }))).toBe('waiting');
    expect(markOf(row({ status: 'paused', paused: { seq: 1, reason: 'stopped' } }, { heldInputs: 1 }))).toBe('paused');
    expect(markOf(row({ status: 'paused', paused: { seq: 1, reason: 'failed' } }))).toBe('failed');
    expect(markOf(row({}, { heldHere: true, unread: true }))).toBe('held');
    expect(markOf(row({}, { unread: true }))).toBe('unread');
    expect(markOf(row({}))).toBe('idle');
  });
});

describe('the list', () => {
  it('is grouped by what is pressing, then by day; what waits for the user is never hidden in the archive', () => {
    const rows = [...sampleRows(), session('Old but asking', 'site', 9e9, '', { status: 'waiting', archived: true })];
    const groups = groupRows(rows, 'all', NOW);
    expect(groups.map((group) => [group.key, group.rows.length])).toEqual([
      ['needs', 2],
      ['running', 1],
      ['pinned', 1],
      ['today', 5],
      ['earlier', 2],
      ['archived', 1],
    ]);
  });
  it('keeps the order that it is handed, and each row once', () => {
    const rows = sampleRows();
    const shown = groupRows(rows, 'all', NOW).flatMap((group) => group.rows);
    expect(new Set(shown).size).toBe(rows.length);
    for (const group of groupRows(rows, 'all', NOW)) expect(group.rows).toEqual(rows.filter((row) => group.rows.includes(row)));
  });
  it('is filtered and counted alike', () => {
    const rows = sampleRows();
    const counts = filterCounts(rows);
    expect(groupRows(rows, 'needs', NOW).flatMap((group) => group.rows)).toHaveLength(counts.needs);
    expect(groupRows(rows, 'unread', NOW).flatMap((group) => group.rows)).toHaveLength(counts.unread);
  });
  it('I35: a session from a clock that runs ahead stands under today', () => {
    expect(groupRows([session('Ahead', 'site', -3 * 86_400_000, '')], 'all', NOW)[0]?.key).toBe('today');
  });
  it('finds every word in title or folder, in any case', () => {
    const [row] = sampleRows();
    expect(['csv', 'CSV row', 'harbour drops', 'import  csv'].map((words) => matches(row!, words))).toEqual([true, true, true, true]);
    expect(matches(row!, 'csv ferry')).toBe(false);
  });
});
