/** In the app's own page: opens, pages and watches as a person would, and says when it was seen. */
import { findScroller, frame, isVisible, painted, scroller, store, until, wheel } from './app.ts';
import { latency } from './latency.ts';
import { wander } from './wander.ts';
import { offer } from './offer.ts';

/** Milliseconds that paging may stand still. */
const STILL = 30_000;

const bench = {
  /** Clicks the session's row in the list; milliseconds until the frame that shows its newest words is painted. */
  async open({ sessionId, newest }: { sessionId: string; newest: string }): Promise<number> {
    const row = document.querySelector<HTMLAnchorElement>(`a[href="/s/${sessionId}"]`);
    if (row === null) throw new Error('the session is not in the list');
    const started = performance.now();
    row.click();
    await frame();
    await until(() => isVisible(newest), newest);
    await painted();
    return performance.now() - started;
  },
  /** Resolves when these words are in view. */
  async shows(newest: string): Promise<void> {
    await until(() => isVisible(newest), newest);
  },
  /** Scrolls up without a rest until so many more records are above, or the start; milliseconds until the frame that shows them is painted. */
  async pageUp(records: number): Promise<{ ms: number; held: number }> {
    const at = store();
    const wanted = Math.max(1, (at.oldestLoadedSeq ?? 0) - records);
    const started = performance.now();
    let moved = started;
    for (let before = at.oldestLoadedSeq; (at.oldestLoadedSeq ?? 0) > wanted && !at.atStart;) {
      if (at.oldestLoadedSeq !== before) {
        before = at.oldestLoadedSeq;
        moved = performance.now();
      }
      if (performance.now() - moved > STILL) throw new Error(`paging stands still at ${before}`);
      wheel(-scroller().scrollTop - 1);
      await frame();
    }
    await painted();
    return { ms: performance.now() - started, held: at.chunks.length };
  },
  /** Down to the newest words. */
  async toEnd(): Promise<void> {
    const isThere = (): boolean => {
      const box = findScroller();
      if (box === null) return false;
      const below = box.scrollHeight - box.clientHeight - box.scrollTop;
      if (below > 2) wheel(below);
      return below <= 2 && store().atEnd;
    };
    // Rows are measured as they come into view, and the end moves with that.
    for (let still = 0; still < 5;) {
      still = isThere() ? still + 1 : 0;
      await frame();
    }
  },
  /** Sealed chunks in the window now. */
  held(): number {
    return store().chunks.length;
  },
  wander,
  ...latency,
};
export type BenchProbe = typeof bench;
offer({ probe: bench });
