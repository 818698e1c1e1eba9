/** What was asked for on the command line. */

export interface Asked {
  readonly task: 'window' | 'runner' | 'sync' | 'check';
  /** Figures by the start of their ids; empty: all. */
  readonly only: readonly string[];
  readonly seed: number;
  readonly table: boolean;
  /** Judge what the last run measured instead of measuring again. */
  readonly last: boolean;
  /** Other budgets than the committed ones. */
  readonly budgets: string | null;
}
export const USAGE = `npm run bench -- window          measures the app in a browser, prints ratios and raw figures
npm run bench -- runner          measures the server under load
npm run bench -- sync            measures what a link that comes back costs, and many that are idle
npm run bench -- check           all of them, and fails when a figure is past its budget
  --only=open,heap               only the figures whose names begin so
  --seed=7                       of what is random (default: drawn, and printed)
  --table                        prints the table for the readme too
  --last                         with check: judges what the last run measured
  --budgets=FILE                 other budgets than test/bench/budgets.json`;

/** Throws with what is not understood. `seed`: taken when none is asked for. */
export function readArgs(args: readonly string[], seed: number): Asked {
  const [task, ...flags] = args;
  if (task !== 'window' && task !== 'runner' && task !== 'sync' && task !== 'check') throw new Error(`not a task: ${task ?? '(none)'}`);
  const asked: { -readonly [K in keyof Asked]: Asked[K] } & { only: string[] } = {
    task,
    only: [],
    seed,
    table: false,
    last: false,
    budgets: null,
  };
  for (const flag of flags) {
    const [name, value = ''] = flag.split('=', 2);
    if (name === '--table' && value === '') asked.table = true;
    else if (name === '--last' && value === '' && task === 'check') asked.last = true;
    else if (name === '--only' && value !== '') asked.only.push(...value.split(','));
    else if (name === '--seed' && /^\d+$/.test(value)) asked.seed = Number(value);
    else if (name === '--budgets' && value !== '') asked.budgets = value;
    else throw new Error(`not understood: ${flag}`);
  }
  return asked;
}
