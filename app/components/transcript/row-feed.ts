/** Hands rows to the virtual list in moves that it can follow, one a flush. */
import { nextTick, shallowRef, watch, type Ref } from 'vue';
import { movesTo, type Row } from './rows.ts';

export interface RowFeed {
  readonly rows: Readonly<Ref<readonly Row[]>>;
  /** True only during the flush in which rows came or went at the beginning. */
  readonly shift: Readonly<Ref<boolean>>;
}

export function useRowFeed(source: Readonly<Ref<readonly Row[]>>): RowFeed {
  const rows = shallowRef(source.value);
  const shift = shallowRef(false);
  let busy = false;
  async function follow(): Promise<void> {
    if (busy) return;
    busy = true;
    try {
      // Asked anew after each flush: what changed meanwhile is a move of its own.
      for (let next = movesTo(rows.value, source.value)[0]; next !== undefined; next = movesTo(rows.value, source.value)[0]) {
        shift.value = next.shift;
        rows.value = next.rows;
        await nextTick();
      }
      shift.value = false;
    } finally {
      busy = false;
    }
  }
  watch(source, () => void follow(), { flush: 'sync' });
  return { rows, shift };
}
