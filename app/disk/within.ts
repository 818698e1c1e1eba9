/** No promise that never settles: what takes too long fails, and is told so. */
import type { Timers } from '#shared/ports.ts';

/** What `task` answers, else after `ms` the error that `late` makes. */
export function within<T>(timers: Timers, ms: number, task: PromiseLike<T>, late: () => Error): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const cancel = timers.after(ms, () => reject(late()));
    task.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error instanceof Error ? error : new Error(String(error)));
      },
    );
  });
}
