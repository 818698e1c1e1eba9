/** Brings the chunk that the reader asked to see into view, marks it for a moment, and hands it the focus. */
import { onMounted, onUnmounted, watch, type Ref } from 'vue';
import { useTranscriptStore } from '../../stores/transcript.ts';
import type { Target } from '../../sync/views.ts';
import type { Row } from './rows.ts';
import type { VirtualList } from './virtual-list.ts';

export interface TargetParts {
  readonly list: VirtualList;
  readonly rows: Readonly<Ref<readonly Row[]>>;
  readonly following: Ref<boolean>;
}

/** Where it stands in the view, as a part of its height from above. */
const AT = 0.2;
/** As long as the mark's fading takes (log.css). */
const MARK_MS = 2700;

export function useTarget({ list, rows, following }: TargetParts): void {
  const store = useTranscriptStore();
  let mounted = false;
  let shown = 0;
  let timer = 0;
  let marked: HTMLElement | null = null;

  /** The row that holds a chunk, or the next one that is shown; and in it the item. */
  function find(target: Target): { key: string; item: string } | null {
    const here = new Set(rows.value.map((row) => row.key));
    for (const group of store.groups) {
      if (!here.has(group.key)) continue;
      for (const { key, chunk, result } of group.items) {
        const isIt = chunk.id === target.chunkId || result?.id === target.chunkId;
        if (isIt || (chunk.seq !== undefined && chunk.seq > target.seq)) return { key: group.key, item: key };
      }
    }
    return null;
  }
  async function look(): Promise<void> {
    const { target } = store;
    if (target === null || target.nonce === shown || !mounted) return;
    const found = find(target);
    // Its chunks are not here yet: told again with them.
    if (found === null) return;
    shown = target.nonce;
    following.value = false;
    const within = (row: HTMLElement): HTMLElement =>
      row.querySelector<HTMLElement>(`[data-chunk="${CSS.escape(found.item)}"]`) ?? (row.firstElementChild as HTMLElement | null) ?? row;
    await list.pin({ key: found.key, at: AT, within });
    const row = list.element(found.key);
    if (row !== null && shown === target.nonce) mark(within(row));
  }
  function mark(element: HTMLElement): void {
    unmark();
    marked = element;
    element.dataset['target'] = '';
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    timer = window.setTimeout(unmark, MARK_MS);
  }
  /** It stays in reach of the focus, which may still be there. */
  function unmark(): void {
    window.clearTimeout(timer);
    if (marked !== null) delete marked.dataset['target'];
    marked = null;
  }

  watch([() => store.target, rows], () => void look(), { flush: 'post' });
  onMounted(() => {
    mounted = true;
    void look();
  });
  onUnmounted(unmark);
}
