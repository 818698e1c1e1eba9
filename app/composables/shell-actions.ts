/** What the whole window can do, for the few components deep inside that offer it. */
import { inject, provide, type InjectionKey } from 'vue';

export interface ShellActions {
  /** Asks for the token again, over what is being read. */
  signIn(): void;
  /** Lets a waiting version in, or reloads. */
  reload(): void;
}
const KEY: InjectionKey<ShellActions> = Symbol('shell actions');

export function provideShellActions(actions: ShellActions): void {
  provide(KEY, actions);
}
export function useShellActions(): ShellActions {
  const actions = inject(KEY);
  if (actions === undefined) throw new Error('shell actions are provided by App.vue');
  return actions;
}
