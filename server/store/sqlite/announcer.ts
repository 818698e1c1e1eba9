/** Tells listeners of commits, after them and in their order. */
import type { Report } from '#shared/ports.ts';
import type { Commit, CommitListener } from '../port.ts';

export interface Announcer {
  /** Answers the listener's removal. */
  add(listener: CommitListener): () => void;
  tell(commit: Commit): void;
}

/**
 * A listener that throws is reported and changes nothing for the others or the writer (I17). A listener that itself
 * writes makes a commit whose news wait until all have heard of this one.
 */
export function announcer(report: Report): Announcer {
  const listeners = new Set<CommitListener>();
  const waiting: Commit[] = [];
  let telling = false;
  return {
    add(listener) {
      // a set of wrappers, so that one function added twice is two listeners
      const own: CommitListener = (commit) => listener(commit);
      listeners.add(own);
      return () => void listeners.delete(own);
    },
    tell(commit) {
      waiting.push(commit);
      if (telling) return;
      telling = true;
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        for (const listener of Array.from(listeners)) {
          try {
            listener(next);
          } catch (error) {
            report('commit-listener-failed', { sessionId: next.sessionId, error });
          }
        }
      }
      telling = false;
    },
  };
}
