/** The link's state, notices and what kind of model serves: projections that the engine writes and components read. */
import { defineStore } from 'pinia';
import { ref, shallowRef } from 'vue';
import type { ModelFacts } from '../sync/model-facts.ts';
import { FIRST_VIEW } from '../sync/link-view.ts';
import type { CopyingView, LinkView, Notice } from '../sync/views.ts';

export const useLinkStore = defineStore('link', () => {
  const link = shallowRef<LinkView>(FIRST_VIEW);
  /** IndexedDB is missing or failed for good: nothing is kept in this window. */
  const memoryOnly = ref(false);
  const notices = shallowRef<readonly Notice[]>([]);
  /** What serves the model, from `GET /settings`-time facts; null until known. */
  const model = shallowRef<ModelFacts | null>(null);
  /** The history on its way to this device; null: nothing is left to copy. */
  const copying = shallowRef<CopyingView | null>(null);
  /** A new version of the app waits for the user's word. */
  const updateReady = ref(false);
  function setLink(next: LinkView): void {
    link.value = next;
  }
  function tell(notice: Notice): void {
    notices.value = [...notices.value.filter((other) => other.id !== notice.id), notice];
  }
  function dismiss(id: string): void {
    notices.value = notices.value.filter((notice) => notice.id !== id);
  }
  return { link, memoryOnly, notices, model, copying, updateReady, setLink, tell, dismiss };
});
