/** Tests with a store of their own, closed after each whatever happens. */
import { test } from 'vitest';
import type { Store } from '../../server/store/port.ts';
import type { StoreHarness } from './store-harness.ts';

interface Fixtures<H extends StoreHarness> {
  harness: H;
  /** The store as first opened: after a reopening, ask the harness. */
  store: Store;
  commits: StoreHarness['commits'];
  reports: StoreHarness['reports'];
}

/** `test` whose bodies are handed a fresh harness, or parts of it. */
export function storeTest<H extends StoreHarness>(make: () => Promise<H>) {
  return test.extend<Fixtures<H>>({
    harness: async ({ onTestFinished }, use) => {
      const harness = await make();
      onTestFinished(() => harness.close());
      await use(harness);
    },
    store: async ({ harness }, use) => use(harness.store),
    commits: async ({ harness }, use) => use(harness.commits),
    reports: async ({ harness }, use) => use(harness.reports),
  });
}

/** The whole log: what a device would have after reading from the start. */
export async function wholeLog(harness: StoreHarness, sessionId: string) {
  return (await harness.store.log(sessionId, 0, 100_000, Number.MAX_SAFE_INTEGER)).records;
}
export async function typesOf(harness: StoreHarness, sessionId: string): Promise<string[]> {
  return (await wholeLog(harness, sessionId)).map((record) => record.type);
}
