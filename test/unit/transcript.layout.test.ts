import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VirtualLayout, type LayoutRow } from '../../app/components/transcript/virtual-layout.ts';

const KINDS = ['prompt', 'step'];
const row = (n: number): LayoutRow => ({ key: `r${n}`, kind: KINDS[n % 2]! });
const stretch = (from: number, to: number): LayoutRow[] => Array.from({ length: Math.max(0, to - from) }, (_, at) => row(from + at));
const window = fc.tuple(fc.nat(400), fc.integer({ min: 1, max: 120 })).map(([from, length]) => [from, from + length] as const);
const heights = fc.array(fc.tuple(fc.nat(520), fc.double({ min: 0, max: 4000, noNaN: true })), { maxLength: 60 });

function layoutOf(rows: readonly LayoutRow[], measured: readonly (readonly [number, number])[] = []): VirtualLayout {
  const layout = new VirtualLayout();
  layout.setRows(rows);
  for (const [n, height] of measured) layout.measure(`r${n}`, height);
  return layout;
}

describe('where rows of a long list stand', () => {
  test('each begins where the one before ends, and the list ends with the last', () => {
    fc.assert(
      fc.property(window, heights, ([from, to], measured) => {
        const layout = layoutOf(stretch(from, to), measured);
        const known = new Map(measured.map(([n, height]) => [`r${n}`, height]));
        expect(layout.offsetAt(0)).toBe(0);
        for (const [at, { key }] of stretch(from, to).entries()) {
          const height = layout.offsetAt(at + 1) - layout.offsetAt(at);
          expect(height).toBeGreaterThanOrEqual(0);
          expect(height).toBeCloseTo(known.get(key) ?? height, 6);
          expect(layout.placeOf(key)).toBe(at);
        }
        expect(layout.total).toBe(layout.offsetAt(to - from));
      }),
    );
  });
  test('the rows of a view cover it, with none to spare', () => {
    fc.assert(
      fc.property(window, heights, fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(2000), ([from, to], measured, part, height) => {
        const layout = layoutOf(stretch(from, to), measured);
        const top = layout.total * part;
        const bottom = Math.min(layout.total, top + height);
        const { first, last } = layout.range(top, bottom);
        expect(layout.offsetAt(first)).toBeLessThanOrEqual(top);
        expect(layout.offsetAt(last + 1)).toBeGreaterThanOrEqual(bottom);
        expect(
          layout.offsetAt(first + 1) > top || first === layout.count - 1 || layout.offsetAt(first + 1) === layout.offsetAt(first),
        ).toBe(true);
        expect(layout.offsetAt(last)).toBeLessThanOrEqual(bottom);
      }),
    );
  });
  test('B29: a line is found again after any page, eviction and late height, where the row at it (or the nearest left) now is', () => {
    fc.assert(
      fc.property(window, heights, fc.nat(1000), window, heights, ([from, to], before, part, [newFrom, newTo], after) => {
        const layout = layoutOf(stretch(from, to), before);
        const top = (layout.total * part) / 1000;
        const line = layout.lineAt(top);
        layout.setRows(stretch(newFrom, newTo));
        for (const [n, height] of after) layout.measure(`r${n}`, height);
        const held = line.find(({ key }) => layout.placeOf(key) !== undefined);
        const found = layout.topOf(line);
        const place = held === undefined ? undefined : layout.placeOf(held.key);
        expect(found === null).toBe(place === undefined);
        expect(found ?? 0).toBeCloseTo(place === undefined ? 0 : layout.offsetAt(place) - held!.at, 6);
        // The row at the line itself comes first.
        expect(layout.placeOf(line[0]!.key) === undefined || held === line[0]).toBe(true);
      }),
    );
  });
  test('a page above, an eviction below and a late height at the same time move the line by exactly what came above it', () => {
    const layout = layoutOf(
      stretch(100, 200),
      stretch(100, 200).map((_, at) => [100 + at, 50] as const),
    );
    const line = layout.lineAt(2_510);
    layout.setRows(stretch(80, 170));
    for (let n = 80; n < 100; n++) layout.measure(`r${n}`, 30);
    layout.measure('r120', 350);
    expect(layout.topOf(line)).toBe(2_510 + 20 * 30 + 300);
  });
  test('what comes back takes the place it had', () => {
    const layout = layoutOf(stretch(0, 20), [[3, 777]]);
    layout.setRows(stretch(10, 30));
    layout.setRows(stretch(0, 20));
    expect(layout.offsetAt(4) - layout.offsetAt(3)).toBe(777);
  });
  test('rows to come are guessed by the mean of their kind; those that are here do not move for it', () => {
    const layout = layoutOf(stretch(0, 20));
    const before = layout.offsetAt(20);
    layout.measure('r0', 40);
    layout.measure('r2', 60);
    layout.measure('r1', 400);
    expect(layout.offsetAt(20) - layout.offsetAt(3)).toBeCloseTo((before / 20) * 17, 6);
    layout.setRows(stretch(0, 22));
    expect(layout.offsetAt(21) - layout.offsetAt(20)).toBe(50);
    expect(layout.offsetAt(22) - layout.offsetAt(21)).toBe(400);
    layout.forgetMeans();
    layout.setRows(stretch(0, 24));
    expect(layout.offsetAt(23) - layout.offsetAt(22)).toBe(before / 20);
  });
  test('a height of a row that is not here is not taken, and the same again changes nothing', () => {
    const layout = layoutOf(stretch(0, 5));
    expect(layout.measure('r9', 10)).toBe(false);
    expect(layout.measure('r1', 10)).toBe(true);
    expect(layout.measure('r1', 10)).toBe(false);
  });
  test('what is remembered does not grow with what was paged through', () => {
    const layout = new VirtualLayout();
    let most = 0;
    for (let from = 0; from < 60_000; from += 50) {
      layout.setRows(stretch(from, from + 250));
      for (let n = from; n < from + 250; n++) layout.measure(`r${n}`, (n % 7) * 30 + 10);
      most = Math.max(most, layout.held);
    }
    expect(most).toBeLessThanOrEqual(2 * 250 + 250);
  });
  test('a list of nothing has no rows to show', () => {
    const layout = new VirtualLayout();
    expect(layout.total).toBe(0);
    expect(layout.range(0, 800)).toEqual({ first: 0, last: -1 });
    expect(layout.topOf(layout.lineAt(0))).toBeNull();
  });
});
