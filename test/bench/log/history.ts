/**
 * A made-up session's log, record by record from its seq alone: the server's database and the browser's mirror are filled from
 * the same words without either being asked for the other's.
 */
import type { LogRecord, Role } from '#shared/protocol/records.ts';
import type { TurnMark } from '#shared/protocol/summaries.ts';
import { chanceOf } from '../kit/chance.ts';
import { codeBlock, paragraph, sentence } from './words.ts';

/** `work`: turns of 20 shown chunks with thinking and tools. `talk`: turns of a prompt and an answer. */
export interface Plan {
  readonly sessionId: string;
  readonly kind: 'work' | 'talk';
  readonly turns: number;
  /** The log's last words, found nowhere else. */
  readonly newest: string;
}
interface Place {
  readonly type: string;
  readonly step: number;
  readonly phase: string;
  readonly i: number;
}

const place = (type: string, step: number, phase: string, i: number): Place => ({ type, step, phase, i });
const called = (step: number): Place[] => [
  place('text', step, 'm', 0),
  place('tool_call', step, 'm', 1),
  place('tool_result', step, 't', 0),
];
const FRAME = { before: ['admitted', 'prompt', 'turn-started'], after: ['turn-settled'] } as const;
const LAYOUT: Record<Plan['kind'], readonly Place[]> = {
  work: [
    place('thinking', 0, 'm', 0),
    place('text', 0, 'm', 1),
    place('tool_call', 0, 'm', 2),
    place('usage', 0, 's', 0),
    place('tool_result', 0, 't', 0),
    ...[1, 2, 3, 4].flatMap(called),
    place('text', 5, 'm', 0),
    place('text', 5, 'm', 1),
    place('text', 5, 'm', 2),
  ],
  talk: [place('text', 0, 'm', 0), place('usage', 0, 's', 0)],
};
const ROLES: Record<string, Role> = { tool_result: 'tool', usage: 'system' };
const START = Date.UTC(2026, 0, 1);

const POOL = 61;
const chance = chanceOf(1);
const texts = Array.from({ length: POOL }, (_, at) => (at % 9 === 0 ? codeBlock(chance, 5) : paragraph(chance)));
const lines = Array.from({ length: POOL }, () => sentence(chance, 12));

/** Records of one turn. */
export function turnSize(kind: Plan['kind']): number {
  return LAYOUT[kind].length + FRAME.before.length + FRAME.after.length;
}
/** Chunks of one turn that are shown. */
export function shownSize(kind: Plan['kind']): number {
  return LAYOUT[kind].filter(({ type }) => type !== 'usage').length + 1;
}
export function headOf(plan: Plan): number {
  return plan.turns * turnSize(plan.kind);
}
/** How many records hold so many shown chunks, about. */
export function recordsOf(plan: Plan, chunks: number): number {
  return Math.ceil((chunks / shownSize(plan.kind)) * turnSize(plan.kind));
}
export function turnIdOf(plan: Plan, turn: number): string {
  return `${hex(turn)}-0000-7000-8000-${plan.sessionId.slice(-12)}`;
}
export function promptIdOf(plan: Plan, turn: number): string {
  return `${hex(turn)}-0002-7000-8000-${plan.sessionId.slice(-12)}`;
}
/** The words of a turn's prompt. */
function promptWords(turn: number): string {
  return `${turn + 1}. ${lines[turn % POOL]!}`;
}
/** A turn as the server lists it. */
export function markOf(plan: Plan, turn: number): TurnMark {
  const { seq, createdAt } = recordAt(plan, turn * turnSize(plan.kind) + 2);
  return { turnId: turnIdOf(plan, turn), seq, createdAt, words: promptWords(turn) };
}
function hex(value: number): string {
  return value.toString(16).padStart(8, '0');
}

/** The record at `seq`, from 1 to `headOf(plan)`. */
export function recordAt(plan: Plan, seq: number): LogRecord {
  const size = turnSize(plan.kind);
  const turn = Math.floor((seq - 1) / size);
  const at = (seq - 1) % size;
  const turnId = turnIdOf(plan, turn);
  const inputId = promptIdOf(plan, turn);
  const base = { sessionId: plan.sessionId, seq, createdAt: START + seq * 50 };
  const eventId = `${hex(seq)}-0001-7000-8000-${plan.sessionId.slice(-12)}`;
  if (at === 0) return { ...base, kind: 'event', id: eventId, type: 'admitted', turnId: null, data: { inputId, delivery: 'steer' } };
  if (at === 1) {
    const data = { content: [{ type: 'text', text: promptWords(turn) }] };
    return { ...base, kind: 'chunk', id: inputId, type: 'prompt', turnId, step: 0, role: 'user', data };
  }
  if (at === 2) return { ...base, kind: 'event', id: eventId, type: 'turn-started', turnId, data: { turnId } };
  if (at === size - 1) return { ...base, kind: 'event', id: eventId, type: 'turn-settled', turnId, data: { turnId, reason: 'done' } };
  const { type, step, phase, i } = LAYOUT[plan.kind][at - FRAME.before.length]!;
  const id = `${turnId}.${step}.${phase}.${i}`;
  const role = ROLES[type] ?? 'assistant';
  const newest = seq + (plan.kind === 'work' ? 1 : 2) === headOf(plan);
  const data = newest ? { text: plan.newest } : dataOf(type, seq, `call_${turn}_${step}`);
  return { ...base, kind: 'chunk', id, type, turnId, step, role, data };
}

function dataOf(type: string, seq: number, callId: string): unknown {
  const text = texts[seq % POOL]!;
  switch (type) {
    case 'thinking':
      return { text, signature: `s${hex(seq).repeat(12)}`, source: 'bench' };
    case 'tool_call':
      return { callId, name: 'read', args: JSON.stringify({ path: `notes/${seq % 997}.md` }) };
    case 'tool_result':
      return { callId, content: [{ type: 'text', text }], isError: false };
    case 'usage':
      return { input: 1_200, output: seq % 900, cacheRead: 90_000, cacheWrite: 800, model: 'bench' };
    default:
      return { text: `${seq}. ${text}` };
  }
}
