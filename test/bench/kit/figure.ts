/** A measured figure, and how a room of the bench offers its figures. */
import type { Compared } from './stats.ts';
import type { Stage } from './stage.ts';

export interface Figure {
  /** Its name in the budgets. */
  readonly id: string;
  readonly value: number;
  /** Quartiles, or the extremes where there is nothing else. */
  readonly spread: { readonly low: number; readonly high: number } | null;
  /** What was measured, in its own units. */
  readonly raw: readonly string[];
}
/** `ids`: the figures that `measure` answers, so that one which was not measured is noticed. */
export interface Bench {
  readonly ids: readonly string[];
  measure(stage: Stage): Promise<Figure[]>;
}

/** A figure that is a ratio of two sides. */
export function ratioFigure(id: string, compared: Compared, raw: readonly string[]): Figure {
  return { id, value: compared.ratio, spread: { low: compared.low, high: compared.high }, raw };
}
/** `12.3 ms` */
export function ms(value: number): string {
  return `${value < 100 ? value.toFixed(1) : Math.round(value)} ms`;
}
/** `12,300` */
export function count(value: number): string {
  return Math.round(value).toLocaleString('en-US');
}
