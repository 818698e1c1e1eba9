/**
 * Histories that broke a law once, at their smallest, and what the fault was. `npm test` plays each again. An action is drawn from its
 * seed and its place, so a change of what the world draws makes of an old entry another history; it stays, since it costs nothing.
 */
import type { Plan } from './play.ts';

export interface Regression {
  plan: Plan;
  /** What was wrong, in a line. */
  caught: string;
}

export const REGRESSIONS: readonly Regression[] = [
  { plan: { seed: 5047, disk: 'memory' }, caught: 'an input, its edit and its cancel, all unsent, waited for each other' },
  {
    plan: { seed: 6100, disk: 'memory', only: [1, 3, 4, 5, 16, 22, 30, 39, 56] },
    caught: 'a revoked device came in again, and kept no session in step for the prompts that the server had of it',
  },
  {
    plan: { seed: 34, disk: 'memory', steps: 40, only: [18, 19] },
    caught: 'a clock that jumped since the server was last heard showed a prompt of just now as expired',
  },
  {
    plan: { seed: 38, disk: 'indexeddb', only: [2, 6, 7, 10, 14, 15, 17, 18, 21, 23, 26, 27, 57, 62] },
    caught: 'words changed in one window while another had sent the prompt left with the chunk of the old ones',
  },
  {
    plan: { seed: 1697, disk: 'memory', short: true, only: [0, 1, 2, 5, 7, 8] },
    caught: 'the words of an edit that came just before another device cancelled were kept nowhere',
  },
];
