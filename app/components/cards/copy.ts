/** A copy button's two states. */
import { onUnmounted, ref, type Ref } from 'vue';
import { copyText } from '../../render/clipboard.ts';

const SHOWN_MS = 1600;

/** `copied` is true for a moment after it worked. */
export function useCopy(): { copied: Readonly<Ref<boolean>>; copy: (text: string) => Promise<void> } {
  const copied = ref(false);
  let timer = 0;
  onUnmounted(() => window.clearTimeout(timer));
  return {
    copied,
    async copy(text) {
      copied.value = await copyText(text);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => (copied.value = false), SHOWN_MS);
    },
  };
}
