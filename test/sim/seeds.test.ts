/**
 * Histories in as many processes as there are processors, short ones on both kinds of disk and some long ones: no law is broken, and
 * every state that the simulation is for was reached. `CAIRN_SIM_FROM` begins at another seed, `CAIRN_SIM_SEEDS` plays so many on disks
 * of memory, and of the others in proportion; `npm run sim` plays nights.
 */
import { availableParallelism } from 'node:os';
import { afterAll, expect, test } from 'vitest';
import { hunt, smallest, type Found } from './lab/crew.ts';
import { faultLines } from './lab/shrink.ts';
import { missing } from './lab/sometimes.ts';
import type { Plan } from './play.ts';

const FROM = Number(process.env['CAIRN_SIM_FROM'] ?? 1);
const MEMORY = Number(process.env['CAIRN_SIM_SEEDS'] ?? 2_000);
const INDEXEDDB = Math.ceil(MEMORY / 10);
const LONG = Math.ceil(MEMORY / 100);
/** After so many the rest tells nothing new. */
const ENOUGH = 3;
/** So few do not reach every state. */
const ALL_STATES_FROM = 2_000;

const counters: Record<string, number> = {};
let played = 0;
let seconds = 0;

async function playAll(disk: Plan['disk'], count: number, short: boolean): Promise<{ played: number; faults: string[] }> {
  const began = performance.now();
  const heard = ({ faults }: Found): boolean => faults.length < ENOUGH;
  const found = await hunt({ disk, from: FROM, count, workers: availableParallelism(), ...(short ? { short } : {}), heard });
  seconds += (performance.now() - began) / 1_000;
  played += found.played;
  for (const [name, n] of Object.entries(found.counters)) counters[name] = (counters[name] ?? 0) + n;
  const faults: string[] = [];
  for (const fault of found.faults.slice(0, ENOUGH)) faults.push(faultLines(await smallest(fault)));
  return { played: found.played, faults };
}
const timeout = 900_000;

test(`every law holds in ${MEMORY} short histories on disks of memory`, { timeout }, async () => {
  expect(await playAll('memory', MEMORY, true)).toEqual({ played: MEMORY, faults: [] });
});
test(`every law holds in ${INDEXEDDB} short histories on IndexedDB`, { timeout }, async () => {
  expect(await playAll('indexeddb', INDEXEDDB, true)).toEqual({ played: INDEXEDDB, faults: [] });
});
test(`every law holds in ${LONG} long histories`, { timeout }, async () => {
  expect(await playAll('memory', LONG, false)).toEqual({ played: LONG, faults: [] });
});
test('every state that the simulation is for was reached', () => {
  // A run of a few seeds is for looking at those, and proves nothing about states.
  expect(MEMORY >= ALL_STATES_FROM ? missing(counters) : []).toEqual([]);
});

/** What it takes is told, not judged: a slow machine is no fault of what is played. */
afterAll(() => console.log(`simulation: ${played.toLocaleString('en')} histories in ${seconds.toFixed(1)} s`));
