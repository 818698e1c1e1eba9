/** What the last run measured, for `check --last`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Figure } from './figure.ts';

const FILE = 'figures.json';

export async function saveFigures(folder: string, figures: readonly Figure[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, FILE), `${JSON.stringify(figures, null, 2)}\n`);
}
/** Throws when there is no such run. */
export async function lastFigures(folder: string): Promise<Figure[]> {
  return JSON.parse(await readFile(join(folder, FILE), 'utf8')) as Figure[];
}
