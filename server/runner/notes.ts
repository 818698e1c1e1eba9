/**
 * The words of rows that Cairn itself writes: what the reader sees and, where the model must know, the exact `wire` words it
 * is shown. They are stored with the row, so a later change here moves no byte of an old session's wire (law 11).
 */
import type { ChunkDraft } from '#shared/chunks/explode.ts';
import { chunkId } from '#shared/ids.ts';
import type { ChunkDataByType, LogRecord, Mode, SystemKind, ToolResultData } from '#shared/protocol/records.ts';

export interface RowPlace {
  turnId: string;
  step: number;
  /** Place among the step's own `s` rows. */
  i: number;
}

export function systemRow(place: RowPlace, kind: SystemKind, text: string, wire?: string): ChunkDraft {
  const data: ChunkDataByType['system'] = wire === undefined ? { kind, text } : { kind, text, wire };
  return {
    id: chunkId(place.turnId, place.step, 's', place.i),
    turnId: place.turnId,
    step: place.step,
    role: 'system',
    type: 'system',
    data,
  };
}
export function errorRow(place: RowPlace, data: ChunkDataByType['error']): ChunkDraft {
  return {
    id: chunkId(place.turnId, place.step, 's', place.i),
    turnId: place.turnId,
    step: place.step,
    role: 'system',
    type: 'error',
    data,
  };
}
export function usageRow(place: RowPlace, data: ChunkDataByType['usage']): ChunkDraft {
  return {
    id: chunkId(place.turnId, place.step, 's', place.i),
    turnId: place.turnId,
    step: place.step,
    role: 'system',
    type: 'usage',
    data,
  };
}

/** The result of a call that was not run to its end. `i`: the call's place in call order. */
export function resultRow(turnId: string, step: number, i: number, data: ToolResultData): ChunkDraft {
  return { id: chunkId(turnId, step, 't', i), turnId, step, role: 'tool', type: 'tool_result', data };
}
export function notRun(callId: string, words: string, outcome: 'not-run' | 'denied' | 'interrupted' = 'not-run'): ToolResultData {
  return { callId, content: [{ type: 'text', text: words }], isError: true, outcome };
}

/** First free place among a step's `s` rows. `records`: of the session or the turn; looked at from the end, no further than the step's first row. */
export function freePlace(records: readonly LogRecord[], turnId: string, step: number): number {
  const prefix = `${turnId}.${step}.s.`;
  let next = 0;
  for (let at = records.length - 1; at >= 0; at--) {
    const record = records[at]!;
    if (record.turnId !== null && record.turnId !== turnId) break;
    if (record.kind !== 'chunk' || record.turnId === null) continue;
    if (record.step !== null && record.step < step) break;
    if (record.id.startsWith(prefix)) next = Math.max(next, Number(record.id.slice(prefix.length)) + 1);
  }
  return next;
}

const MODE_WORDS: Record<Mode, string> = {
  ask: 'the user is asked before anything is written, edited or run',
  'accept-edits': 'files may be written and edited at once; the user is asked before a command is run',
  plan: 'only reading is allowed; nothing may be written, edited or run, so answer with a plan',
  auto: 'everything may be done without asking',
};
/** Facts that change between turns, told at the tail so that the prefix stays as it was (WIRE 1, B41). `now`: ms since 1970. */
export function contextWords(now: number, mode: Mode): string {
  return `<context>Today is ${new Date(now).toISOString().slice(0, 10)}. Mode "${mode}": ${MODE_WORDS[mode]}.</context>`;
}

export const WORDS = {
  stopped: { text: 'You stopped this turn.', wire: '[The user stopped you here. What you wrote above was cut off.]' },
  cutByProvider: {
    text: 'Interrupted: the connection to the model was lost. The answer goes on below.',
    wire: '[Your reply was cut off here by a fault. Go on from exactly where it stopped and do not repeat what is already written.]',
  },
  cutAndFailed: { text: 'Interrupted: the connection to the model was lost.', wire: '[Your reply was cut off here by a fault.]' },
  cutByRestart: {
    text: 'Interrupted: the server stopped in the middle of this turn. It goes on below.',
    wire: '[The server was restarted here; whatever you were writing after the last message is lost. Go on with the task.]',
  },
  cutForGood: {
    text: 'Interrupted: the server stopped in the middle of this turn too often. Resume lets it go on.',
    wire: '[The server was restarted here; whatever you were writing after the last message is lost.]',
  },
  empty: { text: 'The model answered nothing. It was asked to go on.', wire: '[Your reply was empty. Go on.]' },
  stillEmpty: { text: 'The model answered nothing.' },
  cutOff: {
    text: 'The answer reached its length limit. It goes on below.',
    wire: '[Your reply reached the length limit and was cut off. Go on from exactly where it stopped.]',
  },
  cutOffAtLast: { text: 'The answer reached its length limit and ends here.' },
  cutOffForGood: { text: 'The answer reached its length limit too often and ends here.' },
  notFinished: {
    text: 'The model asked for tools without finishing its message. They were not run.',
    wire: '[Your message did not end as a tool request, so none of its tools were run. Ask again if you still need them.]',
  },
  unknownStop: 'The model stopped for a reason this version does not know',
  lastStep: {
    text: 'The last step of this turn: it can use no tools.',
    wire: '[This is the last step of this turn: no tools can be used in it. Say in words what is done, what is left, and what you would do next.]',
  },
  limit: {
    text: 'The turn reached its step limit and ends here.',
    wire: '[You reached the step limit of this turn. The user may send you on.]',
  },
  mayHaveRun: 'Interrupted, may have run. The server stopped while this ran; it was not run again. Check before you repeat it.',
  undecided: 'Not run: the server stopped before the user decided.',
  stoppedTool: 'Interrupted by the user. It may have run in part.',
  stoppedUndecided: 'Not run: the user stopped the turn before deciding.',
  stoppedBefore: 'Not run: the user stopped the turn first.',
  cutCall: 'Not run: your message was cut off before it was complete.',
  lastStepCall: 'Not run: this was the last step of the turn, in which no tools can be used.',
  unfinishedCall: 'Not run: your message did not end as a tool request.',
  denied: 'The user said no to this. Do not try it again in another way; ask what they want instead, or go on without it.',
  refusedByMode: 'Not run: the session is in plan mode, where only reading is allowed. Describe what you would do instead.',
} as const;
