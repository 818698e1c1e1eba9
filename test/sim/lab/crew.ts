/**
 * Histories in several processes. Each is a `hand.ts` of its own, since a history holds its process's event loop; one that hangs is
 * ended, and its seed is a fault like any other.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { resolve } from 'node:path';
import type { Plan } from '../play.ts';
import { bundledHand } from './bundle.ts';
import type { Done, Fault, Job, Played } from './hand.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Seeds that a hand gets at a time. */
const BATCH = 8;
/** Milliseconds after which one history is taken to hang. */
const HANGS_AFTER = 60_000;

export interface Hunt {
  disk: Plan['disk'];
  from: number;
  count: number;
  workers: number;
  steps?: number;
  short?: boolean;
  /** The folder whose sources are played; default: this one. */
  folder?: string;
  /** After each batch; answers whether to go on. */
  heard?(so: Found): boolean;
}
export interface Found {
  played: number;
  faults: Fault[];
  /** Summed over all histories. */
  counters: Record<string, number>;
}

/** One process, one job at a time. */
class Hand {
  readonly #child: ChildProcess;
  #last: Promise<unknown> = Promise.resolve();
  /** `path`: what it runs. */
  constructor(path: string) {
    this.#child = fork(path, {
      execArgv: ['--enable-source-maps'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  }
  /** `each`: called for every history as it ends. Rejects when the process ends or hangs meanwhile. */
  do(job: Job, each: (played: Played) => void = () => undefined): Promise<Done> {
    const run = this.#last.then(() => this.#ask(job, each));
    this.#last = run.catch(() => undefined);
    return run;
  }
  #ask(job: Job, each: (played: Played) => void): Promise<Done> {
    return new Promise((done, fail) => {
      let timer: NodeJS.Timeout;
      const stop = (): void => {
        clearTimeout(timer);
        this.#child.off('message', hear);
        this.#child.off('exit', gone);
      };
      const wait = (): void => {
        clearTimeout(timer);
        timer = setTimeout(() => {
          stop();
          fail(new Error(`nothing came of it within ${HANGS_AFTER / 1000} s`));
        }, HANGS_AFTER);
      };
      const gone = (code: number | null): void => {
        stop();
        fail(new Error(`the process that played it ended with ${code}`));
      };
      const hear = (told: Played | Done): void => {
        wait();
        if ('seed' in told) return each(told);
        stop();
        done(told);
      };
      wait();
      this.#child.on('message', hear);
      this.#child.once('exit', gone);
      this.#child.send(job);
    });
  }
  end(): void {
    this.#child.kill('SIGKILL');
  }
}

/** Plays `count` seeds from `from` on; faults come in the order of their seeds. */
export async function hunt(asked: Hunt): Promise<Found> {
  const { from, count, workers, folder = root, heard = () => true } = asked;
  const found: Found = { played: 0, faults: [], counters: {} };
  const bundle = await bundledHand(folder);
  let next = from;
  let goOn = true;
  const work = async (): Promise<void> => {
    let hand = new Hand(bundle.path);
    while (goOn && next < from + count) {
      const seeds = Array.from({ length: Math.min(BATCH, from + count - next) }, (_, at) => next + at);
      next += seeds.length;
      while (seeds.length > 0) {
        try {
          await hand.do({ play: seeds.map((seed) => planOf(seed, asked)) }, ({ fault, counters }) => {
            seeds.shift();
            found.played += 1;
            if (fault !== null) found.faults.push(fault);
            for (const [name, n] of Object.entries(counters)) found.counters[name] = (found.counters[name] ?? 0) + n;
          });
        } catch (error) {
          const seed = seeds.shift()!;
          found.played += 1;
          found.faults.push({ plan: planOf(seed, asked), law: 'hangs', words: String(error), step: 0 });
          hand.end();
          hand = new Hand(bundle.path);
        }
      }
      found.faults.sort((a, b) => a.plan.seed - b.plan.seed);
      goOn = heard(found) && goOn;
    }
    hand.end();
  };
  try {
    await Promise.all(Array.from({ length: Math.min(workers, Math.ceil(count / BATCH)) }, work));
  } finally {
    await bundle.remove();
  }
  return found;
}

function planOf(seed: number, { disk, steps, short }: Hunt): Plan {
  return { seed, disk, ...(steps === undefined ? {} : { steps }), ...(short === true ? { short } : {}) };
}

/** The same fault with as few actions as could be found; as it is when its history hangs. */
export async function smallest(fault: Fault, folder = root): Promise<Fault> {
  if (fault.law === 'hangs') return fault;
  const bundle = await bundledHand(folder);
  const hand = new Hand(bundle.path);
  try {
    return (await hand.do({ shrink: fault })).shrunk ?? fault;
  } finally {
    hand.end();
    await bundle.remove();
  }
}
