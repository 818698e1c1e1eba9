/** A small map that many look into: each change is told to all who asked. */
import { computed } from 'vue';
import { expect, it } from 'vitest';
import { few } from '../../app/composables/few.ts';

it('tells who asked, for what was there and what was not', () => {
  const map = few<string, number>();
  const seen = computed(() => map.get('a') ?? 'nothing');
  const known = computed(() => map.has('b'));
  expect([seen.value, known.value, map.size]).toEqual(['nothing', false, 0]);
  map.set('a', 1);
  map.set('b', 2);
  expect([seen.value, known.value, map.keys()]).toEqual([1, true, ['a', 'b']]);
  map.delete('a');
  expect([seen.value, map.size]).toEqual(['nothing', 1]);
});
