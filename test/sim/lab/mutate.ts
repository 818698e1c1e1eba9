/**
 * `npm run sim:mutants [-- words]`: shows that the simulation bites. Each known fault is put into a copy of the sources, and seeds are
 * played until a law is broken. Fails when one survives. `words`: only mutants whose name holds them.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { hunt } from './crew.ts';
import type { Fault } from './hand.ts';
import { MUTANTS, type Mutant } from './mutants.ts';

const root = resolve(import.meta.dirname, '../../..');
/** Seeds after which a mutant has survived. */
const BOUND = 2_000;
const SOURCES = ['app', 'server', 'shared', 'test', 'package.json', 'tsconfig.json'];

async function copyOfSources(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-mutants-'));
  for (const name of SOURCES) await cp(join(root, name), join(folder, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return folder;
}

/** How it ended: the fault that gave it away, or null, and after how many seeds. */
async function caught(folder: string, { file, find, put }: Mutant): Promise<{ fault: Fault | null; seeds: number }> {
  const path = join(folder, file);
  const text = await readFile(path, 'utf8');
  if (text.split(find).length !== 2) throw new Error(`${file} does not hold this exactly once: ${find}`);
  await writeFile(
    path,
    text.replace(find, () => put),
  );
  try {
    const found = await hunt({
      disk: 'memory',
      from: 1,
      count: BOUND,
      workers: availableParallelism(),
      folder,
      heard: ({ faults }) => faults.length === 0,
    });
    return { fault: found.faults[0] ?? null, seeds: found.played };
  } finally {
    await writeFile(path, text);
  }
}

const words = process.argv.slice(2).join(' ');
const chosen = MUTANTS.filter(({ name }) => name.includes(words));
const folder = await copyOfSources();
try {
  const clean = await hunt({ disk: 'memory', from: 1, count: 64, workers: availableParallelism(), folder });
  if (clean.faults.length > 0)
    throw new Error(`without any mutant ${clean.faults.length} of ${clean.played} histories break a law: mend that first`);
  const survivors: string[] = [];
  console.log('| mutant | breaks | seen as | seeds | seconds |\n|---|---|---|---|---|');
  for (const mutant of chosen) {
    const began = Date.now();
    const { fault, seeds } = await caught(folder, mutant);
    if (fault === null) survivors.push(mutant.name);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.log(`| ${mutant.name} | ${mutant.law} | ${fault === null ? '**survives**' : fault.law} | ${seeds} | ${seconds} |`);
  }
  console.log(`\n${chosen.length - survivors.length} of ${chosen.length} are caught`);
  if (chosen.length === 0 || survivors.length > 0) process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}
