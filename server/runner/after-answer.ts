/** What a whole message asks for next, by its stop reason (WIRE 4). Pure. */
import type { PauseReason, SystemKind } from '#shared/protocol/records.ts';
import type { StopReason } from '../agent/port.ts';
import { WORDS } from './notes.ts';
import { BUDGET } from './turn-state.ts';

export interface AnswerFacts {
  stop: StopReason;
  calls: number;
  /** Something other than thinking or blank text was in it. */
  said: boolean;
  cutOffs: number;
  pauses: number;
  empties: number;
  /** The turn's last step: nothing may follow it. */
  last: boolean;
}
interface Counts {
  cutOffs: number;
  pauses: number;
  empties: number;
}
interface Note {
  kind: SystemKind;
  words: { text: string; wire?: string };
}
export type Next = { counts: Counts; note: Note | null } & (
  | { kind: 'tools' }
  /** Seal and make one more step. */
  | { kind: 'go-on' }
  /** The turn is over, unless a steer waits. */
  | { kind: 'settle' }
  /** It would go on, and may not: the turn is over before its end. */
  | { kind: 'limit' }
  | { kind: 'fail'; code: string; message: string; pause: PauseReason }
);

const NONE: Counts = { cutOffs: 0, pauses: 0, empties: 0 };

export function afterAnswer(facts: AnswerFacts): Next {
  const next = asked(facts);
  if (!facts.last || (next.kind !== 'tools' && next.kind !== 'go-on')) return next;
  const words = next.note === null ? undefined : LAST_WORDS[next.note.kind];
  return { kind: 'limit', counts: NONE, note: next.note === null || words === undefined ? null : { kind: next.note.kind, words } };
}

/** What a note says where nothing follows it. */
const LAST_WORDS: Partial<Record<SystemKind, { text: string }>> = { 'cut-off': WORDS.cutOffAtLast, empty: WORDS.stillEmpty };

/** The same with nothing in its way. */
function asked(facts: AnswerFacts): Next {
  switch (facts.stop) {
    case 'tool_use':
      // Only the provider's own tools were called: it wants the message back (WIRE 4).
      if (facts.calls === 0) return paused(facts);
      return { kind: 'tools', counts: NONE, note: null };
    case 'pause_turn':
      return paused(facts);
    case 'max_tokens': {
      const cutOffs = facts.cutOffs + 1;
      if (cutOffs > BUDGET.cutOffs) return { kind: 'settle', counts: NONE, note: { kind: 'cut-off', words: WORDS.cutOffForGood } };
      return { kind: 'go-on', counts: { ...NONE, cutOffs }, note: { kind: 'cut-off', words: WORDS.cutOff } };
    }
    case 'refusal':
      return { kind: 'fail', counts: NONE, note: null, code: 'refusal', message: 'The model refused to go on.', pause: 'refused' };
    case 'window_exceeded':
      return {
        kind: 'fail',
        counts: NONE,
        note: null,
        code: 'window-exceeded',
        message: 'The conversation is longer than the model can read.',
        pause: 'failed',
      };
    case 'end_turn':
      return ended(facts);
    case 'unknown':
      return { kind: 'settle', counts: NONE, note: { kind: 'notice', words: { text: `${WORDS.unknownStop}.` } } };
  }
}

function ended(facts: AnswerFacts): Next {
  const empties = facts.empties + 1;
  if (facts.calls > 0) {
    // A message that holds calls and does not end as a tool request: nothing of it may run (B27).
    if (empties > 1) return { kind: 'settle', counts: NONE, note: null };
    return { kind: 'go-on', counts: { ...NONE, empties }, note: { kind: 'notice', words: WORDS.notFinished } };
  }
  if (facts.said) return { kind: 'settle', counts: NONE, note: null };
  if (empties > 1) return { kind: 'settle', counts: NONE, note: { kind: 'empty', words: WORDS.stillEmpty } };
  return { kind: 'go-on', counts: { ...NONE, empties }, note: { kind: 'empty', words: WORDS.empty } };
}

function paused(facts: AnswerFacts): Next {
  const pauses = facts.pauses + 1;
  if (pauses > BUDGET.pauses)
    return {
      kind: 'settle',
      counts: NONE,
      note: { kind: 'notice', words: { text: 'The model paused too often and the turn ends here.' } },
    };
  return { kind: 'go-on', counts: { ...NONE, pauses }, note: null };
}
