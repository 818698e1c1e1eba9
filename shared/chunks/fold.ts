/**
 * Folding: events → live chunks. Pure, and blind to batching: any split of the same events folds to the same chunks
 * (law 14). The server folds what it streams, the client folds what it receives, and what is sealed is `explode` of
 * the server's fold, so that the live view and the sealed rows are one thing.
 *
 * A fold is of one key `(turnId, step, attempt, phase)`. Chunks are replaced, never mutated, so a reader may compare by
 * identity; chunks stay in order of `i`, whatever order parallel tools speak in.
 */
import { chunkId } from '../ids.ts';
import type { AgentEvent } from '../protocol/agent-events.ts';
import type { ChunkDataByType } from '../protocol/records.ts';
import type { LiveChunk, LiveSnapshot, Phase } from '../protocol/summaries.ts';
import { noteGrowth } from './grown.ts';

export interface LiveFold {
  readonly turnId: string;
  readonly step: number;
  readonly attempt: number;
  readonly phase: Phase;
  /** Hash of the base URL, from the attempt's `step-start`. */
  readonly source: string | null;
  readonly chunks: readonly LiveChunk[];
  /** The wait before the next attempt, while it lasts. */
  readonly retry: { readonly at: number; readonly reason: string } | null;
  readonly status: string | null;
}
export interface LiveKey {
  turnId: string;
  step: number;
  attempt: number;
  phase: Phase;
}

/** Nothing folded yet. */
export function emptyFold(key: LiveKey): LiveFold {
  return {
    turnId: key.turnId,
    step: key.step,
    attempt: key.attempt,
    phase: key.phase,
    source: null,
    chunks: [],
    retry: null,
    status: null,
  };
}

/** Whether two keys name the same stretch of streaming. */
export function sameKey(a: LiveKey, b: LiveKey): boolean {
  return a.turnId === b.turnId && a.step === b.step && a.attempt === b.attempt && a.phase === b.phase;
}

/** The fold that a snapshot describes: events after it fold on to the very chunks that the server's fold has. */
export function foldOfSnapshot(snapshot: LiveSnapshot): LiveFold {
  return { ...emptyFold(snapshot), source: snapshot.source ?? null, retry: snapshot.retry ?? null, chunks: snapshot.chunks };
}

/** What a newcomer is sent of a fold. `n`: the last frame folded in; `afterSeq`: the seq that the live part follows. */
export function snapshotOf(live: LiveFold, n: number, afterSeq: number): LiveSnapshot {
  const { turnId, step, attempt, phase, source, retry, chunks } = live;
  const more = { ...(source === null ? {} : { source }), ...(retry === null ? {} : { retry }) };
  return { turnId, step, attempt, phase, n, afterSeq, ...more, chunks: [...chunks] };
}

/** Folds events of the fold's own key, in order. Events of another turn or step are ignored: they belong to another fold. */
export function fold(state: LiveFold, events: readonly AgentEvent[]): LiveFold {
  let next = state;
  let chunks: LiveChunk[] | null = null;
  const own = (): LiveChunk[] => (chunks ??= [...state.chunks]);
  for (const event of events) {
    if (event.turnId !== state.turnId || event.step !== state.step) continue;
    switch (event.type) {
      case 'step-start':
        chunks = [];
        next = { ...next, attempt: event.attempt, source: event.source, retry: null, status: null };
        break;
      case 'retry':
        next = { ...next, retry: { at: event.at, reason: event.reason } };
        break;
      case 'status':
        next = { ...next, status: event.text };
        break;
      default:
        foldChunk(next, own(), event);
    }
  }
  return chunks === null ? next : { ...next, chunks };
}

type ChunkEvent = Exclude<AgentEvent, { type: 'step-start' | 'retry' | 'status' }>;

