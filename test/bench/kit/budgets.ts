/** The committed budgets, and which figures are past theirs. */
import { readFileSync } from 'node:fs';
import type { Figure } from './figure.ts';

/** One bound at least. `what` and `unit` are for the reader. */
export interface Budget {
  readonly what: string;
  readonly unit: string;
  readonly most?: number;
  readonly least?: number;
}
export type Budgets = Readonly<Record<string, Budget>>;

export function readBudgets(path: string): Budgets {
  const budgets = JSON.parse(readFileSync(path, 'utf8')) as Budgets;
  for (const [id, { most, least }] of Object.entries(budgets)) {
    if (typeof most !== 'number' && typeof least !== 'number') throw new Error(`the budget of ${id} has no bound`);
  }
  return budgets;
}

/** `≤ 1.2 ×` */
export function boundWords({ most, least, unit }: Budget): string {
  const bounds = [most === undefined ? '' : `≤ ${most}`, least === undefined ? '' : `≥ ${least}`].filter((bound) => bound !== '');
  return `${bounds.join(', ')} ${unit}`.trim();
}
/** Null: within. */
export function breach(figure: Figure, budget: Budget | undefined): string | null {
  if (budget === undefined) return `${figure.id}: has no budget`;
  // A number that is none is within nothing.
  const within = (budget.most === undefined || figure.value <= budget.most) && (budget.least === undefined || figure.value >= budget.least);
  return within
    ? null
    : `${figure.id}: ${numberWords(figure.value)} ${budget.unit} is past its budget of ${boundWords(budget)} (${budget.what})`;
}
/** One line per figure past its budget, and per figure that should have been measured and was not. */
export function breaches(figures: readonly Figure[], budgets: Budgets, wanted: readonly string[]): string[] {
  const missing = wanted.filter((id) => !figures.some((figure) => figure.id === id)).map((id) => `${id}: was not measured`);
  return [...figures.map((figure) => breach(figure, budgets[figure.id])).filter((line) => line !== null), ...missing];
}

/** Two digits behind the point are more than a noisy machine can tell, and enough to compare with a bound. */
export function numberWords(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}
