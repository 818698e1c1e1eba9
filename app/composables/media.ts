/** A media query as a ref, for what CSS alone cannot decide. */
import { onUnmounted, readonly, ref, type Ref } from 'vue';

export function useMedia(query: string): Readonly<Ref<boolean>> {
  const list = window.matchMedia(query);
  const on = ref(list.matches);
  const follow = (event: MediaQueryListEvent): void => {
    on.value = event.matches;
  };
  list.addEventListener('change', follow);
  onUnmounted(() => list.removeEventListener('change', follow));
  return readonly(on);
}

/** One pane at a time. */
export const NARROW = '(max-width: 719px)';
/** A thumb, not a mouse. */
export const COARSE = '(pointer: coarse)';
