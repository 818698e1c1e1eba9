/** Clocks as refs, for words that age on screen: this device's own for how long something takes here, the server's for its times. */
import { computed, onUnmounted, readonly, ref, type ComputedRef, type Ref } from 'vue';
import { useLinkStore } from '../stores/link.ts';

/** Milliseconds since 1970 by this device, this moment. Differences of it are times that passed here; it says nothing of the server's. */
export function clockNow(): number {
  return Date.now();
}

/** Milliseconds since 1970 by this device, anew every `every` ms while the page is visible. */
export function useNow(every: number): Readonly<Ref<number>> {
  const now = ref(Date.now());
  const tick = (): void => {
    if (document.visibilityState === 'visible') now.value = Date.now();
  };
  const timer = window.setInterval(tick, every);
  document.addEventListener('visibilitychange', tick);
  onUnmounted(() => {
    window.clearInterval(timer);
    document.removeEventListener('visibilitychange', tick);
  });
  return readonly(now);
}

/** The server's time at the moment of asking; null: not known. */
export function useServerClock(): () => number | null {
  const store = useLinkStore();
  return () => (store.link.skew === null ? null : Date.now() + store.link.skew);
}

/** The server's time by what is known of the two clocks, anew every `every` ms; null: not known. Its times are held against this (I35). */
export function useServerNow(every: number): ComputedRef<number | null> {
  const store = useLinkStore();
  const now = useNow(every);
  return computed(() => (store.link.skew === null ? null : now.value + store.link.skew));
}
