/**
 * One tab flushes at a time. A visible tab that sees no progress for 2 s takes the lock over; the fence that it then draws makes
 * the loser's marks void. Without Web Locks the fence alone keeps it orderly, and ids keep it right.
 */
import type { Clock } from '#shared/ports.ts';
import type { Own } from '../own/port.ts';
import type { Locks, Page } from './ports.ts';

const NAME = 'cairn-flush';
/** Milliseconds without progress after which a visible tab takes over. */
export const STEAL_AFTER = 2_000;

export interface FlushLock {
  /** Runs `batch` with a fresh fence; false: another tab is at it. */
  run(batch: (fence: number) => Promise<void>): Promise<boolean>;
  /** Some tab got a row on its way. */
  progress(): void;
}

export function flushLock(parts: { locks: Locks | null; own: Own; clock: Clock; page: Page }): FlushLock {
  const { locks, own, clock, page } = parts;
  let last = clock.now();
  let refusedSince: number | null = null;
  return {
    progress() {
      last = clock.now();
      refusedSince = null;
    },
    async run(batch) {
      const task = async (): Promise<void> => batch(await own.claim());
      if (locks === null) {
        await task();
        return true;
      }
      const waited = refusedSince === null ? 0 : clock.now() - Math.max(refusedSince, last);
      const held = await locks.hold(NAME, page.visible() && waited >= STEAL_AFTER, task);
      if (held) refusedSince = null;
      else refusedSince ??= clock.now();
      return held;
    },
  };
}
