/** A media query as a ref, for what CSS alone cannot decide. One listener a query for the whole app: every row asks. */
import { readonly, ref, type Ref } from 'vue';

const known = new Map<string, Readonly<Ref<boolean>>>();

export function useMedia(query: string): Readonly<Ref<boolean>> {
  const found = known.get(query);
  if (found !== undefined) return found;
  const list = window.matchMedia(query);
  const on = ref(list.matches);
  list.addEventListener('change', (event) => {
    on.value = event.matches;
  });
  const shared = readonly(on);
  known.set(query, shared);
  return shared;
}

/** One pane at a time. */
export const NARROW = '(max-width: 719px)';
/** A thumb, not a mouse. */
export const COARSE = '(pointer: coarse)';
