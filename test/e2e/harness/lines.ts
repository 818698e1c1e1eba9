/**
 * Where an element stands in every frame that is painted. An intersection observer tells it as of the end of a frame, after
 * everything that runs before paint: what is made up for in time was never seen, and what is late by one frame shows.
 */
import type { Locator, Page } from 'playwright-core';

interface Watch {
  element: Element;
  tops: number[];
  on: boolean;
}
declare global {
  interface Window {
    lines: { watch(element: Element): void; end(): number[] };
  }
}

/** Before the page is opened. */
export async function watchLines(page: Page): Promise<void> {
  await page.addInitScript(() => {
    let now: Watch | null = null;
    function sample(watch: Watch): void {
      const observer = new IntersectionObserver((entries) => {
        observer.disconnect();
        const [line, view] = [
          entries.find(({ target }) => target === watch.element),
          entries.find(({ target }) => target !== watch.element),
        ];
        if (watch.element.isConnected) watch.tops.push(line!.boundingClientRect.top - view!.boundingClientRect.top);
        else watch.tops.push(Number.NaN);
        if (watch.on) sample(watch);
      });
      observer.observe(watch.element);
      observer.observe(watch.element.closest('.transcript__scroll') ?? document.querySelector('.transcript__scroll')!);
    }
    window.lines = {
      watch(element) {
        now = { element, tops: [], on: true };
        sample(now);
      },
      end() {
        if (now === null) throw new Error('nothing is watched');
        now.on = false;
        return now.tops;
      },
    };
  });
}

/** Distance from the upper edge of the transcript's view in each frame, while `change` happens and for a while after. */
export async function framesOf(line: Locator, change: () => Promise<unknown>): Promise<number[]> {
  const page = line.page();
  await line.evaluate((element) => window.lines.watch(element));
  await page.waitForTimeout(60);
  await change();
  await page.waitForTimeout(350);
  return page.evaluate(() => window.lines.end());
}
/** The farthest that a line strayed from where it was, over all frames, px. Infinite when its element was lost, or never seen. */
export async function strayOf(line: Locator, change: () => Promise<unknown>): Promise<number> {
  const tops = await framesOf(line, change);
  const stray = Math.max(...tops.map((top) => Math.abs(top - tops[0]!)));
  return tops.length < 5 || Number.isNaN(stray) ? Infinity : stray;
}
