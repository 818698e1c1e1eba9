/** Dragging a row of a list by its handle, with any pointer. Only the place is followed; the list itself moves when the server's order does. */
import { onUnmounted, readonly, ref, type Ref } from 'vue';

export interface Reorder {
  /** Row that is dragged, or null. */
  readonly from: Readonly<Ref<number | null>>;
  start(at: number, event: PointerEvent): void;
  /** Where a line shows that the row would land. */
  dropAt(at: number): 'above' | 'below' | undefined;
}

export function useReorder(count: Readonly<Ref<number>>, move: (from: number, to: number) => void): Reorder {
  const from = ref<number | null>(null);
  const to = ref<number | null>(null);
  let rows: HTMLElement[] = [];

  function onMove(event: PointerEvent): void {
    const over = rows.findIndex((row) => event.clientY < row.getBoundingClientRect().bottom);
    to.value = over === -1 ? count.value - 1 : over;
  }
  function stop(): void {
    window.removeEventListener('pointermove', onMove);
    window.removeEventListener('pointerup', onUp);
    window.removeEventListener('pointercancel', stop);
    from.value = null;
    to.value = null;
  }
  function onUp(): void {
    if (from.value !== null && to.value !== null && from.value !== to.value) move(from.value, to.value);
    stop();
  }
  function start(at: number, event: PointerEvent): void {
    if (event.button !== 0) return;
    const list = (event.currentTarget as HTMLElement).closest('ol');
    rows = [...(list?.children ?? [])] as HTMLElement[];
    from.value = at;
    to.value = at;
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    window.addEventListener('pointercancel', stop);
  }
  function dropAt(at: number): 'above' | 'below' | undefined {
    if (from.value === null || to.value !== at || from.value === at) return undefined;
    return at < from.value ? 'above' : 'below';
  }
  onUnmounted(stop);
  return { from: readonly(from), start, dropAt };
}
