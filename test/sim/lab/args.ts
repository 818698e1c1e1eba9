/** What `npm run sim` can be asked. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import type { Plan } from '../play.ts';

export const USAGE = `npm run sim -- [--seeds N] [--from N] [--disk memory|indexeddb] [--workers N] [--steps N] [--short]
npm run sim -- --seed N [--disk memory|indexeddb] [--steps N] [--short] [--only 3,7,9]

  --seeds    how many histories are played (1000)
  --from     the first seed (1)
  --disk     what the devices keep things on (memory)
  --workers  processes (as many as there are processors)
  --steps    actions a history (drawn from its seed)
  --short    few devices, and few actions that come close upon each other, as npm test plays them
  --seed     plays one history, and tells it line by line
  --only     of that one, only these actions; none: nobody does anything`;

export type Asked =
  | { task: 'hunt'; disk: Plan['disk']; from: number; count: number; workers: number; steps?: number; short?: boolean }
  | { task: 'replay'; plan: Plan };

/** Throws with words for the person when it cannot be understood. */
export function readArgs(args: string[]): Asked {
  const text = { type: 'string' } as const;
  const options = {
    seeds: text,
    from: text,
    disk: text,
    workers: text,
    steps: text,
    seed: text,
    only: text,
    short: { type: 'boolean' },
  } as const;
  const { values } = parseArgs({ args, options, strict: true });
  const { disk = 'memory' } = values;
  if (disk !== 'memory' && disk !== 'indexeddb') throw new Error(`--disk is memory or indexeddb, not ${disk}`);
  const kind = {
    ...(values.steps === undefined ? {} : { steps: whole('steps', values.steps) }),
    ...(values.short === true ? { short: true } : {}),
  };
  if (values.seed !== undefined) {
    const only = values.only === undefined ? {} : { only: listOf(values.only) };
    return { task: 'replay', plan: { seed: whole('seed', values.seed), disk, ...kind, ...only } };
  }
  if (values.only !== undefined) throw new Error('--only goes with --seed');
  return {
    task: 'hunt',
    disk,
    from: whole('from', values.from ?? '1'),
    count: whole('seeds', values.seeds ?? '1000'),
    workers: whole('workers', values.workers ?? String(availableParallelism())),
    ...kind,
  };
}

function listOf(words: string): number[] {
  return words === 'none' ? [] : words.split(',').map((word) => whole('only', word));
}

function whole(name: string, words: string): number {
  if (!/^\d+$/.test(words)) throw new Error(`--${name} takes whole numbers, not "${words}"`);
  return Number(words);
}
