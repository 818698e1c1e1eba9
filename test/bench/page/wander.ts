/** A restless reader: scrolls, pages and comes back at random, while the window is counted every few milliseconds. */
import { chanceOf } from '../kit/chance.ts';
import { frame, scroller, store, wheel } from './app.ts';

export interface Wandered {
  /** Most chunks on screen beside the open ones, and most of them held in the store, at any moment. */
  shown: number;
  held: number;
  counts: number;
  /** Times that the window was moved up, and that the reader was away from the newest words. */
  paged: number;
  away: number;
  /** Most chunks of the live step at once. */
  live: number;
}
const EVERY = 4;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function wander({ seed, ms }: { seed: number; ms: number }): Promise<Wandered> {
  const chance = chanceOf(seed);
  const found: Wandered = { shown: 0, held: 0, counts: 0, paged: 0, away: 0, live: 0 };
  let oldest = store().oldestLoadedSeq;
  let atEnd = true;
  const count = (): void => {
    const now = store();
    const shown = now.groups.flatMap(({ items }) => items.flatMap(({ chunk, result }) => (result === null ? [chunk] : [chunk, result])));
    const inStep = now.live?.chunks ?? [];
    found.counts++;
    found.shown = Math.max(found.shown, shown.filter((chunk) => chunk.open !== true).length);
    found.held = Math.max(found.held, now.chunks.length + inStep.filter((chunk) => !chunk.open).length);
    found.live = Math.max(found.live, inStep.length);
    if (now.oldestLoadedSeq !== null && oldest !== null && now.oldestLoadedSeq < oldest) found.paged++;
    if (atEnd && !now.atEnd) found.away++;
    oldest = now.oldestLoadedSeq;
    atEnd = now.atEnd;
  };
  let counting = true;
  const counter = (async () => {
    while (counting) {
      count();
      await pause(EVERY);
    }
  })();
  const walk = (async () => {
    for (const until = performance.now() + ms; performance.now() < until;) await act(chance);
  })().finally(() => (counting = false));
  await Promise.all([counter, walk]);
  return found;
}

async function act(chance: ReturnType<typeof chanceOf>): Promise<void> {
  const kind = chance.unit();
  if (kind < 0.35) for (let n = chance.between(1, 20); n > 0; n--) await step(-chance.between(100, 900));
  else if (kind < 0.55) for (let n = chance.between(1, 20); n > 0; n--) await step(chance.between(100, 900));
  else if (kind < 0.7) for (let n = chance.between(5, 40); n > 0; n--) await step(-scroller().scrollTop);
  else if (kind < 0.85) for (let n = chance.between(1, 30); n > 0; n--) await step(scroller().scrollHeight);
  else if (kind < 0.92) scroller().parentElement?.querySelector<HTMLElement>(':scope > button')?.click();
  else await pause(chance.between(50, 500));
}
async function step(by: number): Promise<void> {
  wheel(by);
  await frame();
}
