/**
 * One seed, one history: a server, devices with tabs, a network between them and a model behind it, all in this process, under a
 * clock of its own. After everything that happens the laws are held against all of it; at the end all is healed, and nothing may
 * be lost, doubled or stuck.
 */
import { World } from './world.ts';

export interface Plan {
  seed: number;
  disk: 'memory' | 'indexeddb';
  /** Few devices, and few actions that come close upon each other: many to the minute. Default: a long history. */
  short?: boolean;
  /** Actions; default: drawn from the seed. */
  steps?: number;
  /** Indices of the actions that are performed, for shrinking. Each is drawn from a stream of its own, so leaving one out changes no other. */
  only?: readonly number[];
}
export interface Outcome {
  /** `step`: index of the action after which it showed; that of the last one plus one: when all was healed. */
  fault: { law: string; words: string; step: number } | null;
  /** What happened, a line each, for reading. */
  told: string[];
  counters: Record<string, number>;
  /** The same for the same plan, always. */
  digest: string;
}

/** Histories hold the event loop while they are played, so those of one process are played one after another. */
let last: Promise<unknown> = Promise.resolve();

/** Never rejects for a fault of what is played, and leaves nothing behind. */
export function play(plan: Plan): Promise<Outcome> {
  const run = last.then(() => new World(plan).play());
  last = run.catch(() => undefined);
  return run;
}
