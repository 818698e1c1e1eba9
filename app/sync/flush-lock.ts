/**
 * One flushes at a time, over all tabs of the device and its worker. Who is refused tries again the moment the holder lets go
 * (a closed one does), and a visible tab that saw no progress for 2 s takes the lock over; the fence that it then draws makes the
 * loser's marks void. Without Web Locks the fence alone keeps it orderly, and ids keep it right.
 */
import type { Timers } from '#shared/ports.ts';
import type { Own } from '../own/port.ts';
import type { Locks, Page } from './ports.ts';

const NAME = 'cairn-flush';
/** Milliseconds without progress after which a visible tab takes over. Counted by a timer: a clock may jump. */
export const STEAL_AFTER = 2_000;

export interface FlushLock {
  /** Runs `batch` with a fresh fence; false: another is at it. */
  run(batch: (fence: number) => Promise<void>): Promise<boolean>;
  /** Somebody got a row on its way. */
  progress(): void;
  /** After a refusal: resolves when another try is worth it. */
  turn(): Promise<void>;
}

export interface FlushLockParts {
  locks: Locks | null;
  own: Own;
  timers: Timers;
  page: Pick<Page, 'visible'>;
}

interface Wait {
  over: Promise<void>;
  /** Counts the time without progress from now. */
  restart(): void;
}
/** Until the lock is free, or nothing has moved for a while. */
function waitFor(locks: Locks, { timers, page }: FlushLockParts, stalled: () => void): Wait {
  const end = new AbortController();
  let cancel: (() => void) | null = null;
  const restart = (): void => {
    cancel?.();
    cancel = timers.after(STEAL_AFTER, () => {
      stalled();
      end.abort();
    });
  };
  const over = new Promise<void>((resolve) => end.signal.addEventListener('abort', () => resolve(), { once: true }));
  restart();
  // A hidden tab may be frozen when its turn comes, and would then hold what it cannot use.
  if (page.visible()) {
    void locks.freed(NAME, end.signal).then(() => {
      cancel?.();
      end.abort();
    });
  }
  return { over, restart };
}

export function flushLock(parts: FlushLockParts): FlushLock {
  const { locks, own, page } = parts;
  let stalled = false;
  let waiting: Wait | null = null;
  return {
    progress() {
      stalled = false;
      waiting?.restart();
    },
    async turn() {
      if (locks === null) return;
      waiting ??= waitFor(locks, parts, () => (stalled = true));
      await waiting.over;
      waiting = null;
    },
    async run(batch) {
      const task = async (): Promise<void> => batch(await own.claim());
      if (locks === null) {
        await task();
        return true;
      }
      const held = await locks.hold(NAME, page.visible() && stalled, task);
      if (held) stalled = false;
      return held;
    },
  };
}
