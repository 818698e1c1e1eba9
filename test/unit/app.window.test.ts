/** The window and the pages: bounded, unbroken, and what they hold is the log. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import { byPage, merge, runOf } from '../../app/mirror/pages.ts';
import {
  append,
  dropNewest,
  dropOldest,
  emptyWindow,
  extend,
  newestOf,
  oldestOf,
  prepend,
  windowOf,
  type Window,
} from '../../app/sync/window.ts';
import { eventRecord, recordsTo, textChunk, usageChunk } from '../support/device/records.ts';

/** A log of chunks, events and usage. */
const LOG: LogRecord[] = Array.from({ length: 200 }, (_, at) => {
  const seq = at + 1;
  return seq % 7 === 0 ? eventRecord('s', seq, 'resumed', {}) : seq % 5 === 0 ? usageChunk('s', seq) : textChunk('s', seq);
});
const shown = (from: number, to: number): number[] =>
  LOG.filter(({ kind, type, seq }) => kind === 'chunk' && type !== 'usage' && seq >= from && seq <= to).map(({ seq }) => seq);
const seqs = (window: Window): number[] => window.chunks.map(({ seq }) => seq);
const cut = (from: number, to: number) => ({ records: LOG.slice(from - 1, to), from, to });

test('usage and events are never in it, and it reaches over them', () => {
  const window = windowOf(cut(1, 15), 100);
  expect(seqs(window)).toEqual(shown(1, 15));
  expect(window).toMatchObject({ from: 1, to: 15 });
});
test('records that do not join it change nothing', () => {
  const window = windowOf(cut(1, 20), 100);
  expect(append(window, LOG.slice(25, 30), 100, true)).toBe(window);
  expect(append(window, LOG.slice(10, 20), 100, true)).toBe(window);
  expect(prepend(windowOf(cut(50, 60), 100), cut(20, 40), 100).from).toBe(50);
  expect(extend(window, cut(30, 40), 100)).toBe(window);
});
test('at the tail the oldest give way; scrolled up nothing that is held does', () => {
  const window = windowOf(cut(1, 20), 10);
  expect(seqs(append(window, LOG.slice(20, 30), 10, true)).at(-1)).toBe(29);
  const reading = append(window, LOG.slice(20, 30), 10, false);
  expect(seqs(reading)).toEqual(seqs(window));
  // 21 is an event: the window reaches over it, up to the chunk that has no room.
  expect(reading.to).toBe(21);
});
test('a page is cut at whole chunks, and says how far it reaches', () => {
  expect(newestOf(cut(1, 20), 3)).toMatchObject({ from: 17, to: 20 });
  expect(oldestOf(cut(1, 20), 3)).toMatchObject({ from: 1, to: 3 });
});

test('any walk over the log: bounded, unbroken, equal to the log between its ends', () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('append' as const), count: fc.nat(30), atTail: fc.boolean() }),
    fc.record({ type: fc.constant('prepend' as const), count: fc.nat(40) }),
    fc.record({ type: fc.constant('extend' as const), count: fc.nat(40) }),
    fc.record({ type: fc.constant('drop' as const), count: fc.nat(20) }),
  );
  fc.assert(
    fc.property(fc.nat(150), fc.integer({ min: 1, max: 30 }), fc.array(step, { maxLength: 40 }), (start, limit, steps) => {
      let window = emptyWindow(start);
      for (const each of steps) {
        if (each.type === 'append') window = append(window, LOG.slice(window.to, window.to + each.count), limit, each.atTail);
        if (each.type === 'prepend') window = prepend(window, cut(Math.max(1, window.from - each.count), window.from - 1), limit);
        if (each.type === 'extend') window = extend(window, cut(window.to + 1, Math.min(200, window.to + each.count)), limit);
        if (each.type === 'drop') window = dropNewest(dropOldest(window, limit - 1), limit - 2);
        expect(window.chunks.length).toBeLessThanOrEqual(limit);
        expect(seqs(window)).toEqual(shown(window.from, window.to));
      }
    }),
  );
});

describe('pages', () => {
  test('any two runs of a page merge to one unbroken run, and coverage never shrinks', () => {
    const log = recordsTo('s', 100);
    const run = fc
      .tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 60 }))
      .map(([from, more]) => runOf(log.slice(from - 1, Math.min(100, from + more)))!);
    fc.assert(
      fc.property(run, run, fc.boolean(), (held, incoming, toCursor) => {
        const merged = merge(held, incoming, toCursor);
        expect(merged.records.map(({ seq }) => seq)).toEqual(log.slice(merged.from - 1, merged.to).map(({ seq }) => seq));
        const apart = incoming.from > held.to + 1 || incoming.to < held.from - 1;
        const both = { from: Math.min(held.from, incoming.from), to: Math.max(held.to, incoming.to) };
        const { from, to } = apart ? (toCursor ? incoming : held) : both;
        expect([merged.from, merged.to]).toEqual([from, to]);
      }),
    );
  });
  test('records are cut at page edges', () => {
    expect([...byPage(recordsTo('s', 250).slice(50))].map(([page, { from, to }]) => [page, from, to])).toEqual([
      [0, 51, 100],
      [1, 101, 200],
      [2, 201, 250],
    ]);
  });
});
