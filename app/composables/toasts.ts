/** Short words about what was done, gone by themselves. What must be acted on is a banner or a receipt, never a toast. */
import { inject, provide, readonly, shallowRef, type InjectionKey, type Ref } from 'vue';

export interface Toast {
  id: number;
  words: string;
  act?: { name: string; run: () => void };
}
export interface Toasts {
  readonly list: Readonly<Ref<readonly Toast[]>>;
  /** Shows words for a while; with an action, somewhat longer. */
  say(words: string, act?: Toast['act']): void;
  drop(id: number): void;
}

const KEY: InjectionKey<Toasts> = Symbol('toasts');
const SHOWN_MS = 4000;
const SHOWN_WITH_ACT_MS = 8000;
const MOST = 3;

/** Called once, at the root. */
export function provideToasts(): Toasts {
  const list = shallowRef<readonly Toast[]>([]);
  let last = 0;
  function drop(id: number): void {
    list.value = list.value.filter((toast) => toast.id !== id);
  }
  function say(words: string, act?: Toast['act']): void {
    const id = ++last;
    list.value = [...list.value, act === undefined ? { id, words } : { id, words, act }].slice(-MOST);
    window.setTimeout(() => drop(id), act === undefined ? SHOWN_MS : SHOWN_WITH_ACT_MS);
  }
  const toasts: Toasts = { list: readonly(list) as Readonly<Ref<readonly Toast[]>>, say, drop };
  provide(KEY, toasts);
  return toasts;
}

export function useToasts(): Toasts {
  const toasts = inject(KEY);
  if (toasts === undefined) throw new Error('toasts are provided by App.vue');
  return toasts;
}
