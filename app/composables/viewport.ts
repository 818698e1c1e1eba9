/**
 * Where the app's box is while an on-screen keyboard covers part of the page. Chromium resizes the page itself
 * (`interactive-widget`); Safari only moves the visual viewport, also in an installed app.
 */
import { onMounted, onUnmounted } from 'vue';

export interface ViewportFacts {
  height: number;
  offsetTop: number;
  scale: number;
  /** Of the layout viewport. */
  layoutHeight: number;
}

/** The box to show the app in; `full`: none needed; null: leave it as it is, since a pinch zoom is no keyboard. */
export function viewportBox(facts: ViewportFacts): { height: number; top: number } | 'full' | null {
  if (Math.abs(facts.scale - 1) > 0.01) return null;
  if (facts.height >= facts.layoutHeight - 1) return 'full';
  return { height: Math.round(facts.height), top: Math.max(0, Math.round(facts.offsetTop)) };
}

/** Keeps `--app-height` and `--app-top` on the root element; `data-keyboard` while something covers the page. */
export function useViewport(): void {
  const viewport = window.visualViewport;
  const root = document.documentElement;
  function follow(): void {
    if (viewport === null) return;
    const box = viewportBox({
      height: viewport.height,
      offsetTop: viewport.offsetTop,
      scale: viewport.scale,
      layoutHeight: root.clientHeight,
    });
    if (box === null) return;
    if (box === 'full') {
      root.style.removeProperty('--app-height');
      root.style.removeProperty('--app-top');
      delete root.dataset['keyboard'];
      return;
    }
    root.style.setProperty('--app-height', `${box.height}px`);
    root.style.setProperty('--app-top', `${box.top}px`);
    root.dataset['keyboard'] = '';
  }
  onMounted(() => {
    viewport?.addEventListener('resize', follow);
    viewport?.addEventListener('scroll', follow);
    follow();
  });
  onUnmounted(() => {
    viewport?.removeEventListener('resize', follow);
    viewport?.removeEventListener('scroll', follow);
  });
}
