/** What is read out, in order: each line once, also when two come at the same moment. */
import { inject, provide, readonly, shallowRef, type InjectionKey, type Ref } from 'vue';

export interface Line {
  readonly id: number;
  readonly words: string;
}
export interface Spoken {
  /** The newest lines. A reader hears what is added. */
  readonly lines: Readonly<Ref<readonly Line[]>>;
  say(words: string): void;
}
const KEY: InjectionKey<Spoken> = Symbol('spoken');
/** Lines that stay for a reader that is behind. */
const KEPT = 6;

/** Called once, at the root. */
export function provideSpoken(): Spoken {
  const lines = shallowRef<readonly Line[]>([]);
  let last = 0;
  const spoken: Spoken = {
    lines: readonly(lines) as Readonly<Ref<readonly Line[]>>,
    say: (words) => void (lines.value = [...lines.value, { id: ++last, words }].slice(-KEPT)),
  };
  provide(KEY, spoken);
  return spoken;
}
export function useSpoken(): Spoken {
  const spoken = inject(KEY);
  if (spoken === undefined) throw new Error('what is spoken is provided by App.vue');
  return spoken;
}
