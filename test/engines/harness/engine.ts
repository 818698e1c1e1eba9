/** What every engine can be asked to do, whatever protocol it speaks. */

/** A phone's window, in CSS pixels. */
export const PHONE = { width: 390, height: 844 };

/** One running browser with one window. */
export interface Engine {
  /** As it tells itself. */
  readonly version: string;
  /** Errors of the page and its worker, as the engine prints them; empty where it tells none. */
  readonly complaints: readonly string[];
  /** Goes to an address, and waits for its page. */
  go(url: string): Promise<void>;
  reload(): Promise<void>;
  readonly run: Run;
  /** A click at a point of the window. */
  press(x: number, y: number): Promise<void>;
  /** Types into what has the focus. */
  type(words: string): Promise<void>;
  /** A PNG of the window. */
  picture(): Promise<Buffer>;
  /** Cuts or mends the page's network inside the engine. False: it cannot. */
  offline(on: boolean): Promise<boolean>;
  /** Closes the browser. What it keeps on the disk stays. */
  close(): Promise<void>;
}

export type Plain = string | number | boolean | null | Plain[] | { [key: string]: Plain };

/** One engine and the folder of its profile; it may be started again and again. */
export interface Machine {
  start(): Promise<Engine>;
  /** Whether a browser that is started again finds what the last one kept. */
  readonly keeps: boolean;
  /** Ends whatever still runs, and removes the profile. */
  dispose(): Promise<void>;
}

/** Runs `task` in the page. It sees nothing but its arguments; they and its value are plain data. */
export type Run = <A extends Plain[], T>(task: (...args: A) => T | Promise<T>, ...args: A) => Promise<T>;

/** Pointer and keys in the words that WebDriver's two protocols share. `act`: performs input sources with their actions. */
export function handsBy(act: (actions: object[]) => Promise<unknown>): Pick<Engine, 'press' | 'type'> {
  return {
    async press(x, y) {
      const pointer = [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await act([{ type: 'pointer', id: 'pointer', actions: pointer }]);
    },
    async type(words) {
      const keys = [...words].flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]);
      await act([{ type: 'key', id: 'keys', actions: keys }]);
    },
  };
}

/** `evaluate` answers the string that a script's promise comes to. */
export function runBy(evaluate: (script: string) => Promise<unknown>): Run {
  return async <A extends Plain[], T>(task: (...args: A) => T | Promise<T>, ...args: A): Promise<T> => {
    const call = `(${task.toString()})(...${JSON.stringify(args)})`;
    const answer = await evaluate(
      `(async () => { try { return JSON.stringify({ value: await ${call} }); } catch (error) { return JSON.stringify({ error: String(error) }); } })()`,
    );
    if (typeof answer !== 'string') throw new Error(`the page answered ${JSON.stringify(answer)}`);
    const told = JSON.parse(answer) as { value: T; error?: string };
    if (told.error !== undefined) throw new Error(`in the page: ${told.error}`);
    return told.value;
  };
}
