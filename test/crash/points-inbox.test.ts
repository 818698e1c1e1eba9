/** `kill -9` at every named point of what users do: laws 1, 2, 4, 5, 6, 8, 12, 13 after each death, and at rest. */
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

test(`I16, I20: killed at every point of the inbox: what was accepted is there, waits once, and wakes (seed ${SEED})`, async () => {
  const { kills, reached } = await killAtEach('inbox', program.file, POINTS.inbox);
  expect(missing(POINTS.inbox, reached)).toEqual([]);
  expect(kills.length).toBeGreaterThanOrEqual(POINTS.inbox.length);
}, 300_000);

test(`B43, B8: killed at every point of a Stop, a Resume and a question: what was answered holds (seed ${SEED})`, async () => {
  const { kills, reached } = await killAtEach('words', program.file, POINTS.words);
  expect(missing(POINTS.words, reached)).toEqual([]);
  expect(kills.length).toBeGreaterThanOrEqual(POINTS.words.length);
}, 300_000);
