/** The window's title. */
import { watchEffect } from 'vue';

export function useTitle(words: () => string): void {
  watchEffect(() => {
    document.title = words();
  });
}
