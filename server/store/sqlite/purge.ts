/**
 * Removes what deleted sessions have left, in small transactions with the event loop free between them: the log of a long
 * session must not hold up everybody else's commits.
 */
import type { Core } from './core.ts';
import { nextTick } from './next-tick.ts';

/** Records a transaction. */
const BATCH = 500;

export interface Purger {
  /** Starts, or goes on; never throws. */
  start(): void;
  /** Resolves when nothing is being removed; what is left is removed after the next start. */
  stop(): Promise<void>;
}

export function purger(core: Core): Purger {
  let running: Promise<void> | null = null;
  let again = false;
  let stopped = false;

  async function run(): Promise<void> {
    do {
      again = false;
      for (const { key, id } of core.sql.toPurge()) {
        let more = true;
        while (more) {
          if (stopped) return;
          more = purgeBatch(core, key, id);
          await nextTick();
        }
      }
    } while (again);
  }
  function start(): void {
    again = true;
    if (stopped || running !== null) return;
    running = run()
      .catch((error: unknown) => core.report('purge-failed', { error }))
      .finally(() => {
        running = null;
        if (again) start();
      });
  }
  return {
    start,
    async stop() {
      stopped = true;
      await running;
    },
  };
}

/** True: there is more. */
function purgeBatch(core: Core, key: number, id: string): boolean {
  return core.write(() => {
    const blobs = core.sql.purgeBlobs(key, BATCH);
    const removed = core.sql.purgeRecords(key, BATCH);
    for (const { blob } of blobs) core.sql.purgeBlob(blob);
    if (removed === BATCH) return true;
    core.sql.purgeTurns(key);
    core.sql.purgeApprovals(id);
    core.sql.purgeCommands(id);
    core.sql.purgeWords(id);
    core.sql.purged(key);
    core.sql.dropStaged(key);
    return false;
  });
}
