/** What the link line is told, and by which clock: only what the server said, when it said it (law 16, I35). */
import { describe, expect, test } from 'vitest';
import type { Timers } from '#shared/ports.ts';
import { turnDays } from '../../app/components/turns/turn-days.ts';
import { retryWhen } from '../../app/composables/announcements.ts';
import { groupRows } from '../../app/composables/list-groups.ts';
import { sinceWords, timeWords } from '../../app/composables/time-words.ts';
import { memoryOwn } from '../../app/own/memory.ts';
import { newRow } from '../../app/own/rows.ts';
import { writtenAt } from '../../app/sync/age.ts';
import { ClockWatch } from '../../app/sync/clock-watch.ts';
import { LinkShown } from '../../app/sync/link-shown.ts';
import { sessionRows } from '../../app/sync/session-rows.ts';
import { OFF, type LinkState } from '../../app/sync/state.ts';
import type { LinkView, Notice } from '../../app/sync/views.ts';
import { NOW, session } from '../gallery/sessions.ts';

const HOUR = 3_600_000;
const UP: LinkState = { ...OFF, phase: 'up' };
const DOWN: LinkState = { ...OFF, phase: 'waiting', offline: true };

/** One device: its clock is `ahead` of the true time, which is the server's. `own` outlives its runs. */
function device(ahead: number, own = memoryOwn()) {
  const world = { time: NOW, ahead };
  const clock = { now: () => world.time + world.ahead };
  const due: (() => void)[] = [];
  const timers: Timers = { after: (_ms, callback) => (due.push(callback), () => void due.splice(due.indexOf(callback), 1)) };
  const watch = new ClockWatch(clock, own);
  const notices: Notice[] = [];
  let link = OFF;
  let synced = true;
  let runs = false;
  const shown = new LinkShown({
    clock,
    timers,
    own,
    clockWatch: watch,
    runs: () => runs,
    notice: (notice) => void notices.push(notice),
    facts: () => ({ link, synced, replica: null, rows: [] }),
    show: () => undefined,
  });
  return {
    world,
    own,
    notices,
    due,
    shown,
    watch,
    load: async () => (await watch.load(), await shown.load()),
    runs: (now: boolean) => (runs = now),
    /** An answer by HTTP, which tells the server's time. */
    answer: () => watch.heard(world.time - clock.now()),
    at(next: LinkState, isSynced = true): LinkView {
      link = next;
      synced = isSynced;
      shown.publish();
      return shown.view;
    },
  };
}

describe('offline since', () => {
  test.each([
    ['right', 0],
    ['7 h ahead', 7 * HOUR],
    ['2 days behind', -48 * HOUR],
  ])('I35: is when the server last spoke, not when that was noticed, by the server’s clock: the device’s is %s', (_how, ahead) => {
    const tab = device(ahead);
    tab.answer();
    tab.shown.heard();
    expect(tab.at(UP)).toMatchObject({ kind: 'live', since: null, skew: 0 - ahead });
    tab.world.time += 25_000;
    tab.shown.down();
    expect(tab.at(DOWN)).toMatchObject({ kind: 'offline', since: NOW });
  });
  test('survives a reload without a link', async () => {
    const tab = device(7 * HOUR);
    tab.answer();
    tab.shown.heard();
    tab.world.time += 5_000;
    tab.shown.heard();
    tab.shown.note();
    const later = device(7 * HOUR, tab.own);
    later.world.time += 3 * HOUR;
    await later.load();
    expect(later.at(DOWN)).toMatchObject({ kind: 'offline', since: NOW + 5_000, skew: -7 * HOUR });
  });
  test('is not told where the server never spoke, nor by a clock that nothing is known of', () => {
    const tab = device(7 * HOUR);
    expect(tab.at(DOWN)).toMatchObject({ kind: 'offline', since: null, skew: null });
    tab.shown.heard();
    expect(tab.at(DOWN)).toMatchObject({ since: null });
  });
});

describe('how the clocks stand', () => {
  test('I35: as heard last, also after a reload, until this clock runs back: then nothing is known before the next answer', async () => {
    const tab = device(7 * HOUR);
    tab.answer();
    tab.watch.note();
    const later = device(7 * HOUR, tab.own);
    later.world.time += HOUR;
    await later.load();
    expect(later.watch.known()).toBe(-7 * HOUR);
    // The user sets the clock right.
    later.world.ahead = 0;
    expect(later.watch.known()).toBeNull();
    later.answer();
    expect(later.watch.known()).toBe(0);
    later.world.ahead = -2 * HOUR;
    expect(later.watch.known(), 'while it runs').toBeNull();
  });
});

