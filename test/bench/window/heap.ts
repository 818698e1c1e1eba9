/** The JavaScript heap of one window after paging through 50,000 chunks, against right after opening. */
import { setTimeout as wait } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { count, ms, type Bench } from '../kit/figure.ts';
import { probing } from '../kit/probing.ts';
import { heapOf } from '../kit/meters.ts';
import { headOf, recordsOf } from '../log/history.ts';

const CHUNKS = 50_000;
/** Looks at the heap, and milliseconds before each: what waits for an idle page (colours of code, a write) lets go of what it holds. */
const LOOKS = 4;
const BETWEEN = 1_000;
const FULL = 1_000;
const mb = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MB`;

/** The least of several looks: what only waited to be let go is not what is kept. */
async function settledHeap(cdp: CDPSession): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < LOOKS; look++) {
    await wait(BETWEEN);
    least = Math.min(least, await heapOf(cdp));
  }
  return least;
}

export const heapBench: Bench = {
  ids: ['heap'],
  async measure(stage) {
    const { server, profile, million, other } = await stage.archive();
    const page = await profile.open(`${server.url}/s/${other.sessionId}`, 'probe');
    try {
      const probe = probing(page);
      const cdp = await page.context().newCDPSession(page);
      // What the browser compiles as it runs is on the same heap: paging elsewhere first has most of it there before the count begins.
      await probe.shows(other.newest);
      await probe.pageUp(headOf(other));
      await probe.open(million);
      const opened = await settledHeap(cdp);
      // The window is full by then: what comes on top of this is what paging leaves behind.
      await probe.pageUp(recordsOf(million, FULL));
      const full = await settledHeap(cdp);
      const paged = await probe.pageUp(recordsOf(million, CHUNKS - FULL));
      const after = await settledHeap(cdp);
      const raw = [
        `after opening ${mb(opened)}, after paging up ${count(FULL)} chunks ${mb(full)}, after ${count(CHUNKS)} chunks ${mb(after)}`,
        `${count((CHUNKS - FULL) / (paged.ms / 1_000))} chunks a second (${ms(paged.ms)}), ${paged.held} held at the end`,
      ];
      return [{ id: 'heap', value: after / opened, spread: null, raw }];
    } finally {
      await page.close();
    }
  },
};
