import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { group, type Group } from '#shared/chunks/group.ts';
import type { ViewChunk } from '#shared/chunks/view.ts';

/** Chunks of a few turns as a log has them: prompts, then steps of blocks with their results, notes and usage between. */
const step = (turnId: string, n: number, kinds: readonly string[]): ViewChunk[] => {
  const message = kinds
    .filter((kind) => kind !== 'usage' && kind !== 'note')
    .map((kind, i): ViewChunk => {
      const data = kind === 'tool_call' ? { callId: `${turnId}-${n}-${i}`, name: 'read', args: '{}' } : { text: 'x' };
      return { id: `${turnId}.${n}.m.${i}`, turnId, step: n, role: 'assistant', type: kind, data };
    });
  const calls = message.filter((chunk) => chunk.type === 'tool_call');
  const results = calls.map((call, i): ViewChunk => ({
    id: `${turnId}.${n}.t.${i}`,
    turnId,
    step: n,
    role: 'tool',
    type: 'tool_result',
    data: { ...(call.data as object), content: [], isError: false },
  }));
  const rest = kinds
    .filter((kind) => kind === 'usage' || kind === 'note')
    .map((kind, i): ViewChunk => ({
      id: `${turnId}.${n}.s.${i}`,
      turnId,
      step: n,
      role: 'system',
      type: kind === 'note' ? 'system' : kind,
      data: { kind: 'notice', text: 'x' },
    }));
  return [...message, ...results, ...rest];
};
const kinds = fc.array(fc.constantFrom('text', 'thinking', 'tool_call', 'usage', 'note', 'raw', 'hologram'), { maxLength: 6 });
const log = fc
  .array(fc.tuple(fc.nat(2), fc.array(fc.tuple(kinds, fc.boolean()), { maxLength: 3 })), { maxLength: 3 })
  .map((turns) =>
    turns.flatMap(([prompts, steps], t) => {
      const turnId = `turn${t}`;
      const prompt = (name: string): ViewChunk => ({ id: name, turnId, step: null, role: 'user', type: 'prompt', data: { content: [] } });
      return [
        ...Array.from({ length: prompts + 1 }, (_, p) => prompt(`${turnId}-prompt${p}`)),
        ...steps.flatMap(([kind, steered], n) => [...step(turnId, n, kind), ...(steered ? [prompt(`${turnId}-steer${n}`)] : [])]),
      ];
    }),
  )
  .map((chunks) => chunks.map((chunk, at): ViewChunk => ({ ...chunk, seq: at + 1 })));

const keys = (groups: readonly Group[]): string[] => groups.map((entry) => entry.key);
const held = (groups: readonly Group[]): string[] =>
  groups.flatMap((entry) => entry.items.flatMap((item) => [item.chunk.id, ...(item.result === null ? [] : [item.result.id])]));

describe('grouping', () => {
  it('shows every chunk exactly once, but usage never; types it does not know too', () => {
    fc.assert(
      fc.property(log, (chunks) => {
        const groups = group(chunks);
        const shown = chunks.filter((chunk) => chunk.type !== 'usage').map((chunk) => chunk.id);
        expect(held(groups).toSorted()).toEqual(shown.toSorted());
        expect(new Set(keys(groups)).size).toBe(groups.length);
        const items = groups.flatMap((entry) => entry.items.map((item) => item.key));
        expect(new Set(items).size).toBe(items.length);
      }),
    );
  });

  it('older pages never re-key, split or reorder what is below them', () => {
    fc.assert(
      fc.property(log, fc.nat(), (chunks, place) => {
        const cut = place % (chunks.length + 1);
        const below = group(chunks.slice(cut));
        const all = group(chunks, below);
        expect(keys(below).filter((key) => !keys(all).includes(key))).toEqual([]);
        // Groups that begin below the edge keep their order, and are the same objects: nothing of theirs renders again.
        const whole = below.filter((entry) => all.includes(entry));
        const edge = below.filter((entry) => !all.includes(entry));
        expect(all.filter((entry) => whole.includes(entry))).toEqual(whole);
        expect(edge.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('a result whose call is on an older page stands by itself, and joins it when that page is there', () => {
    const chunks = step('t', 0, ['text', 'tool_call', 'tool_call']);
    const alone = group(chunks.slice(3));
    expect(alone).toHaveLength(1);
    expect(alone[0]!.items.map((item) => [item.chunk.type, item.result])).toEqual([
      ['tool_result', null],
      ['tool_result', null],
    ]);
    const joined = group(chunks, alone);
    expect(keys(joined)).toEqual(keys(alone));
    expect(joined[0]!.items.map((item) => [item.chunk.id, item.result?.id ?? null])).toEqual([
      ['t.0.m.0', null],
      ['t.0.m.1', 't.0.t.0'],
      ['t.0.m.2', 't.0.t.1'],
    ]);
  });

  it('a seal changes no key, whatever of the turn was live', () => {
    fc.assert(
      fc.property(log, fc.nat(), (chunks, place) => {
        const cut = place % (chunks.length + 1);
        const live = chunks.map((chunk, at): ViewChunk => {
          const { seq, ...unsealed } = chunk;
          return at < cut ? { ...unsealed, seq: seq! } : { ...unsealed, open: true };
        });
        const shape = (groups: readonly Group[]): unknown => groups.map((entry) => [entry.key, entry.items.map((item) => item.key)]);
        expect(shape(group(live))).toEqual(shape(group(chunks)));
      }),
    );
  });

  it('with nothing new every group is the same object, and a new chunk touches one group only', () => {
    fc.assert(
      fc.property(log, (chunks) => {
        const before = group(chunks.slice(0, -1));
        expect(group(chunks.slice(0, -1), before).every((entry, at) => entry === before[at])).toBe(true);
        const after = group(chunks, before);
        expect(after.filter((entry) => !before.includes(entry)).length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('a call and a result kept as blobs still find each other', () => {
    const blob = (callId: string): unknown => ({ blob: { sha256: 'a', size: 9 }, preview: `{"callId":"${callId}","name":"x` });
    const of = (id: string, type: string, data: unknown): ViewChunk => ({ id, turnId: 't', step: 0, role: 'assistant', type, data });
    const groups = group([of('a', 'tool_call', blob('c-1')), of('b', 'tool_call', blob('c-2')), of('r', 'tool_result', blob('c-2'))]);
    expect(groups[0]!.items.map((item) => item.result?.id ?? null)).toEqual([null, 'r']);
  });
});
