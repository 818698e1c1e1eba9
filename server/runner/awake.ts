/**
 * The machine does not go to sleep while a turn runs. Whatever the number of turns, one effect keeps it awake: begun with the
 * first, and let go a little after the last, since the next often follows at once. It is never a reason for a turn to fail.
 */
import type { Report, Timers } from '#shared/ports.ts';

/** Begins to keep the machine awake; the answer ends it. `ended`: it ended by itself. May throw. */
export type StayAwake = (ended: () => void) => () => void;

export interface Awake {
  /** Until the answer is called. Never throws. */
  hold(): () => void;
  /** Lets go at once, whoever holds. */
  close(): void;
}

const LINGER_MS = 5000;

export function createAwake({ stay, timers, report }: { stay: StayAwake; timers: Timers; report: Report }): Awake {
  let holds = 0;
  let stop: (() => void) | null = null;
  let cancelLinger: (() => void) | null = null;
  /** Where it does not work once it is not tried again at each turn. */
  let offered = true;

  function failed(error?: unknown): void {
    stop = null;
    offered = false;
    report('awake.not-offered', error === undefined ? {} : { error });
  }
  function begin(): void {
    if (stop !== null || !offered) return;
    try {
      stop = stay(failed);
    } catch (error) {
      failed(error);
    }
  }
  function end(): void {
    cancelLinger?.();
    cancelLinger = null;
    stop?.();
    stop = null;
  }

  return {
    hold() {
      holds += 1;
      cancelLinger?.();
      cancelLinger = null;
      begin();
      let held = true;
      return () => {
        if (!held) return;
        held = false;
        holds -= 1;
        if (holds === 0) cancelLinger = timers.after(LINGER_MS, end);
      };
    },
    close: end,
  };
}
