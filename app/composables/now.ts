/** This device's clock as a ref, for words that age on screen. */
import { onUnmounted, readonly, ref, type Ref } from 'vue';

/** Milliseconds since 1970, this moment. */
export function clockNow(): number {
  return Date.now();
}

/** Milliseconds since 1970, anew every `every` ms while the page is visible. */
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
