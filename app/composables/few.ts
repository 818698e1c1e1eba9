/**
 * A reactive map of few entries that many ask. A `reactive` Map keeps something for every key that was ever looked up: each card
 * that passed through the view would leave its own behind. Here a change is told to all who asked, and a look leaves nothing.
 */
import { shallowRef, triggerRef } from 'vue';

export interface Few<K, V> {
  readonly size: number;
  get(key: K): V | undefined;
  has(key: K): boolean;
  set(key: K, value: V): void;
  delete(key: K): void;
  /** In order of their setting. */
  keys(): K[];
}

export function few<K, V>(): Few<K, V> {
  const map = shallowRef(new Map<K, V>());
  return {
    get size() {
      return map.value.size;
    },
    get: (key) => map.value.get(key),
    has: (key) => map.value.has(key),
    set(key, value) {
      map.value.set(key, value);
      triggerRef(map);
    },
    delete(key) {
      if (map.value.delete(key)) triggerRef(map);
    },
    keys: () => [...map.value.keys()],
  };
}
