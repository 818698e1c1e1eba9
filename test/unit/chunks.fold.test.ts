import fc from 'fast-check';
import { expect, test } from 'vitest';
import { explode } from '#shared/chunks/explode.ts';
import { emptyFold, fold, foldOfSnapshot, snapshotOf } from '#shared/chunks/fold.ts';
import { group } from '#shared/chunks/group.ts';
import { viewOf, type ViewChunk } from '#shared/chunks/view.ts';
import type { AgentEvent, StepEvent } from '#shared/protocol/agent-events.ts';
import { at as of, batches, messageStep, sizes, toolsStep, TURN } from '../support/streams.ts';

const at = { turnId: 't', step: 0 };
const empty = emptyFold({ ...at, attempt: 0, phase: 'message' });

test('deltas of one place coalesce and adjacent thinking blocks stay apart', () => {
  const state = fold(empty, [
    { ...at, type: 'step-start', attempt: 0, source: 's' },
    { ...at, type: 'thinking-delta', i: 0, text: 'a' },
    { ...at, type: 'thinking-end', i: 0, signature: 'x' },
    { ...at, type: 'thinking-delta', i: 1, text: 'b' },
    { ...at, type: 'thinking-delta', i: 1, text: 'c' },
  ]);
  expect(state.chunks.map((chunk) => [chunk.id, chunk.data, chunk.open])).toEqual([
    ['t.0.m.0', { text: 'a', signature: 'x', source: 's' }, false],
    ['t.0.m.1', { text: 'bc' }, true],
  ]);
});

test('an event of a type that only a newer server knows changes nothing that is there', () => {
  const before = fold(empty, [{ ...at, type: 'text-delta', i: 0, text: 'a' }]);
  const after = fold(before, [
    { ...at, type: 'hologram-delta', i: 0, beam: 1 } as unknown as AgentEvent,
    { ...at, type: 'text-delta', i: 0, text: 'b' },
  ]);
  expect(after.chunks.map(({ data }) => data)).toEqual([{ text: 'ab' }]);
});

test('a block that nobody here knows passes through as it is, live, sealed and grouped', () => {
  const block = { type: 'hologram', nested: { beams: [1, 2, { x: null }] } };
  const live = fold(empty, [{ ...at, type: 'raw', i: 0, block }]);
  const rows = explode(live, 'complete');
  expect(rows[0]).toMatchObject({ type: 'raw', data: { block } });
  expect(group(viewOf(live, () => false))[0]!.items[0]!.chunk.data).toEqual({ block });
});

test('law 14: whatever the batches, the live view groups as the sealed rows do, with the same keys and contents', () => {
  const shape = (chunks: readonly ViewChunk[]): unknown =>
    group(chunks).map(({ key, role, items }) => [
      key,
      role,
      items.map((item) => [item.key, item.chunk.type, item.chunk.data, item.result?.data ?? null]),
    ]);
  fc.assert(
    fc.property(messageStep, toolsStep, sizes, (message, tools, cuts) => {
      const folded = (phase: 'message' | 'tools', events: readonly AgentEvent[]) =>
        batches(events, cuts).reduce(fold, emptyFold({ turnId: TURN, step: 0, attempt: 0, phase }));
      // A message is sealed before its tools run; then the results stream beside sealed calls.
      const ended = message.lists.flatMap((list, i): StepEvent[] => {
        const calls = list.some(({ type }) => type === 'tool-call-start');
        return calls ? [...list, { type: 'tool-call-end', i }] : list;
      });
      const said = folded(
        'message',
        ended.map((event) => of(event)),
      );
      const run = folded('tools', tools.events);
      const sealed = explode(said, 'complete');
      const results = explode(run, 'complete');
      expect(shape(sealed)).toEqual(shape(viewOf(said, () => false)));
      expect(shape([...sealed, ...results])).toEqual(shape([...sealed, ...viewOf(run, () => false)]));
      // Parallel tools settle in any order, and are sealed alone meanwhile: each result still finds its call.
      const early = results.filter((_, n) => n % 2 === 1);
      const ids = new Set(early.map(({ id }) => id));
      expect(shape([...sealed, ...early, ...viewOf(run, (id) => ids.has(id))])).toSatisfy((mixed: unknown) => {
        const calls = (groups: unknown): unknown[] =>
          (groups as [string, string, [string, string, unknown, unknown][]][]).flatMap(([, , items]) => items);
        const inOrder = (all: unknown[]): string[] => all.map((item) => JSON.stringify(item)).toSorted();
        return inOrder(calls(mixed)).join() === inOrder(calls(shape([...sealed, ...results]))).join();
      });
    }),
  );
});

test('I22: who comes during the wait before another try is told of it, and it ends for them as for all', () => {
  const waiting = fold(empty, [{ ...at, type: 'retry', at: 9_000, reason: 'overloaded' }]);
  const newcomer = foldOfSnapshot(snapshotOf(waiting, 1, 0));
  expect(newcomer.retry).toEqual({ at: 9_000, reason: 'overloaded' });
  expect(fold(newcomer, [{ ...at, type: 'step-start', attempt: 1, source: 's' }]).retry).toBeNull();
  expect(snapshotOf(empty, 0, 0)).not.toHaveProperty('retry');
});
