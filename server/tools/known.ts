/**
 * What each session has seen of each file, by content hash (B50): a file that is not as it was seen is never overwritten
 * blindly. Only in memory, so after a restart, or past the bound, a file counts as unseen, which errs on the safe side.
 */
export interface KnownFiles {
  /** Hash of the file as this session last read or wrote it; null: not seen. */
  seen(sessionId: string, real: string): string | null;
  saw(sessionId: string, real: string, hash: string): void;
  /** Runs `work` while no other call of this server writes the same file. */
  alone<T>(real: string, work: () => Promise<T>): Promise<T>;
}

const MAX_KNOWN = 10_000;

function keyOf(sessionId: string, real: string): string {
  return `${sessionId}\0${real}`;
}

export function createKnownFiles(max = MAX_KNOWN): KnownFiles {
  // In order of last use: a Map keeps the order of insertion.
  const hashes = new Map<string, string>();
  const queues = new Map<string, Promise<void>>();
  return {
    seen(sessionId, real) {
      return hashes.get(keyOf(sessionId, real)) ?? null;
    },
    saw(sessionId, real, hash) {
      const key = keyOf(sessionId, real);
      hashes.delete(key);
      hashes.set(key, hash);
      if (hashes.size > max) hashes.delete(hashes.keys().next().value!);
    },
    async alone(real, work) {
      const before = queues.get(real);
      const mine = (before ?? Promise.resolve()).then(work);
      // Whoever waits behind hears only that this call is over; how it ended is its caller's.
      const over = mine.then(
        () => undefined,
        () => undefined,
      );
      queues.set(real, over);
      try {
        return await mine;
      } finally {
        if (queues.get(real) === over) queues.delete(real);
      }
    },
  };
}
