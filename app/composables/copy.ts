/** Copying words, also where a page has no clipboard of its own (plain HTTP on a LAN address). */
import { onUnmounted, ref, type Ref } from 'vue';

const SHOWN_MS = 1600;

/** `copied` is true for a moment after it worked. */
export function useCopy(): { copied: Readonly<Ref<boolean>>; copy: (text: string) => Promise<void> } {
  const copied = ref(false);
  let timer = 0;
  onUnmounted(() => window.clearTimeout(timer));
  return {
    copied,
    async copy(text) {
      copied.value = await writeText(text);
      window.clearTimeout(timer);
      timer = window.setTimeout(() => (copied.value = false), SHOWN_MS);
    },
  };
}

/** True: the words are in the clipboard. */
export async function writeText(text: string): Promise<boolean> {
  if (window.isSecureContext) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch (error) {
      console.info('the clipboard was refused; trying the old way', error);
    }
  }
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr';
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  // The only way left without a secure context; deprecated, and supported everywhere.
  const worked = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return worked;
}
