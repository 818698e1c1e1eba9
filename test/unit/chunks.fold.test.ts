import { expect, test } from 'vitest';
import { emptyFold, fold } from '#shared/chunks/fold.ts';

test('deltas of one place coalesce and adjacent thinking blocks stay apart', () => {
  const at = { turnId: 't', step: 0 };
  const state = fold(emptyFold({ turnId: 't', step: 0, attempt: 0, phase: 'message' }), [
    { ...at, type: 'step-start', attempt: 0, source: 's' },
    { ...at, type: 'thinking-delta', i: 0, text: 'a' },
    { ...at, type: 'thinking-end', i: 0, signature: 'x' },
    { ...at, type: 'thinking-delta', i: 1, text: 'b' },
    { ...at, type: 'thinking-delta', i: 1, text: 'c' },
  ]);
  expect(state.chunks.map((chunk) => [chunk.id, chunk.data, chunk.open])).toEqual([
    ['t.0.m.0', { text: 'a', signature: 'x', source: 's' }, false],
    ['t.0.m.1', { text: 'bc' }, true],
  ]);
});
