/**
 * `npm run bench -- window | runner | sync | check`: measures the built app in a real browser, the real server under load, and
 * the way between them.
 * `kit/args.ts` says what else can be asked for.
 */
import { existsSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { findBrowser, type BrowserChoice } from '../e2e/harness/browser.ts';
import { cleanEnv, root, run } from '../e2e/harness/server.ts';
import { readArgs, USAGE, type Asked } from './kit/args.ts';
import { breaches, readBudgets, type Budgets } from './kit/budgets.ts';
import type { Bench, Figure } from './kit/figure.ts';
import { figureLines, tableOf } from './kit/report.ts';
import { lastFigures, saveFigures } from './kit/results.ts';
import { Stage } from './kit/stage.ts';
import { RUNNER } from './runner/benches.ts';
import { SYNC } from './sync/benches.ts';
import { WINDOW } from './window/benches.ts';

const results = join(root, 'dist/bench');
const failed = (words: string): void => {
  console.error(words);
  process.exitCode = 1;
};

/** What went wrong and where, without the browser's own log behind it. */
function whereOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const at = (error.stack ?? '').split('\n').filter((line) => /^ +at .*test\/bench/.test(line));
  return [error.message.split('\n')[0], ...at.slice(0, 4)].join('\n');
}
const ROOMS: Record<Asked['task'], readonly Bench[]> = {
  window: WINDOW,
  runner: RUNNER,
  sync: SYNC,
  check: [...WINDOW, ...RUNNER, ...SYNC],
};

/** Those of the task whose figures begin with one of the names; all when there is none. */
function chosen({ task, only }: Asked): readonly Bench[] {
  const benches = ROOMS[task];
  const unknown = only.filter((name) => !benches.some(({ ids }) => ids.some((id) => id.startsWith(name))));
  if (unknown.length > 0)
    throw new Error(`no such figure: ${unknown.join(', ')}; there are ${benches.flatMap(({ ids }) => ids).join(', ')}`);
  return only.length === 0 ? benches : benches.filter(({ ids }) => ids.some((id) => only.some((name) => id.startsWith(name))));
}

/** Looked for when the first figure needs one. */
function browserOf(): () => Promise<BrowserChoice> {
  let found: Promise<BrowserChoice> | null = null;
  const find = async (): Promise<BrowserChoice> => {
    const browser = await findBrowser();
    console.log(`     browser ${browser.version}`);
    return browser;
  };
  return () => (found ??= find());
}

async function measure(benches: readonly Bench[], asked: Asked, budgets: Budgets): Promise<Figure[]> {
  const built = await run(process.execPath, ['server/start.mjs', '--build'], cleanEnv(), 300_000);
  if (built.code !== 0 || !existsSync(join(root, 'dist/app/index.html'))) throw new Error(`no build: ${built.stdout}${built.stderr}`);
  console.log(`seed ${asked.seed}, Node ${process.versions.node}, ${cpus().length} processors`);
  const stage = new Stage(browserOf(), asked.seed, (words) => console.log(`     ${words}`));
  let stopped = false;
  const stop = (signal: NodeJS.Signals): void => {
    stopped = true;
    failed(`stopped by ${signal}`);
    void stage.close().finally(() => process.exit(130));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const figures: Figure[] = [];
  const started = performance.now();
  const seconds = (): string => `${((performance.now() - started) / 1_000).toFixed(0)} s`;
  try {
    for (const bench of benches) {
      if (stopped) break;
      console.log(`── ${bench.ids.join(', ')} (${seconds()})`);
      try {
        const found = await bench.measure(stage);
        figures.push(...found);
        console.log(found.flatMap((figure) => figureLines(figure, budgets)).join('\n'));
      } catch (error) {
        // The others can still be measured; the run as a whole has failed.
        failed(`FAIL ${bench.ids.join(', ')}: ${whereOf(error)}`);
      }
    }
  } finally {
    await stage.close();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
  console.log(`── done (${seconds()})`);
  await saveFigures(results, figures);
  return figures;
}

async function main(): Promise<void> {
  if (process.argv.includes('--help')) return console.log(USAGE);
  const asked = readArgs(process.argv.slice(2), Math.floor(Math.random() * 1e6));
  const budgets = readBudgets(asked.budgets ?? join(root, 'test/bench/budgets.json'));
  const benches = chosen(asked);
  const wanted = benches.flatMap(({ ids }) => ids);
  const figures = asked.last
    ? (await lastFigures(results)).filter(({ id }) => wanted.includes(id))
    : await measure(benches, asked, budgets);
  if (asked.table) console.log(`\n${tableOf(figures, budgets)}`);
  if (asked.task !== 'check') return;
  const past = breaches(figures, budgets, wanted);
  if (past.length === 0) return console.log(`\n${figures.length} figures within their budgets`);
  failed(`\n${past.join('\n')}`);
}

let ended = false;
// A wait that nothing can end any more lets a process go quietly: that is no run that passed.
process.once('exit', () => ended || failed('ended before it was done'));
main()
  .catch((error: unknown) => failed(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`))
  .finally(() => (ended = true));
