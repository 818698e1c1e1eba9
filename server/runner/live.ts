/**
 * What streams now, per session: the fold (the truth that a seal explodes) and the coalesced, numbered frames that
 * subscribers get. At most one frame per `frameMs`; adjacent deltas of one chunk are merged while they wait, so a fast
 * provider or a chatty tool costs a bounded number of frames (law 15). What waits is folded when it is sent, not token by
 * token: a token costs the same however much is live beside it, and two hundred sessions that stream at once stay fair.
 */
import { emptyFold, fold, snapshotOf, type LiveFold, type LiveKey } from '#shared/chunks/fold.ts';
import type { Report, Timers } from '#shared/ports.ts';
import type { AgentEvent, StepEvent } from '#shared/protocol/agent-events.ts';
import type { LiveSnapshot } from '#shared/protocol/summaries.ts';
import type { LiveFrame, LiveSource } from './port.ts';

export interface LiveBoard extends LiveSource {
  /** Opens a key. Whatever was live before is gone: it was sealed, or its attempt is void. `afterSeq`: the live part follows it. */
  begin(sessionId: string, key: LiveKey, afterSeq: number): void;
  push(sessionId: string, event: StepEvent): void;
  current(sessionId: string): LiveFold | null;
  /** Rows that are about to be sealed while others of the phase go on: dropped here, and from frames not sent yet. */
  drop(sessionId: string, places: ReadonlySet<number>): void;
  /** Right before the seal of the whole phase: frames not sent yet are discarded, the sealed rows say it all. */
  end(sessionId: string): void;
}

interface Entry {
  /** Without what is waiting. */
  fold: LiveFold;
  afterSeq: number;
  n: number;
  waiting: AgentEvent[];
  cancel: (() => void) | null;
}

export function createLiveBoard(parts: { timers: Timers; report: Report; frameMs: number }): LiveBoard {
  const entries = new Map<string, Entry>();
  const listeners = new Set<(frame: LiveFrame) => void>();

  function send(sessionId: string, entry: Entry): void {
    const { turnId, step, attempt, phase } = entry.fold;
    const events = entry.waiting;
    entry.waiting = [];
    entry.fold = fold(entry.fold, events);
    entry.n += 1;
    const frame: LiveFrame = { sessionId, turnId, step, attempt, phase, n: entry.n, events };
    for (const listener of listeners) {
      try {
        listener(frame);
      } catch (error) {
        parts.report('live.listener-failed', { error });
      }
    }
  }

  /** Sends now and opens a pause of `frameMs`; what comes in it goes out together at its end. */
  function flush(sessionId: string, entry: Entry): void {
    entry.cancel = null;
    if (entry.waiting.length === 0) return;
    send(sessionId, entry);
    entry.cancel = parts.timers.after(parts.frameMs, () => flush(sessionId, entry));
  }

  return {
    begin(sessionId, key, afterSeq) {
      entries.get(sessionId)?.cancel?.();
      entries.set(sessionId, { fold: emptyFold(key), afterSeq, n: 0, waiting: [], cancel: null });
    },
    push(sessionId, stepEvent) {
      const entry = entries.get(sessionId);
      if (entry === undefined) return;
      const event: AgentEvent = { ...stepEvent, turnId: entry.fold.turnId, step: entry.fold.step };
      merge(entry.waiting, event);
      if (entry.cancel === null) flush(sessionId, entry);
    },
    current(sessionId) {
      const entry = entries.get(sessionId);
      if (entry === undefined) return null;
      return entry.waiting.length === 0 ? entry.fold : fold(entry.fold, entry.waiting);
    },
    drop(sessionId, places) {
      const entry = entries.get(sessionId);
      if (entry === undefined) return;
      entry.fold = { ...entry.fold, chunks: entry.fold.chunks.filter((chunk) => !places.has(chunk.i)) };
      entry.waiting = entry.waiting.filter((event) => !('i' in event) || !places.has(event.i));
    },
    end(sessionId) {
      entries.get(sessionId)?.cancel?.();
      entries.delete(sessionId);
    },
    snapshot(sessionId): LiveSnapshot | null {
      const entry = entries.get(sessionId);
      if (entry === undefined) return null;
      // What waits goes out first: it must be in the snapshot, and not reach the new subscriber once more after it.
      if (entry.waiting.length > 0) send(sessionId, entry);
      return snapshotOf(entry.fold, entry.n, entry.afterSeq);
    },
    onFrame(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Adds an event to those waiting; a delta joins the delta before it when both are of one chunk and stream. */
export function merge(waiting: AgentEvent[], event: AgentEvent): void {
  const last = waiting.at(-1);
  if (last === undefined || last.type !== event.type || last.step !== event.step || last.turnId !== event.turnId) {
    waiting.push(event);
    return;
  }
  switch (event.type) {
    case 'text-delta':
    case 'thinking-delta':
    case 'tool-call-args':
      if ('text' in last && 'i' in last && last.i === event.i) waiting[waiting.length - 1] = { ...event, text: last.text + event.text };
      else waiting.push(event);
      return;
    case 'tool-output':
      if (last.type === 'tool-output' && last.i === event.i && last.stream === event.stream)
        waiting[waiting.length - 1] = { ...event, text: last.text + event.text };
      else waiting.push(event);
      return;
    default:
      waiting.push(event);
  }
}
