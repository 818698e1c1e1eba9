/**
 * `npm run sim:mutants [-- --only words|words] [--seeds N] [--from N] [--steps N] [--workers N]`: shows that the simulation bites. Each known
 * fault is put into a copy of the sources, and seeds are played until a law is broken that the sources without it do not break on the
 * very same seed. Fails when one survives.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { hunt, type Hunt } from './crew.ts';
import type { Fault } from './hand.ts';
import { replayOf } from './shrink.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Seeds after which a mutant has survived. */
const SEEDS = 150;
/** Actions a history: enough for things to meet. */
const STEPS = 40;
const SOURCES = ['app', 'server', 'shared', 'test', 'package.json', 'tsconfig.json'];

const text = { type: 'string' } as const;
const { values: asked } = parseArgs({ options: { only: text, seeds: text, from: text, steps: text, workers: text }, strict: true });
const from = Number(asked.from ?? 1);
const count = Number(asked.seeds ?? SEEDS);
const workers = Number(asked.workers ?? availableParallelism());
const common = { disk: 'memory', steps: Number(asked.steps ?? STEPS) } satisfies Partial<Hunt>;

async function copyOfSources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-mutants-'));
  for (const name of SOURCES) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** Sources without a mutant, and what they have been found to break: that is nothing that a mutant does. */
class Clean {
  readonly #folder: string;
  readonly #judged = new Map<number, Fault | null>();
  constructor(folder: string) {
    this.#folder = folder;
  }
  async breaks(seed: number): Promise<boolean> {
    let fault = this.#judged.get(seed);
    if (fault === undefined) {
      const found = await hunt({ ...common, from: seed, count: 1, workers: 1, folder: this.#folder });
      this.#judged.set(seed, (fault = found.faults[0] ?? null));
    }
    return fault !== null;
  }
  get faults(): Fault[] {
    return [...this.#judged.values()].filter((fault) => fault !== null);
  }
}

async function mutated<T>(folder: string, { file, find, put }: Mutant, work: () => Promise<T>): Promise<T> {
  const path = join(folder, file);
  const before = await readFile(path, 'utf8');
  if (before.split(find).length !== 2) throw new Error(`${file} does not hold this exactly once: ${find}`);
  await writeFile(
    path,
    before.replace(find, () => put),
  );
  try {
    return await work();
  } finally {
    await writeFile(path, before);
  }
}

/** How it ended: the fault that gave it away, or null, and after how many seeds. */
async function caught(folder: string, clean: Clean): Promise<{ fault: Fault | null; seeds: number }> {
  let next = from;
  while (next < from + count) {
    const found = await hunt({
      ...common,
      from: next,
      count: from + count - next,
      workers: Math.min(workers, from + count - next),
      folder,
      heard: ({ faults }) => faults.length === 0,
    });
    for (const fault of found.faults) if (!(await clean.breaks(fault.plan.seed))) return { fault, seeds: fault.plan.seed - from + 1 };
    next += found.played;
  }
  return { fault: null, seeds: count };
}

const words = (asked.only ?? '').toLowerCase().split('|');
const chosen = MUTANTS.filter(({ name }) => words.some((some) => name.toLowerCase().includes(some)));
const [folder, untouched] = [await copyOfSources(), await copyOfSources()];
try {
  const clean = new Clean(untouched);
  const survivors: string[] = [];
  console.log('| mutant | breaks | seen as | seeds | seconds | replay |\n|---|---|---|---|---|---|');
  for (const mutant of chosen) {
    const began = Date.now();
    const { fault, seeds } = await mutated(folder, mutant, () => caught(folder, clean));
    if (fault === null) survivors.push(mutant.name);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const [law, replay] = fault === null ? ['**survives**', ''] : [fault.law, `\`${replayOf(fault.plan)}\``];
    console.log(`| ${mutant.name} | ${mutant.law} | ${law} | ${seeds} | ${seconds} | ${replay} |`);
    if (asked.only !== undefined && fault !== null) console.log(`\n${fault.words}\n`);
  }
  console.log(`\n${chosen.length - survivors.length} of ${chosen.length} are caught`);
  for (const { plan, law, words: told } of clean.faults)
    console.log(`not counted: seed ${plan.seed} breaks ${law} without any mutant: ${told}`);
  if (chosen.length === 0 || survivors.length > 0) process.exitCode = 1;
} finally {
  for (const made of [folder, untouched]) await rm(made, { recursive: true, force: true });
}
