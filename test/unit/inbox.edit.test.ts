import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideCancel, decideEdit } from '../../server/inbox/edit.ts';
import type { EditFacts } from '../../server/store/decisions.ts';

const content = [{ type: 'text' as const, text: 'words' }];
function facts(more: Partial<EditFacts> = {}): EditFacts {
  return {
    edit: {},
    baseRev: null,
    input: { id: 'b', state: 'pending', delivery: 'queue', rev: 3, content, held: false },
    queued: [
      { id: 'a', rank: 2 },
      { id: 'b', rank: 5 },
      { id: 'c', rank: 9 },
    ],
    afterState: null,
    session: { head: 10, turnId: 't', pausedSeq: null },
    ...more,
  };
}

test('an edit that says what is there already is the same, also when it is stale', () => {
  expect(decideEdit(facts({ edit: { content: [{ text: 'words', type: 'text' }], delivery: 'queue' }, baseRev: 1 }))).toEqual({
    kind: 'same',
  });
  expect(decideEdit(facts({ edit: { after: 'a' }, baseRev: 1, afterState: 'pending' }))).toEqual({ kind: 'same' });
});

test('a conversion to steer wakes unless paused, and lets go of what was held; a conversion to queue goes last', () => {
  const held = { ...facts().input, held: true };
  const steer = decideEdit(facts({ edit: { delivery: 'steer' }, input: held }));
  expect(steer).toEqual({ kind: 'edit', content, delivery: 'steer', held: false, ranks: [], wake: true });
  expect(decideEdit(facts({ edit: { delivery: 'steer' }, session: { head: 10, turnId: null, pausedSeq: 4 } }))).toMatchObject({
    wake: false,
  });
  const input = { ...facts().input, id: 's', delivery: 'steer' as const };
  expect(decideEdit(facts({ edit: { delivery: 'queue' }, input }))).toMatchObject({ ranks: [{ id: 's', rank: 10 }], wake: false });
  expect(decideEdit(facts({ edit: { delivery: 'queue', after: null }, input }))).toMatchObject({
    ranks: [
      { id: 's', rank: 2 },
      { id: 'a', rank: 5 },
      { id: 'b', rank: 9 },
      { id: 'c', rank: 10 },
    ],
  });
});

test('an edit of words alone changes no rank, wakes nothing and holds what was held', () => {
  const next = [{ type: 'text' as const, text: 'other' }];
  const held = { ...facts().input, held: true };
  expect(decideEdit(facts({ edit: { content: next }, input: held, baseRev: 3 }))).toEqual({
    kind: 'edit',
    content: next,
    delivery: 'queue',
    held: true,
    ranks: [],
    wake: false,
  });
});

test('what is over cannot be edited, and says how it ended', () => {
  const ended = (state: 'promoted' | 'cancelled') => decideEdit(facts({ edit: { after: null }, input: { ...facts().input, state } }));
  expect(ended('promoted')).toMatchObject({ kind: 'refuse', code: 'already-promoted' });
  expect(ended('cancelled')).toMatchObject({ kind: 'refuse', code: 'gone' });
});

test('moves hand out the same ranks anew: the order is as asked, the others keep theirs, no rank is new or twice', () => {
  const queues = fc
    .uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 1, maxLength: 12 })
    .map((ranks) => ranks.sort((a, b) => a - b).map((rank, at) => ({ id: `i${at}`, rank })));
  const moves = queues.chain((queued) =>
    fc.record({
      queued: fc.constant(queued),
      id: fc.constantFrom(...queued.map((one) => one.id)),
      after: fc.constantFrom(null, ...queued.map((one) => one.id)),
    }),
  );
  fc.assert(
    fc.property(moves, ({ queued, id, after }) => {
      fc.pre(after !== id);
      const decision = decideEdit(facts({ edit: { after }, queued, input: { ...facts().input, id }, afterState: 'pending' }));
      const moved = new Map(decision.kind === 'edit' ? decision.ranks.map((one) => [one.id, one.rank]) : []);
      const next = queued.map((one) => ({ id: one.id, rank: moved.get(one.id) ?? one.rank })).sort((a, b) => a.rank - b.rank);
      const others = queued.map((one) => one.id).filter((one) => one !== id);
      const at = after === null ? 0 : others.indexOf(after) + 1;
      expect(next.map((one) => one.id)).toEqual(others.toSpliced(at, 0, id));
      expect(next.map((one) => one.rank)).toEqual(queued.map((one) => one.rank));
      for (const [changed, rank] of moved) expect(queued.find((one) => one.id === changed)?.rank).not.toBe(rank);
    }),
  );
});

test('a cancel follows the state: pending is cancelled, cancelled stays, promoted is too late, never seen leaves a tombstone', () => {
  expect(decideCancel('pending')).toEqual({ kind: 'cancel' });
  expect(decideCancel('cancelled')).toEqual({ kind: 'same' });
  expect(decideCancel('promoted')).toMatchObject({ kind: 'refuse', code: 'already-promoted' });
  expect(decideCancel(null)).toEqual({ kind: 'tombstone' });
});
