/** Figures as a person reads them: lines while they come, a Markdown table for the readme. Pure. */
import { boundWords, breach, numberWords, type Budgets } from './budgets.ts';
import type { Figure } from './figure.ts';

function spreadWords({ spread }: Figure): string {
  return spread === null ? '' : `${numberWords(spread.low)} to ${numberWords(spread.high)}`;
}

/** One figure: its ratio and bound, then what was measured. */
export function figureLines(figure: Figure, budgets: Budgets): string[] {
  const budget = budgets[figure.id];
  const verdict = breach(figure, budget) === null ? 'ok  ' : 'PAST';
  const spread = figure.spread === null ? '' : ` (${spreadWords(figure)})`;
  const bound = budget === undefined ? 'no budget' : boundWords(budget);
  const head = `${verdict} ${figure.id}: ${numberWords(figure.value)}${spread} · budget ${bound}${budget === undefined ? '' : ` · ${budget.what}`}`;
  return [head, ...figure.raw.map((line) => `       ${line}`)];
}

/** All figures, in the budgets' order. */
export function tableOf(figures: readonly Figure[], budgets: Budgets): string {
  const order = Object.keys(budgets);
  const sorted = figures.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
  const rows = sorted.map((figure) => {
    const budget = budgets[figure.id];
    const cells = [
      budget?.what ?? figure.id,
      budget === undefined ? '' : boundWords(budget),
      numberWords(figure.value),
      spreadWords(figure),
      figure.raw.join('; '),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  });
  return ['| figure | budget | measured | spread | raw |', '|---|---|---|---|---|', ...rows].join('\n');
}
