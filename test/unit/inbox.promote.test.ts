import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalJson } from '../../server/inbox/canonical.ts';
import { payloadHash } from '../../server/inbox/payload-hash.ts';
import { choosePromotions } from '../../server/inbox/promote.ts';
import type { Waiting } from '../../server/store/decisions.ts';

const waitings: fc.Arbitrary<Waiting[]> = fc
  .array(fc.record({ delivery: fc.constantFrom('steer' as const, 'queue' as const), order: fc.nat(50), held: fc.boolean() }), {
    maxLength: 12,
  })
  .map((rows) => rows.map(({ order, ...row }, at) => ({ ...row, id: `i${at}`, seq: at + 1, rank: order * 100 + at })))
  .chain((rows) => fc.shuffledSubarray(rows, { minLength: rows.length }));
const one = (id: string, delivery: 'steer' | 'queue', rank: number, held = false): Waiting => ({ id, seq: rank, delivery, rank, held });

test('steers go first, all of them in admission order; a queued input only opens a turn, one at a time, lowest rank first', () => {
  fc.assert(
    fc.property(waitings, fc.boolean(), (waiting, armed) => {
      const steers = waiting.filter((row) => row.delivery === 'steer').sort((a, b) => a.seq - b.seq);
      const boundary = choosePromotions({ at: 'boundary', paused: false, armed, waiting });
      expect(boundary).toEqual({ inputs: steers.map((row) => row.id), goesOn: false });

      const idle = choosePromotions({ at: 'idle', paused: false, armed, waiting });
      const queued = waiting.filter((row) => row.delivery === 'queue').sort((a, b) => a.rank - b.rank);
      const next = steers.length > 0 ? steers : queued.slice(0, 1);
      const opens = armed || waiting.some((row) => !row.held);
      expect(idle).toEqual({ inputs: opens ? next.map((row) => row.id) : [], goesOn: armed && waiting.length === 0 });
    }),
  );
});

test('a paused session promotes nothing, nowhere', () => {
  fc.assert(
    fc.property(waitings, fc.boolean(), fc.constantFrom('idle' as const, 'boundary' as const), (waiting, armed, at) => {
      expect(choosePromotions({ at, paused: true, armed, waiting })).toEqual({ inputs: [], goesOn: false });
    }),
  );
});

test('what is held opens nothing by itself, and goes in its order with what does', () => {
  const idle = (waiting: Waiting[], armed = false) => choosePromotions({ at: 'idle', paused: false, armed, waiting });
  expect(idle([one('a', 'steer', 1, true), one('b', 'queue', 2, true)])).toEqual({ inputs: [], goesOn: false });
  expect(idle([one('a', 'steer', 1, true), one('b', 'steer', 2)]).inputs).toEqual(['a', 'b']);
  expect(idle([one('a', 'queue', 1, true), one('b', 'queue', 2)]).inputs).toEqual(['a']);
});

test('a payload has one hash, whatever the order its keys were written in; every part of it counts', () => {
  const text = [{ type: 'text' as const, text: 'a' }];
  const hash = payloadHash('s', text, 'steer');
  expect(hash).toMatch(/^[0-9a-f]{64}$/);
  expect(payloadHash('s', [{ text: 'a', type: 'text' }], 'steer')).toBe(hash);
  const others = [
    payloadHash('t', text, 'steer'),
    payloadHash('s', text, 'queue'),
    payloadHash('s', [...text, ...text], 'steer'),
    payloadHash('s', [{ type: 'text', text: 'b' }], 'steer'),
    payloadHash('s', [{ type: 'attachment', sha256: 'a', name: 'a', mime: 'a' }], 'steer'),
  ];
  expect(new Set([hash, ...others]).size).toBe(others.length + 1);
});

test('canonical JSON says the same of equal values and reads back as the value', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const backwards = JSON.parse(JSON.stringify(value), (_, held: unknown) =>
        typeof held === 'object' && held !== null && !Array.isArray(held) ? Object.fromEntries(Object.entries(held).toReversed()) : held,
      ) as unknown;
      expect(canonicalJson(backwards)).toBe(canonicalJson(value));
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