test('I35: a welcome tells the server’s time by itself, so that no question is needed for it', () => {
  const tab = device(7 * HOUR);
  tab.shown.welcome({ now: NOW });
  expect(tab.at(UP).skew).toBe(-7 * HOUR);
});

test('a server that is older than this app is told, once for each time it is met', () => {
  const tab = device(0);
  const old: LinkState = { ...OFF, phase: 'server-old' };
  expect(tab.at(old).kind).toBe('server-old');
  tab.shown.publish();
  expect(tab.notices.map(({ id }) => id)).toEqual(['server-old']);
});

describe('a socket that is open', () => {
  test('B1, B35: is not called live after a long silence while it is being asked; and is again at the first word', () => {
    const tab = device(0);
    tab.shown.heard();
    expect(tab.at(UP).kind).toBe('live');
    tab.world.time += 3 * HOUR;
    expect(tab.at({ ...UP, probing: true })).toMatchObject({ kind: 'connecting', tries: 0 });
    tab.shown.heard();
    expect(tab.at(UP).kind).toBe('live');
    tab.world.time += 20_000;
    expect(tab.at({ ...UP, probing: true }).kind, 'the usual question makes no doubt').toBe('live');
  });
});

describe('a restart of the server', () => {
  const boot = (id: string, at: number) => ({ id, at });
  test('is named for a while with the server’s own time, and explained once if something ran', () => {
    const tab = device(7 * HOUR);
    tab.shown.welcome({ boot: boot('a', NOW - HOUR) });
    expect(tab.at(UP).restartedAt).toBeNull();
    tab.runs(true);
    tab.shown.down();
    tab.shown.welcome({ boot: boot('b', NOW + 1_000) });
    expect(tab.at(UP).restartedAt).toBe(NOW + 1_000);
    expect(tab.notices.map(({ id }) => id)).toEqual(['restarted']);
    tab.runs(false);
    tab.shown.down();
    tab.shown.welcome({ boot: boot('b', NOW + 1_000) });
    for (const callback of tab.due) callback();
    expect(tab.shown.view.restartedAt).toBeNull();
    expect(tab.notices).toHaveLength(1);
  });
  test('that cut nothing off is not explained; a server that says nothing of it has not restarted', () => {
    const tab = device(0);
    tab.shown.welcome({ boot: boot('a', NOW) });
    tab.shown.welcome({});
    tab.shown.welcome({ boot: boot('c', NOW) });
    expect(tab.at(UP).restartedAt).toBeNull();
    tab.shown.welcome({ boot: boot('d', NOW) });
    expect(tab.at(UP).restartedAt).toBe(NOW);
    expect(tab.notices).toEqual([]);
  });
});

describe('I35: where the time is not known', () => {
  test('nothing is called today, a weekday or old, and nothing is counted down', () => {
    expect(timeWords(NOW - 60_000, null)).toBe('30 November 2026');
    expect(sinceWords(NOW - 60_000, null)).toBe('30 November 2026');
    expect(retryWhen(NOW + 20_000, null)).toBe('Tries again soon');
    expect(groupRows([session('One', 'site', 0, ''), session('Two', 'site', 9 * 24 * HOUR, '')], 'all', null)).toMatchObject([
      { name: 'Sessions' },
    ]);
    expect(turnDays([{ turnId: 't', seq: 1, createdAt: NOW, words: '' }], null)).toMatchObject([{ name: '30 November 2026' }]);
  });
});

test('B7, law 16: a session that is known by words left over only is called gone, and one that waits for a sign-in is not', () => {
  const row = newRow(
    { id: 'i', sessionId: 's', command: { kind: 'input', content: [], delivery: 'queue', seenSeq: 0 }, composedAt: NOW, skew: 0 },
    1,
  );
  const goneOf = (more: Partial<typeof row>) =>
    sessionRows({ sessions: [], rows: [{ ...row, ...more }], openId: null, fresh: true }).get('s')?.gone;
  expect(goneOf({ state: 'orphaned', code: 'session-deleted' })).toBe(true);
  expect(goneOf({ state: 'refused', code: 'not-found' })).toBe(true);
  expect(goneOf({ state: 'held' })).toBe(false);
});

test('I35: what was written here stands among the sessions of the server by the server’s time', () => {
  const row = newRow(
    { id: 'i', sessionId: 's', command: { kind: 'create', body: { workspace: '/w' } }, composedAt: NOW - 48 * HOUR, skew: 48 * HOUR },
    1,
  );
  expect(writtenAt(row)).toBe(NOW);
  const shown = sessionRows({ sessions: [], rows: [row], openId: null, fresh: false }).get('s');
  expect(shown?.summary).toMatchObject({ createdAt: NOW, updatedAt: NOW });
});
