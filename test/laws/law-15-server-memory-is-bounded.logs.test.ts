/** Law 15: what the server keeps of sessions' logs between turns is within a bound, and nothing of a session that was deleted. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Shelf } from '../../server/runner/shelf.ts';
import { openBench, type Bench } from '../support/runner/scripted.ts';

const MOST = 40_000;
const seen = vi.hoisted(() => ({ shelves: [] as Shelf[] }));
/** The real shelf, with little room, and a window into it. */
vi.mock('../../server/runner/shelf.ts', async (original) => {
  const real = await original<typeof import('../../server/runner/shelf.ts')>();
  return {
    ...real,
    createShelf: (parts: Parameters<typeof real.createShelf>[0]): Shelf => {
      const shelf = real.createShelf({ ...parts, maxBytes: MOST });
      seen.shelves.push(shelf);
      return shelf;
    },
  };
});

let bench: Bench;
beforeEach(async () => {
  seen.shelves.length = 0;
  bench = await openBench();
});
afterEach(() => bench.close());
const kept = (): number => seen.shelves.reduce((sum, shelf) => sum + shelf.bytes, 0);
const drop = (session: string): Promise<unknown> => bench.store.deleteSession(session, { id: null, now: 0 });

test('however many sessions run one after another, what is kept stays within the bound, and each turn has its whole log', async () => {
  const sessions = await Promise.all(Array.from({ length: 12 }, () => bench.session()));
  for (const round of ['a', 'b']) {
    for (const session of sessions) {
      await bench.send(session, `${round} ${'words '.repeat(200)}`);
      await bench.runner.idle();
      expect(kept()).toBeLessThanOrEqual(MOST);
      const { records } = bench.requests.at(-1)!;
      expect(records.map((record) => record.seq)).toEqual(records.map((_, at) => at + 1));
    }
  }
  expect(kept()).toBeGreaterThan(0);
});

test('of a deleted session nothing is kept, whether its turn had ended or not', async () => {
  const ended = await bench.session();
  await bench.send(ended, 'go');
  await bench.runner.idle();
  expect(kept()).toBeGreaterThan(0);
  await drop(ended);
  expect(kept()).toBe(0);

  const running = await bench.session();
  bench.script = (to) => to.hang();
  await bench.send(running, 'go');
  await bench.until(() => bench.requests.length === 2);
  await drop(running);
  bench.runner.abort(running, null);
  await bench.runner.idle();
  expect(kept()).toBe(0);
});
