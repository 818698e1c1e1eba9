/**
 * A hold on the event loop. The store's group commit, fake-indexeddb and Dexie ask for another round of it (`setImmediate`,
 * `setTimeout(0)`); while a history is played these come here instead, and are let run one at a time. So it is known when
 * nothing is under way any more, without waiting for anything, and the order is always the same.
 */
type Task = () => void;
interface Held {
  setImmediate: typeof globalThis.setImmediate;
  setTimeout: typeof globalThis.setTimeout;
  clearImmediate: typeof globalThis.clearImmediate;
  clearTimeout: typeof globalThis.clearTimeout;
}
/** Real waits of others in this process (a test runner's) are left alone; these are no waits at all. */
const NO_WAIT = 4;
/** Rounds without an end are a fault of what is played, not of its length. */
const MOST_ROUNDS = 200_000;

export class Loop {
  readonly #tasks: { id: object; task: Task }[] = [];
  #held: Held | null = null;

  take(): void {
    const held: Held = { setImmediate, setTimeout, clearImmediate, clearTimeout };
    this.#held = held;
    const add = (task: Task): object => {
      const id = {};
      this.#tasks.push({ id, task });
      return id;
    };
    const drop = (id: unknown): boolean => {
      const at = this.#tasks.findIndex((one) => one.id === id);
      if (at >= 0) this.#tasks.splice(at, 1);
      return at >= 0;
    };
    const replace = {
      setImmediate: (callback: (...args: unknown[]) => void, ...args: unknown[]) => add(() => callback(...args)),
      setTimeout: (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
        ms <= NO_WAIT ? add(() => callback(...args)) : held.setTimeout(callback, ms, ...args),
      clearImmediate: (id: NodeJS.Immediate | undefined) => void (drop(id) || held.clearImmediate(id)),
      clearTimeout: (id: NodeJS.Timeout | undefined) => void (drop(id) || held.clearTimeout(id)),
    };
    Object.assign(globalThis, replace);
  }
  giveBack(): void {
    if (this.#held === null) return;
    Object.assign(globalThis, this.#held);
    this.#held = null;
    this.#tasks.length = 0;
  }

  /** Resolves when nothing is left that could go on by itself: neither promises nor rounds that were asked for. */
  async quiet(): Promise<void> {
    const { setImmediate: round } = this.#held!;
    for (let rounds = 0; rounds < MOST_ROUNDS; rounds++) {
      await new Promise<void>((resolve) => void round(resolve));
      const next = this.#tasks.shift();
      if (next === undefined) return;
      next.task();
    }
    throw new Error('the event loop never came to rest');
  }
}
