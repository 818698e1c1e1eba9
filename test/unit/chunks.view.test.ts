import { expect, test } from 'vitest';
import { emptyFold, fold } from '#shared/chunks/fold.ts';
import { viewOf } from '#shared/chunks/view.ts';

const place = { turnId: 't', step: 0 };

test('a delta gives a new view of the open chunk only: the others are the same objects', () => {
  const before = fold(emptyFold({ ...place, attempt: 0, phase: 'message' }), [
    { ...place, type: 'thinking-delta', i: 0, text: 'a' },
    { ...place, type: 'thinking-end', i: 0 },
    { ...place, type: 'text-delta', i: 1, text: 'b' },
  ]);
  const after = fold(before, [{ ...place, type: 'text-delta', i: 1, text: 'c' }]);
  const [first, second] = viewOf(before, () => false);
  const [same, grown] = viewOf(after, () => false);
  expect(same).toBe(first);
  expect(grown).not.toBe(second);
  expect(grown!.data).toEqual({ text: 'bc' });
});
