/**
 * Tests on what was built: browser tests (real servers, real worker) and the crash tests of the real process. Started by
 * `npm test` and `npm run test:e2e`. Those that measure time have the machine to themselves; the others, which mostly wait, run
 * beside each other.
 */
import { defineConfig } from 'vitest/config';

const BY_TIME = ['build.test.ts', 'render.test.ts', 'transcript-paging.test.ts'];
const BESIDE = 3;

export default defineConfig({
  test: {
    root: import.meta.dirname,
    globalSetup: ['./harness/global.ts'],
    testTimeout: 90_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'beside',
          include: ['**/*.test.ts', '../crash/**/*.test.ts'],
          exclude: BY_TIME,
          maxWorkers: BESIDE,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: 'by-time', include: BY_TIME, fileParallelism: false, maxWorkers: 1, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
