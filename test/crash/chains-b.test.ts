/** `kill -9` of one server again and again, at random points and instants, under a random workload. Every law after each death. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildServer, type Program } from './kit/build.ts';
import { killAtRandom } from './kit/run.ts';
import { SEED } from './kit/seed.ts';

const KILLS = 22;

let program: Program;
beforeAll(async () => {
  program = await buildServer();
});
afterAll(() => program.remove());

test.each(['b 1', 'b 2', 'b 3'])(
  `B43, I18, I19, I20: a server killed at random, chain %s (seed ${SEED})`,
  async (name) => {
    const { kills } = await killAtRandom(name, program.file, KILLS);
    expect(kills.length).toBeGreaterThanOrEqual(KILLS);
  },
  300_000,
);
