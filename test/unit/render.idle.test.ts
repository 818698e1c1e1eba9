/** Idle work: the newest first, and what has left the page is not held. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { whenIdle } from '../../app/render/idle.ts';

let idle: (() => void)[] = [];
beforeEach(() => {
  idle = [];
  vi.stubGlobal('requestIdleCallback', (callback: () => void) => idle.push(callback));
});
afterEach(() => vi.unstubAllGlobals());
function rest(): void {
  for (let callback = idle.shift(); callback !== undefined; callback = idle.shift()) callback();
}

it('runs one piece at a time, the newest first', () => {
  const ran: number[] = [];
  for (const n of [1, 2, 3])
    whenIdle(
      () => ran.push(n),
      () => true,
    );
  idle.shift()!();
  expect(ran).toEqual([3]);
  rest();
  expect(ran).toEqual([3, 2, 1]);
});
it('lets go at once of everything that is not wanted any more', () => {
  const ran: number[] = [];
  for (let n = 0; n < 500; n++)
    whenIdle(
      () => ran.push(n),
      () => n === 7,
    );
  idle.shift()!();
  expect(ran).toHaveLength(500);
  expect(ran.at(-1)).toBe(7);
  expect(idle).toEqual([]);
});
