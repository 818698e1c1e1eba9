/**
 * Delta debugging: of the actions of a history that breaks a law, as few as still break the same law. Actions are drawn one by
 * one (`Plan.only`), so that those which stay are what they were.
 */
import type { Outcome, Plan } from '../play.ts';
import type { Fault } from './hand.ts';

/** Histories played at most: what is left then is small enough to read, or tells little anyway. */
const TRIES = 400;

/** `tried` is called after each try. */
export async function shrink(fault: Fault, play: (plan: Plan) => Promise<Outcome>, tried: () => void = () => undefined): Promise<Fault> {
  let left = TRIES;
  let best = fault;
  const breaks = async (only: readonly number[]): Promise<boolean> => {
    left -= 1;
    const plan: Plan = { ...fault.plan, only };
    const outcome = await play(plan);
    tried();
    if (outcome.fault?.law !== fault.law) return false;
    best = { plan, ...outcome.fault };
    return true;
  };

  let actions = fault.plan.only ?? Array.from({ length: fault.step + 1 }, (_, at) => at);
  if (!(await breaks(actions))) return fault;
  for (let parts = 2; actions.length > 0 && left > 0;) {
    const size = Math.ceil(actions.length / parts);
    let smaller = false;
    for (let from = 0; from < actions.length && left > 0;) {
      const rest = [...actions.slice(0, from), ...actions.slice(from + size)];
      if (await breaks(rest)) {
        actions = rest;
        smaller = true;
      } else from += size;
    }
    if (size === 1 && !smaller) break;
    parts = size === 1 ? parts : Math.min(actions.length, parts * 2);
  }
  return best;
}

/** The command that plays a plan again. */
export function replayOf({ seed, disk, steps, short, only }: Plan): string {
  const parts = [`npm run sim -- --seed ${seed}`];
  if (disk !== 'memory') parts.push(`--disk ${disk}`);
  if (short === true) parts.push('--short');
  if (steps !== undefined) parts.push(`--steps ${steps}`);
  if (only !== undefined) parts.push(`--only ${only.length === 0 ? 'none' : only.join(',')}`);
  return parts.join(' ');
}

/** A fault as a person is told of it. */
export function faultLines({ plan, law, words, step }: Fault): string {
  return `seed ${plan.seed}, after action ${step}: ${law}: ${words}\n  ${replayOf(plan)}`;
}
