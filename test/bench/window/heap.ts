/** The JavaScript heap of one window after paging through 50,000 chunks, against right after opening. */
import { setTimeout as wait } from 'node:timers/promises';
import { count, ms, type Bench } from '../kit/figure.ts';
import { probing } from '../kit/probing.ts';
import { heapOf } from '../kit/meters.ts';
import { headOf, recordsOf } from '../log/history.ts';

const CHUNKS = 50_000;
const SETTLE = 1_500;
const FULL = 1_000;
const mb = (bytes: number): string => `${(bytes / (1024 * 1024)).toFixed(1)} MB`;

export const heapBench: Bench = {
  ids: ['heap'],
  async measure(stage) {
    const { server, profile, million, thousand } = await stage.archive();
    const page = await profile.open(`${server.url}/s/${thousand.sessionId}`, 'probe');
    try {
      const probe = probing(page);
      const cdp = await page.context().newCDPSession(page);
      // What the browser compiles as it runs is on the same heap: paging elsewhere first has it there before the count begins.
      await probe.shows(thousand.newest);
      await probe.pageUp(headOf(thousand));
      await probe.open(million);
      await wait(SETTLE);
      const opened = await heapOf(cdp);
      // The window is full by then: what comes on top of this is what paging leaves behind.
      await probe.pageUp(recordsOf(million, FULL));
      await wait(SETTLE);
      const full = await heapOf(cdp);
      const paged = await probe.pageUp(recordsOf(million, CHUNKS - FULL));
      await wait(SETTLE);
      const after = await heapOf(cdp);
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
