/** `npm run sim`: plays histories until all are played or enough of them broke a law, and shows each kind of fault at its smallest. */
import { play, type Plan } from '../play.ts';
import { readArgs, USAGE, type Asked } from './args.ts';
import { hunt, smallest } from './crew.ts';
import type { Fault } from './hand.ts';
import { faultLines, replayOf, shrink } from './shrink.ts';
import { missing } from './sometimes.ts';

/** Faults after which the hunt ends: more of them tell nothing new. */
const ENOUGH = 20;
const TELL_EVERY = process.stdout.isTTY ? 1_000 : 15_000;

async function replay(plan: Plan): Promise<void> {
  const { fault, told, digest } = await play(plan);
  for (const line of told) console.log(line);
  console.log(`digest ${digest}`);
  if (fault === null) return console.log('every law holds');
  process.exitCode = 1;
  console.log(`after action ${fault.step}: ${fault.law}: ${fault.words}`);
  if (plan.only === undefined) console.log(`shorter: ${replayOf((await shrink({ plan, ...fault }, play)).plan)}`);
}

async function search(asked: Extract<Asked, { task: 'hunt' }>): Promise<void> {
  const began = Date.now();
  let toldAt = began;
  const words = (played: number, faults: number): string => {
    const rate = played / Math.max(0.001, (Date.now() - began) / 1000);
    return `${played.toLocaleString('en')} of ${asked.count.toLocaleString('en')} histories, ${rate.toFixed(1)} a second, ${faults} broke a law`;
  };
  const found = await hunt({
    ...asked,
    heard({ played, faults }) {
      if (Date.now() - toldAt >= TELL_EVERY) {
        toldAt = Date.now();
        if (process.stdout.isTTY) process.stdout.write(`\r${words(played, faults.length)}  `);
        else console.log(words(played, faults.length));
      }
      return faults.length < ENOUGH;
    },
  });
  if (process.stdout.isTTY) process.stdout.write('\r');
  console.log(words(found.played, found.faults.length));
  for (const [name, n] of Object.entries(found.counters).toSorted()) console.log(`  ${String(n).padStart(9)} ${name}`);
  const never = missing(found.counters);
  if (never.length > 0) console.log(`never seen: ${never.join(', ')}`);
  const firsts = new Map<string, Fault>();
  for (const fault of found.faults) if (!firsts.has(fault.law)) firsts.set(fault.law, fault);
  for (const fault of firsts.values()) console.log(`\n${faultLines(await smallest(fault))}`);
  if (found.faults.length > 0) process.exitCode = 1;
}

try {
  const asked = readArgs(process.argv.slice(2));
  await (asked.task === 'replay' ? replay(asked.plan) : search(asked));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
  process.exitCode = 1;
}
