/** Tests on what was built: browser tests (real servers, real worker, one browser at a time) and the crash tests of the real process. Started by `npm test` and `npm run test:e2e`. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.test.ts', '../crash/**/*.test.ts'],
    globalSetup: ['./harness/global.ts'],
    fileParallelism: false,
    testTimeout: 90_000,
    hookTimeout: 60_000,
  },
});
