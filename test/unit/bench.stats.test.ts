/** The bench's arithmetic: what is printed as a ratio is one. */
import { describe, expect, it } from 'vitest';
import { chanceOf } from '../bench/kit/chance.ts';
import { compare, inTurns, median, quantile } from '../bench/kit/stats.ts';
import { tasksOf } from '../bench/kit/tasks.ts';

describe('quantiles', () => {
  it('lie between neighbours by their distance, whatever the order', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(quantile([10, 30, 20, 40, 50], 0.95)).toBeCloseTo(48);
    expect([quantile([7, 5], 0), quantile([7, 5], 1)]).toEqual([5, 7]);
  });
  it('of nothing are refused, not made up', () => {
    expect(() => median([])).toThrow(RangeError);
  });
});

describe('a comparison', () => {
  it('is made round by round, so that a machine which slows down moves both sides', () => {
    const found = compare({ a: [12, 24, 120], b: [10, 20, 100] });
    expect(found.ratio).toBeCloseTo(1.2);
    expect([found.low, found.high].map((ratio) => ratio.toFixed(2))).toEqual(['1.20', '1.20']);
    expect([found.a, found.b]).toEqual([24, 20]);
  });
  it('tells how far the rounds lie apart', () => {
    const found = compare({ a: [1, 2, 3, 4, 5], b: [1, 1, 1, 1, 1] });
    expect([found.low, found.ratio, found.high]).toEqual([2, 3, 4]);
  });
  it('of unequal sides is refused', () => {
    expect(() => compare({ a: [1], b: [] })).toThrow(RangeError);
  });
});

describe('rounds', () => {
  it('are taken in turns, neither side always first, and the warm-up is dropped', async () => {
    const order: string[] = [];
    let n = 0;
    const side = (name: string) => async () => {
      order.push(name);
      return ++n;
    };
    const found = await inTurns({ rounds: 3, warmUp: 1, a: side('a'), b: side('b') });
    expect(order.slice(2).join('')).toBe('abbaab');
    expect(found).toEqual({ a: [3, 6, 7], b: [4, 5, 8] });
  });
});

describe('the longest task', () => {
  const main = { name: 'thread_name', pid: 1, tid: 1, args: { name: 'CrRendererMain' } };
  const task = (tid: number, dur: number, tdur: number) => ({ name: 'ThreadControllerImpl::RunTask', pid: 1, tid, dur, tdur });
  it('is that of the main thread, by the processor and by the clock', () => {
    const found = tasksOf([main, task(1, 90_000, 12_000), task(1, 20_000, 15_000), task(2, 500_000, 400_000)]);
    expect(found).toEqual({ processor: 15, clock: 90, amount: 2 });
  });
  it('of a trace without any is no answer', () => {
    expect(() => tasksOf([main, task(2, 5, 5)])).toThrow('no task');
  });
});

describe('chance', () => {
  it('is the same again for the same seed, and another for another', () => {
    const drawn = (seed: number): number[] => {
      const chance = chanceOf(seed);
      return Array.from({ length: 5 }, () => chance.between(1, 1_000_000));
    };
    expect(drawn(7)).toEqual(drawn(7));
    expect(drawn(7)).not.toEqual(drawn(8));
    expect(drawn(7).every((n) => n >= 1 && n <= 1_000_000)).toBe(true);
  });
});
