/**
 * Both ends of the window: what comes next is asked for ahead of the reader, one try at a time. A try that brought nothing is
 * made again when something has changed, or after a while: never in a circle, and never not at all.
 */
import { nextTick, onUnmounted, watch } from 'vue';
import { useCommands } from '../../composables/commands.ts';
import { isLinkDown } from '../../composables/link-words.ts';
import { useLinkStore } from '../../stores/link.ts';
import { useTranscriptStore } from '../../stores/transcript.ts';
import type { Hole } from '../../sync/views.ts';
import type { VirtualList } from './virtual-list.ts';

/** Closer to an end than this many screens, the next part is asked for. */
const AHEAD = 1.5;
/** Until a try that brought nothing is made again: this, then twice as long, and so on. */
const FIRST_MS = 1000;
const LAST_MS = 30_000;

interface End {
  /** The reader comes close to it, and there is more. */
  wants(): boolean;
  loading(): boolean;
  hole(): Hole | null;
  /** The chunk that the window ends with. */
  edge(): number | null;
  load(): Promise<void>;
}

/** Answers a look at both ends, to be called whenever the view or the list has changed. */
export function useWindowEnds(room: VirtualList['room']): () => void {
  const store = useTranscriptStore();
  const link = useLinkStore();
  const commands = useCommands();

  function useEnd(end: End): () => void {
    let asked: string | null = null;
    let busy = false;
    let fruitless = 0;
    let timer = 0;
    const facts = (): string => {
      const hole = end.hole();
      return [end.edge(), hole?.from, hole?.to, link.link.kind, link.link.since].join();
    };
    function look(): void {
      if (busy || !store.loaded || end.loading() || !end.wants()) return;
      // What is known to be missing is asked for once a link; before that, only when the reader says so.
      if (end.hole() !== null && isLinkDown(link.link)) return;
      const before = facts();
      if (before === asked) return;
      asked = before;
      busy = true;
      void end.load().finally(() => {
        busy = false;
        if (facts() !== before) fruitless = 0;
        else if (end.hole() === null) again();
        void nextTick(look);
      });
    }
    function again(): void {
      window.clearTimeout(timer);
      timer = window.setTimeout(
        () => {
          asked = null;
          look();
        },
        Math.min(LAST_MS, FIRST_MS * 2 ** fruitless++),
      );
    }
    onUnmounted(() => window.clearTimeout(timer));
    return look;
  }

  const near = (side: 'above' | 'below'): boolean => {
    const view = room();
    return view !== null && view[side] < view.height * AHEAD;
  };
  const older = useEnd({
    wants: () => !store.atStart && near('above'),
    loading: () => store.loadingOlder,
    hole: () => store.hole,
    edge: () => store.oldestLoadedSeq,
    load: () => commands.loadOlder(),
  });
  const newer = useEnd({
    wants: () => !store.atEnd && near('below'),
    loading: () => store.loadingNewer,
    hole: () => store.holeBelow,
    edge: () => store.newestLoadedSeq,
    load: () => commands.loadNewer(),
  });
  const look = (): void => {
    older();
    newer();
  };
  watch(
    [
      () => store.loaded,
      () => store.loadingOlder,
      () => store.loadingNewer,
      () => store.atStart,
      () => store.atEnd,
      () => store.hole,
      () => store.holeBelow,
      () => link.link,
    ],
    () => void nextTick(look),
  );
  return look;
}
