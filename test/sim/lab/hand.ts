/** A process of `crew.ts`: plays what it is told, and tells of each history. */
import { play, type Plan } from '../play.ts';
import { shrink } from './shrink.ts';

export interface Fault {
  plan: Plan;
  law: string;
  words: string;
  step: number;
}
export type Job = { play: Plan[] } | { shrink: Fault };
export interface Played {
  seed: number;
  fault: Fault | null;
  counters: Record<string, number>;
}
export interface Done {
  shrunk: Fault | null;
}

const tell = (told: Played | Done): void => void process.send!(told);

process.on('message', (job: Job) => {
  void doIt(job).then(tell, (error: unknown) => {
    console.error(error);
    process.exit(1);
  });
});

async function doIt(job: Job): Promise<Done> {
  if ('shrink' in job)
    return { shrunk: await shrink(job.shrink, play, () => tell({ seed: job.shrink.plan.seed, fault: null, counters: {} })) };
  for (const plan of job.play) {
    const { fault, counters } = await play(plan);
    tell({ seed: plan.seed, fault: fault === null ? null : { plan, ...fault }, counters });
  }
  return { shrunk: null };
}
