/** Random steps as a provider or a set of parallel tools would stream them, for property tests. */
import fc from 'fast-check';
import type { AgentEvent, StepEvent } from '#shared/protocol/agent-events.ts';

export const TURN = 'turn';
export const at = (event: StepEvent, step = 0): AgentEvent => ({ ...event, turnId: TURN, step });

const words = fc.string({ unit: 'grapheme', maxLength: 6 });
const pieces = fc.array(words, { maxLength: 5 });

/** The events of one block of a message, in order. Some are cut before their end. */
function block(i: number): fc.Arbitrary<StepEvent[]> {
  const text = fc
    .tuple(pieces, fc.constantFrom<{ citations?: unknown[] } | null>(null, {}, { citations: [{ cited_text: 'x' }] }))
    .map(([parts, end]): StepEvent[] => [
      ...parts.map((part): StepEvent => ({ type: 'text-delta', i, text: part })),
      ...(end === null ? [] : [{ type: 'text-end' as const, i, ...end }]),
    ]);
  const thinking = fc
    .tuple(pieces, fc.constantFrom(null, {}, { signature: 'sig+/=' }))
    .map(([parts, end]): StepEvent[] => [
      ...parts.map((part): StepEvent => ({ type: 'thinking-delta', i, text: part })),
      ...(end === null ? [] : [{ type: 'thinking-end' as const, i, ...end }]),
    ]);
  const call = fc
    .tuple(pieces, fc.boolean())
    .map(([parts, ended]): StepEvent[] => [
      { type: 'tool-call-start', i, callId: `call-${i}`, name: 'read' },
      ...parts.map((part): StepEvent => ({ type: 'tool-call-args', i, text: part })),
      ...(ended ? [{ type: 'tool-call-end' as const, i }] : []),
    ]);
  const raw = fc.constant<StepEvent[]>([{ type: 'raw', i, block: { type: 'redacted_thinking', data: 'x' } }]);
  return fc.oneof(text, thinking, call, raw);
}

/** The events of one tool, which may be running still. */
function tool(i: number): fc.Arbitrary<StepEvent[]> {
  const callId = `call-${i}`;
  const said = fc.array(fc.tuple(fc.constantFrom('stdout' as const, 'stderr' as const, 'result' as const), words), { maxLength: 6 });
  const end = fc.constantFrom(null, {}, { exitCode: 1 }, { exitCode: null, outcome: 'interrupted' as const }, { truncated: true });
  return fc
    .tuple(said, end, fc.boolean())
    .map(([outputs, facts, isError]): StepEvent[] => [
      ...outputs.map(([stream, text]): StepEvent => ({ type: 'tool-output', i, callId, stream, text })),
      ...(facts === null ? [] : [{ type: 'tool-end' as const, i, callId, isError, ...facts }]),
    ]);
}

/** Several lists as one, each in its own order: `picks` says whose turn it is. */
export function interleave<T>(lists: readonly (readonly T[])[], picks: readonly number[]): T[] {
  const left = lists.map((list) => [...list]);
  const all: T[] = [];
  for (let turn = 0; left.some((list) => list.length > 0); turn++) {
    const open = left.filter((list) => list.length > 0);
    all.push(open[(picks[turn % picks.length] ?? 0) % open.length]!.shift()!);
  }
  return all;
}

/** A list cut into consecutive batches, some of them empty. */
export function batches<T>(list: readonly T[], sizes: readonly number[]): T[][] {
  const all: T[][] = [];
  for (let from = 0, turn = 0; from < list.length; turn++) {
    const size = turn < sizes.length ? sizes[turn]! : list.length;
    all.push(list.slice(from, from + size));
    from += size;
  }
  return all;
}

const picks = fc.array(fc.nat(7), { minLength: 1, maxLength: 12 });
export const sizes = fc.array(fc.nat(4), { maxLength: 12 });

export interface RandomStep {
  phase: 'message' | 'tools';
  /** By block or tool. */
  lists: StepEvent[][];
  /** As they came. */
  events: AgentEvent[];
}
const stepOf = (phase: RandomStep['phase'], list: (i: number) => fc.Arbitrary<StepEvent[]>): fc.Arbitrary<RandomStep> =>
  fc
    .tuple(
      fc.integer({ min: 0, max: 5 }).chain((count) => fc.tuple(...Array.from({ length: count }, (_, i) => list(i)))),
      picks,
    )
    .map(([lists, turns]) => ({
      phase,
      lists,
      events: [
        ...(phase === 'message' ? [at({ type: 'step-start', attempt: 0, source: 'here' })] : []),
        ...interleave(lists, turns).map((event) => at(event)),
      ],
    }));
export const messageStep = stepOf('message', block);
export const toolsStep = stepOf('tools', tool);
