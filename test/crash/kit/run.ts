/** The cases: a chain killed once at each of a list of points, and a chain killed at random. Each answers the chain, ended. */
import { Chain } from './chain.ts';
import { nameOf, POINTS, type Aim } from './points.ts';
import { seedOf } from './seed.ts';

/** Lives between two rests. */
const REST_AFTER = 8;
/** Of a random chain: killed at an instant rather than at a point. */
const INSTANTS = 0.35;

/** A chain of its own, which comes to rest at its end. */
export async function chained(name: string, program: string, run: (chain: Chain) => Promise<void>): Promise<Chain> {
  const chain = await Chain.begin(seedOf(name), program);
  try {
    await chain.told(async () => {
      await run(chain);
      await chain.quiet();
    });
    return chain;
  } finally {
    await chain.dispose();
  }
}

/** At each point, in an order of chance. A point that was not reached (the turn to recover was out of its budget) has another try. */
export function killAtEach(name: string, program: string, aims: readonly Aim[]): Promise<Chain> {
  return chained(name, program, async (chain) => {
    const left = [...aims];
    for (let n = 1; left.length > 0; n++) {
      const [aim] = left.splice(Math.floor(chain.random.unit() * left.length), 1);
      for (let tries = 0; tries < 3 && !(await chain.live({ aim: aim!, hit: hitOf(chain, aim!, 2) })); tries++);
      if (n % REST_AFTER === 0) await chain.quiet();
    }
  });
}

/** At random: points and instants, now and then again as soon as it has started. */
export function killAtRandom(name: string, program: string, count: number): Promise<Chain> {
  const aims = Object.values(POINTS).flat();
  return chained(name, program, async (chain) => {
    for (let n = 1; chain.kills.length < count; n++) {
      if (chain.user.chance(INSTANTS)) await chain.liveFor(Math.floor(chain.random.unit() * 500));
      else {
        const aim = chain.user.one(aims)!;
        await chain.live({ aim, hit: hitOf(chain, aim, 4) });
      }
      if (n % REST_AFTER === 0) await chain.quiet();
    }
  });
}

/** Recovery passes most of its points once a start. */
function hitOf(chain: Chain, aim: Aim, most: number): number {
  return aim.cause === 'cut' ? 1 : 1 + Math.floor(chain.random.unit() * most);
}

/** Aims that no life ended at. */
export function missing(aims: readonly Aim[], reached: ReadonlySet<string>): string[] {
  return aims.map(nameOf).filter((name) => !reached.has(name));
}
