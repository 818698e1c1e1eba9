/**
 * The offline round trip in the engines that the browser tests do not drive: Firefox and WebKit, as Debian ships them. Started by
 * `npm run test:engines`. An engine that is not installed fails the run: what was not tried has not passed.
 */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts'],
    globalSetup: ['./harness/global.ts'],
    testTimeout: 120_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