function foldChunk(state: LiveFold, chunks: LiveChunk[], event: ChunkEvent): void {
  switch (event.type) {
    case 'text-delta':
      return change<'text'>(state, chunks, event.i, 'text', { text: '' }, (data) =>
        noteGrowth({ ...data, text: data.text + event.text }, data, event.text),
      );
    case 'text-end':
      return change<'text'>(
        state,
        chunks,
        event.i,
        'text',
        { text: '' },
        (data) => (event.citations === undefined ? data : { ...data, citations: event.citations }),
        false,
      );
    case 'thinking-delta':
      return change<'thinking'>(state, chunks, event.i, 'thinking', { text: '' }, (data) =>
        noteGrowth({ ...data, text: data.text + event.text }, data, event.text),
      );
    case 'thinking-end':
      return change<'thinking'>(
        state,
        chunks,
        event.i,
        'thinking',
        { text: '' },
        (data) =>
          event.signature === undefined
            ? data
            : { ...data, signature: event.signature, ...(state.source === null ? {} : { source: state.source }) },
        false,
      );
    case 'tool-call-start': {
      const start: ChunkDataByType['tool_call'] = { callId: event.callId, name: event.name, args: '' };
      if (event.caller !== undefined) start.caller = event.caller;
      return change<'tool_call'>(state, chunks, event.i, 'tool_call', start, (data) => data);
    }
    case 'tool-call-args':
      return change<'tool_call'>(state, chunks, event.i, 'tool_call', null, (data) => ({ ...data, args: data.args + event.text }));
    case 'tool-call-end':
      return change<'tool_call'>(state, chunks, event.i, 'tool_call', null, (data) => data, false);
    case 'raw': {
      const data: ChunkDataByType['raw'] = event.replay === false ? { block: event.block, replay: false } : { block: event.block };
      return change<'raw'>(state, chunks, event.i, 'raw', data, () => data, false);
    }
    case 'tool-output':
      return change<'tool_result'>(state, chunks, event.i, 'tool_result', blankResult(event.callId), (data) =>
        withOutput(data, event.stream, event.text),
      );
    case 'tool-end':
      return change<'tool_result'>(
        state,
        chunks,
        event.i,
        'tool_result',
        blankResult(event.callId),
        (data) => {
          const shell = data.shell ?? (event.exitCode === undefined ? undefined : { stdout: '', stderr: '', exitCode: null });
          return {
            callId: data.callId,
            content: data.content,
            isError: event.isError,
            ...(shell === undefined ? {} : { shell: { ...shell, exitCode: event.exitCode ?? null } }),
            ...(event.truncated === undefined ? {} : { truncated: event.truncated }),
            ...(event.outcome === undefined ? {} : { outcome: event.outcome }),
          };
        },
        false,
      );
  }
}

function blankResult(callId: string): ChunkDataByType['tool_result'] {
  return { callId, content: [], isError: false };
}

function withOutput(
  data: ChunkDataByType['tool_result'],
  stream: 'stdout' | 'stderr' | 'result',
  text: string,
): ChunkDataByType['tool_result'] {
  if (stream === 'result') return { ...data, content: [{ type: 'text', text: (data.content[0]?.text ?? '') + text }] };
  const shell = data.shell ?? { stdout: '', stderr: '', exitCode: null };
  return { ...data, shell: { ...shell, [stream]: shell[stream] + text } };
}

/**
 * Replaces chunk `i` by what `edit` makes of its data. `start` null: the event only means something to a chunk that is
 * there already. A delta for a chunk that is closed or of another type is a stray of a faulty server: it changes nothing.
 */
function change<T extends 'text' | 'thinking' | 'tool_call' | 'tool_result' | 'raw'>(
  state: LiveFold,
  chunks: LiveChunk[],
  i: number,
  type: T,
  start: ChunkDataByType[T] | null,
  edit: (data: ChunkDataByType[T]) => ChunkDataByType[T],
  open = true,
): void {
  let at = chunks.length;
  while (at > 0 && chunks[at - 1]!.i >= i) at--;
  const found = chunks[at]?.i === i ? chunks[at] : undefined;
  if (found !== undefined) {
    if (found.type !== type || !found.open) return;
    chunks[at] = { ...found, data: edit(found.data as ChunkDataByType[T]), open };
    return;
  }
  if (start === null) return;
  const phase = state.phase === 'tools' ? 't' : 'm';
  const role = state.phase === 'tools' ? 'tool' : 'assistant';
  chunks.splice(at, 0, { id: chunkId(state.turnId, state.step, phase, i), i, role, type, data: edit(start), open });
}
