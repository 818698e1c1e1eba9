/** When numbered words of a streaming answer came to the page, and when they were in the DOM. Words are `t00000`, `t00001`, … */
import { frame, scroller } from './app.ts';
import type { Seen } from './socket-clock.ts';

const NUMBER = /t(\d{5})(?!.*t\d{5})/s;
const seen: Seen[] = [];
const long: number[] = [];

/** The last number in `text`, or null. Only the end is looked at: it is where the newest is. */
function lastNumber(text: string | null): number | null {
  const found = text === null ? null : NUMBER.exec(text.slice(-120));
  return found === null ? null : Number(found[1]);
}
function note(records: readonly MutationRecord[]): void {
  const now = performance.now();
  let newest = seen.at(-1)?.number ?? -1;
  for (const { type, target, addedNodes } of records) {
    const nodes = type === 'characterData' ? [target] : addedNodes;
    for (const node of nodes) newest = Math.max(newest, lastNumber(node.textContent) ?? -1);
  }
  if (newest > (seen.at(-1)?.number ?? -1)) seen.push({ number: newest, at: now });
}

export const latency = {
  /** Begins to watch the transcript, and for tasks that are too long. */
  watchLatency(): void {
    new MutationObserver(note).observe(scroller(), { subtree: true, childList: true, characterData: true });
    new PerformanceObserver((list) => long.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask' });
  },
  /** Everything seen since: the newest number and when, in this page's time. */
  latencies(): { seen: Seen[]; arrived: readonly Seen[]; long: number[] } {
    return { seen, arrived: window.benchArrived ?? [], long };
  },
  /** Milliseconds from frame to frame. */
  async frameLength(): Promise<number> {
    const times: number[] = [];
    for (let n = 0; n < 60; n++) times.push(await frame());
    return (times.at(-1)! - times[0]!) / (times.length - 1);
  },
  /** This page's time now, and since when it counts. */
  clock(): { now: number; origin: number } {
    return { now: performance.now(), origin: performance.timeOrigin };
  },
};
