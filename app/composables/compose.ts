/** Puts words into the composer of the open session, for whatever offers "Write again": receipts, the queue, toasts. */
import { inject, provide, type InjectionKey } from 'vue';

export type Compose = (words: string) => void;
const KEY: InjectionKey<Compose> = Symbol('compose');

export function provideCompose(compose: Compose): void {
  provide(KEY, compose);
}
/** Adds behind what is in the box already: nothing that is being written is lost. */
export function useCompose(): Compose {
  const compose = inject(KEY);
  if (compose === undefined) throw new Error('compose is provided by the session view');
  return compose;
}
