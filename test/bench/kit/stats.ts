/** What is made of measured numbers: medians, quantiles and ratios of rounds that were taken in turn. Pure. */

/** The value below which the part `q` (0 to 1) of `values` lies, between neighbours by their distance. */
export function quantile(values: readonly number[], q: number): number {
  if (values.length === 0) throw new RangeError('no values');
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * q;
  const low = sorted[Math.floor(at)]!;
  return low + (sorted[Math.ceil(at)]! - low) * (at - Math.floor(at));
}
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The same thing measured on two sides, round by round. */
export interface Rounds {
  readonly a: readonly number[];
  readonly b: readonly number[];
}
/** `ratio`: the median of the rounds' own ratios, so that a machine which slows down meanwhile moves both sides. `low`, `high`: its quartiles. */
export interface Compared {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
  readonly a: number;
  readonly b: number;
}

/** How a is to b. */
export function compare({ a, b }: Rounds): Compared {
  if (a.length !== b.length) throw new RangeError('every round has two sides');
  const ratios = a.map((value, at) => value / b[at]!);
  return { ratio: median(ratios), low: quantile(ratios, 0.25), high: quantile(ratios, 0.75), a: median(a), b: median(b) };
}

export interface InTurns {
  rounds: number;
  /** Rounds before these, which are dropped. */
  warmUp: number;
  a(): Promise<number>;
  b(): Promise<number>;
}
/** Measures a, b, b, a, a, b, …: in turns, and neither always first. */
export async function inTurns({ rounds, warmUp, a, b }: InTurns): Promise<Rounds> {
  const found = { a: [] as number[], b: [] as number[] };
  for (let round = -warmUp; round < rounds; round++) {
    const aFirst = Math.abs(round) % 2 === 0;
    const first = await (aFirst ? a() : b());
    const second = await (aFirst ? b() : a());
    if (round < 0) continue;
    found.a.push(aFirst ? first : second);
    found.b.push(aFirst ? second : first);
  }
  return found;
}
