/** `npm run bench -- check`: what is past its budget is told, line by line. */
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArgs } from '../bench/kit/args.ts';
import { breaches, readBudgets, type Budgets } from '../bench/kit/budgets.ts';
import type { Figure } from '../bench/kit/figure.ts';
import { figureLines, tableOf } from '../bench/kit/report.ts';
import { RUNNER } from '../bench/runner/benches.ts';
import { SYNC } from '../bench/sync/benches.ts';
import { WINDOW } from '../bench/window/benches.ts';

const budgets: Budgets = {
  open: { what: 'to open it', unit: '×', most: 1.2 },
  rate: { what: 'to write it', unit: 'of the rate', least: 0.6 },
};
const figure = (id: string, value: number): Figure => ({
  id,
  value,
  spread: { low: value - 0.1, high: value + 0.1 },
  raw: ['a 5 ms, b 4 ms'],
});

describe('the check', () => {
  it('passes what is within its budget, the bound included', () => {
    expect(breaches([figure('open', 1.2), figure('rate', 0.6)], budgets, ['open', 'rate'])).toEqual([]);
  });
  it('fails with one line for each figure past its budget, either way', () => {
    expect(breaches([figure('open', 1.21), figure('rate', 0.59)], budgets, ['open', 'rate'])).toEqual([
      'open: 1.21 × is past its budget of ≤ 1.2 × (to open it)',
      'rate: 0.59 of the rate is past its budget of ≥ 0.6 of the rate (to write it)',
    ]);
  });
  it('fails for a figure that was not measured, has no budget or is no number', () => {
    expect(breaches([figure('open', Number.NaN), figure('new', 1)], budgets, ['open', 'rate', 'new'])).toEqual([
      'open: NaN × is past its budget of ≤ 1.2 × (to open it)',
      'new: has no budget',
      'rate: was not measured',
    ]);
  });
  it('knows a budget for every figure, and no other', () => {
    const committed = readBudgets(resolve(import.meta.dirname, '../bench/budgets.json'));
    expect(Object.keys(committed).toSorted()).toEqual([...WINDOW, ...RUNNER, ...SYNC].flatMap(({ ids }) => ids).toSorted());
  });
  it('refuses a budget without a bound: everything would be within it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-budgets-'));
    try {
      const path = join(folder, 'budgets.json');
      writeFileSync(path, JSON.stringify({ open: { what: '', unit: '×' } }));
      expect(() => readBudgets(path)).toThrow('the budget of open has no bound');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe('the report', () => {
  it('prints the ratio, its spread and bound, and the raw figures', () => {
    expect(figureLines(figure('open', 1.25), budgets)).toEqual([
      'PAST open: 1.25 (1.15 to 1.35) · budget ≤ 1.2 × · to open it',
      '       a 5 ms, b 4 ms',
    ]);
  });
  it('prints a Markdown table in the order of the budgets', () => {
    const lines = tableOf([figure('rate', 0.7), figure('open', 1)], budgets).split('\n');
    expect(lines.slice(2)).toEqual([
      '| to open it | ≤ 1.2 × | 1 | 0.90 to 1.10 | a 5 ms, b 4 ms |',
      '| to write it | ≥ 0.6 of the rate | 0.70 | 0.60 to 0.80 | a 5 ms, b 4 ms |',
    ]);
  });
});

describe('the command line', () => {
  it('takes a task, figures, a seed and where to look', () => {
    expect(readArgs(['window'], 5)).toEqual({ task: 'window', only: [], seed: 5, table: false, last: false, budgets: null });
    expect(readArgs(['check', '--only=open,heap', '--seed=7', '--last', '--table', '--budgets=x.json'], 5)).toEqual({
      task: 'check',
      only: ['open', 'heap'],
      seed: 7,
      table: true,
      last: true,
      budgets: 'x.json',
    });
  });
  it('refuses what it does not understand', () => {
    for (const args of [[], ['all'], ['window', '--last'], ['window', '--seed=x'], ['check', '--only'], ['check', '--fast']]) {
      expect(() => readArgs(args, 5), args.join(' ')).toThrow(/^not /);
    }
  });
});
