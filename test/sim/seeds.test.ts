/**
 * Histories in as many processes as there are processors: no law is broken. `CAIRN_SIM_FROM` begins at another seed, `CAIRN_SIM_SEEDS`
 * plays more of them; `npm run sim` plays nights, also on IndexedDB, and tells which states were never reached.
 */
import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { hunt, smallest } from './lab/crew.ts';
import { faultLines } from './lab/shrink.ts';

const FROM = Number(process.env['CAIRN_SIM_FROM'] ?? 1);
const COUNT = Number(process.env['CAIRN_SIM_SEEDS'] ?? 12);
/** After so many the rest tells nothing new. */
const ENOUGH = 3;

test(`every law holds in ${COUNT} histories on disks of memory`, { timeout: 900_000 }, async () => {
  const heard = ({ faults }: { faults: readonly unknown[] }): boolean => faults.length < ENOUGH;
  const found = await hunt({ disk: 'memory', from: FROM, count: COUNT, workers: availableParallelism(), heard });
  const told: string[] = [];
  for (const fault of found.faults.slice(0, ENOUGH)) told.push(faultLines(await smallest(fault)));
  expect(told).toEqual([]);
  expect(found.played).toBe(COUNT);
});
