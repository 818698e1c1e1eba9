/** `kill -9` at every named point of a turn and of its recovery: laws 2, 5, 6, 8, 11, 12, 13 after each death, and at rest. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildServer, type Program } from './kit/build.ts';
import { POINTS } from './kit/points.ts';
import { killAtEach, missing } from './kit/run.ts';
import { SEED } from './kit/seed.ts';

let program: Program;
beforeAll(async () => {
  program = await buildServer();
});
afterAll(() => program.remove());

test(`B43, I16, I18, I19: killed at every point of a turn: streaming, promoting, sealing, a tool running, settling (seed ${SEED})`, async () => {
  const { kills, reached } = await killAtEach('turns', program.file, POINTS.turns);
  expect(missing(POINTS.turns, reached)).toEqual([]);
  expect(kills.length).toBeGreaterThanOrEqual(POINTS.turns.length);
}, 300_000);

test(`B43, I24: killed again at every point of recovery: the cut turn is gone on with once (seed ${SEED})`, async () => {
  const { kills, reached } = await killAtEach('recovery', program.file, POINTS.recovery);
  expect(missing(POINTS.recovery, reached)).toEqual([]);
  expect(kills.length).toBeGreaterThanOrEqual(2 * POINTS.recovery.length);
}, 300_000);
