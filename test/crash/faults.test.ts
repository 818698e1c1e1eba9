/**
 * A disk that fails once at each write while the server lives on: what was asked for is still there, a turn ends visibly or goes on,
 * and what waits has its wake.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildServer, type Program } from './kit/build.ts';
import type { Cause } from './kit/points.ts';
import { chained } from './kit/run.ts';

let program: Program;
beforeAll(async () => {
  program = await buildServer();
});
afterAll(() => program.remove());

const CASES: { name: string; points: string[]; causes: Cause[] }[] = [
  { name: 'promoting and sealing', points: ['openTurn:before#2', 'seal:before#3', 'promoteSteers:before#3'], causes: ['tools', 'steer'] },
  { name: 'settling', points: ['settle:before#2', 'settle:before#4', 'history:before#6'], causes: ['prompt', 'fault'] },
  { name: 'in a transaction', points: ['transaction:within#4', 'transaction:within#9', 'transaction:within#15'], causes: ['edit', 'stop'] },
  { name: 'of the user', points: ['admit:before#2', 'stop:before#1', 'resume:before#1'], causes: ['resume', 'cancel'] },
  { name: 'of a question', points: ['askApproval:before#1', 'decideApproval:before#1', 'askApproval:after#2'], causes: ['ask'] },
];

test.each(CASES)(
  'I16, I17, law 13: the disk fails once: $name',
  async ({ name, points, causes }) => {
    const chain = await chained(name, program.file, async (chain) => {
      await chain.failAt(points, causes);
      await chain.quiet();
    });
    expect(chain.rests).toBe(2);
  },
  300_000,
);
