/**
 * Logs of sessions between their turns. A turn needs the whole log, to build the wire from; read again at each turn it would
 * cost what the session is long. So what a turn had read stays here, within a bound, and the next one reads on from its end.
 */
import type { Timers } from '#shared/ports.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import { SessionHistory } from './history.ts';

/**
 * Memory of all logs on the shelf together. A session of a thousand steps is some megabytes, so this is a dozen such or
 * hundreds of usual ones: those that somebody is talking to. One that was put out costs one reading, as after a start.
 */
export const SHELF_BYTES = 64 * 1024 * 1024;
/** Records read in one go: a reading is one stretch in which nobody else's turn moves. */
const PIECE = 200;

export interface Shelf {
  /** The session's log up to its head. From here on it is the turn's: it is on the shelf again once it is put back. */
  take(sessionId: string): Promise<SessionHistory>;
  /** Reads on to the head. */
  readOn(history: SessionHistory): Promise<void>;
  /** After the turn. What was used longest ago goes when there is too much; what is too large by itself does not stay. */
  put(history: SessionHistory): void;
  /** The session was deleted: nothing of it stays. */
  forget(sessionId: string): void;
  readonly bytes: number;
}

export interface ShelfParts {
  history(sessionId: string, after: number, limit?: number): Promise<LogRecord[]>;
  timers: Timers;
  maxBytes: number;
}

export function createShelf({ history: read, timers, maxBytes }: ShelfParts): Shelf {
  /** In order of use: the first is the one that was used longest ago. */
  const kept = new Map<string, SessionHistory>();
  /** Taken and not put back. */
  const out = new Map<string, SessionHistory>();
  let bytes = 0;

  function remove(sessionId: string): SessionHistory | undefined {
    const found = kept.get(sessionId);
    if (found === undefined) return undefined;
    kept.delete(sessionId);
    bytes -= found.bytes;
    return found;
  }

  async function readOn(history: SessionHistory): Promise<void> {
    for (;;) {
      const rows = await read(history.sessionId, history.head, PIECE);
      history.append(rows);
      if (rows.length < PIECE) return;
      // Between two pieces everybody else has their turn.
      await new Promise<void>((resolve) => timers.after(0, resolve));
    }
  }

  return {
    async take(sessionId) {
      const history = remove(sessionId) ?? new SessionHistory(sessionId);
      out.set(sessionId, history);
      try {
        await readOn(history);
      } catch (error) {
        out.delete(sessionId);
        throw error;
      }
      return history;
    },
    readOn,
    put(history) {
      const { sessionId } = history;
      // Forgotten, or read anew by somebody else, while the turn had it.
      if (out.get(sessionId) !== history) return;
      out.delete(sessionId);
      if (history.bytes > maxBytes) return;
      kept.set(sessionId, history);
      bytes += history.bytes;
      for (const oldest of kept.keys()) {
        if (bytes <= maxBytes) break;
        remove(oldest);
      }
    },
    forget(sessionId) {
      out.delete(sessionId);
      remove(sessionId);
    },
    get bytes() {
      return bytes;
    },
  };
}
