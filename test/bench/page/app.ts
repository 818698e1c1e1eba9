/** The app's page as the bench sees it: its transcript by its role, its store by its name. Nothing else of it is known here. */

interface Shown {
  readonly open?: boolean;
}
export interface TranscriptStore {
  readonly chunks: readonly { readonly seq: number }[];
  readonly live: { readonly chunks: readonly { readonly open: boolean }[] } | null;
  readonly groups: readonly { readonly items: readonly { readonly chunk: Shown; readonly result: Shown | null }[] }[];
  readonly oldestLoadedSeq: number | null;
  readonly atStart: boolean;
  readonly atEnd: boolean;
}
interface Mounted extends Element {
  __vue_app__?: { config: { globalProperties: { $pinia?: { _s: Map<string, unknown> } } } };
}
/** Milliseconds after which something is taken never to come. */
const LATE = 60_000;

export function store(): TranscriptStore {
  const app = document.querySelector<Mounted>('#app')?.['__vue_app__'];
  const found = app?.config.globalProperties.$pinia?.['_s'].get('transcript');
  if (found === undefined) throw new Error('the page has no transcript store');
  return found as TranscriptStore;
}
export function findScroller(): HTMLElement | null {
  return document.querySelector<HTMLElement>('[role=region][aria-label=Transcript]');
}
export function scroller(): HTMLElement {
  const found = findScroller();
  if (found === null) throw new Error('the page has no transcript');
  return found;
}

/** The next frame, before it is painted. */
export function frame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}
/** Right after the next frame is painted. */
export function painted(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.addEventListener('message', () => resolve(), { once: true });
    port1.start();
    requestAnimationFrame(() => port2.postMessage(null));
  });
}
export async function until(what: () => boolean, words: string): Promise<void> {
  for (const started = performance.now(); !what();) {
    if (performance.now() - started > LATE) throw new Error(`never came: ${words}`);
    await frame();
  }
}

/** Whether these words of the transcript are where they can be read. */
export function isVisible(words: string): boolean {
  const box = findScroller();
  if (box === null || box.textContent?.includes(words) !== true) return false;
  const around = box.getBoundingClientRect();
  const walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (node.nodeValue?.includes(words) !== true || node.parentElement === null) continue;
    const range = document.createRange();
    range.selectNodeContents(node);
    const at = range.getBoundingClientRect();
    const inView = at.height > 0 && at.bottom > around.top && at.top < around.bottom;
    if (inView && getComputedStyle(node.parentElement).visibility === 'visible') return true;
  }
  return false;
}
/** A turn of the wheel, and what it does to the view. */
export function wheel(by: number): void {
  const box = scroller();
  box.dispatchEvent(new WheelEvent('wheel', { deltaY: by, bubbles: true, cancelable: true }));
  box.scrollTop += by;
}
