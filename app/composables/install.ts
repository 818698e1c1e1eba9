/** Installing: Chromium offers it by an event that must be caught early; iOS has no event and gets words. */
import { inject, onUnmounted, provide, readonly, ref, type InjectionKey, type Ref } from 'vue';
import { useSurroundings } from './surroundings.ts';

/** Not in TypeScript's own library: https://wicg.github.io/manifest-incubations/#beforeinstallpromptevent-interface */
interface InstallEvent extends Event {
  prompt(): Promise<{ outcome: 'accepted' | 'dismissed' }>;
}
export interface Install {
  /** `offer`: a button can install now. `ios`: through the share sheet. `done`: runs as an app. `none`: this browser does not say. */
  readonly state: Readonly<Ref<'offer' | 'ios' | 'done' | 'none'>>;
  install(): Promise<void>;
}

const KEY: InjectionKey<Install> = Symbol('install');

export function provideInstall(): Install {
  let offered: InstallEvent | null = null;
  const { standalone, system } = useSurroundings();
  const state = ref<'offer' | 'ios' | 'done' | 'none'>(standalone ? 'done' : system === 'ios' ? 'ios' : 'none');
  const onOffer = (event: Event): void => {
    event.preventDefault();
    offered = event as InstallEvent;
    state.value = 'offer';
  };
  const onDone = (): void => {
    offered = null;
    state.value = 'done';
  };
  window.addEventListener('beforeinstallprompt', onOffer);
  window.addEventListener('appinstalled', onDone);
  onUnmounted(() => {
    window.removeEventListener('beforeinstallprompt', onOffer);
    window.removeEventListener('appinstalled', onDone);
  });
  async function install(): Promise<void> {
    const event = offered;
    if (event === null) return;
    // The event can be used once.
    offered = null;
    const { outcome } = await event.prompt();
    state.value = outcome === 'accepted' ? 'done' : 'none';
  }
  const made: Install = { state: readonly(state), install };
  provide(KEY, made);
  return made;
}

export function useInstall(): Install {
  const install = inject(KEY);
  if (install === undefined) throw new Error('install is provided by App.vue');
  return install;
}
