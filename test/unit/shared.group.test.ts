import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { group, type Group } from '#shared/chunks/group.ts';
import { joinLive, sealedGroups } from '#shared/chunks/join.ts';
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

  it('page A and page B group as the whole does, wherever the cut is: the same keys, items and results', () => {
    fc.assert(
      fc.property(log, fc.array(fc.nat(), { maxLength: 4 }), (chunks, places) => {
        // Pages are prepended one by one, as a reader scrolls up.
        const cuts = places.map((place) => place % (chunks.length + 1)).toSorted((a, b) => b - a);
        let before: Group[] = [];
        for (const cut of [...cuts, 0]) {
          const now = group(chunks.slice(cut), before);
          const below = keys(before);
          expect(keys(now).filter((key) => below.includes(key))).toEqual(below);
          before = now;
        }
        expect(before).toEqual(group(chunks));
      }),
    );
  });

  it('a step that begins with a call never leaks into the one before, and thinking blocks side by side never merge', () => {
    fc.assert(
      fc.property(kinds, kinds, (first, second) => {
        const chunks = [...step('t', 0, first), ...step('t', 1, ['tool_call', ...second])];
        const groups = group(chunks);
        for (const entry of groups) expect(new Set(entry.items.map(({ chunk }) => chunk.step)).size).toBe(1);
        const thinking = chunks.filter(({ type }) => type === 'thinking').map(({ id }) => id);
        const shown = groups.flatMap(({ items }) => items.filter(({ chunk }) => chunk.type === 'thinking').map(({ key }) => key));
        expect(shown).toEqual(thinking);
      }),
    );
  });
});

describe('grouping while an answer streams', () => {
  const shape = (groups: readonly Group[]): unknown =>
    groups.map(({ key, items }) => [key, items.map((item) => [item.key, item.result?.id ?? null])]);

  it('what is live joins the groups of the sealed chunks as grouping all of them does, at every stretch of every log', () => {
    fc.assert(
      fc.property(log, fc.nat(), fc.nat(), (chunks, end, start) => {
        // A live part is the last stretch of one step: a message, or results.
        const last = end % (chunks.length + 1);
        const first = chunks[last - 1];
        const isLive = (chunk: ViewChunk): boolean =>
          chunk.turnId === first?.turnId &&
          chunk.step === first.step &&
          chunk.step !== null &&
          chunk.role !== 'system' &&
          chunk.type !== 'usage';
        let from = last;
        while (from > 0 && isLive(chunks[from - 1]!)) from--;
        const window = start % (from + 1);
        const live = chunks
          .slice(from, last)
          .map(({ id, turnId, step, role, type, data }): ViewChunk => ({ id, turnId, step, role, type, data, open: true }));
        const sealed = chunks.slice(window, from);
        expect(joinLive(sealedGroups(sealed, null), live, [])).toEqual(group([...sealed, ...live]));
      }),
    );
  });

  it('a delta changes one group, the others are the same objects, and an eviction at the far end changes none of them', () => {
    fc.assert(
      fc.property(log, fc.integer({ min: 1, max: 5 }), (chunks, gone) => {
        const live = step('now', 0, ['text', 'tool_call']).slice(0, 2);
        const sealed = sealedGroups(chunks, null);
        const before = joinLive(sealed, live, []);
        const grown = [live[0]!, { ...live[1]!, data: { callId: 'x', name: 'read', args: '{"a' } }];
        const after = joinLive(sealed, grown, before);
        expect(after.filter((entry) => !before.includes(entry)).map(({ key }) => key)).toEqual(['now.0']);
        expect(joinLive(sealed, grown, after)).toEqual(after);
        expect(joinLive(sealed, grown, after).every((entry, at) => entry === after[at])).toBe(true);
        const evicted = joinLive(sealedGroups(chunks.slice(gone), sealed), grown, after);
        const fresh = evicted.filter((entry) => !after.includes(entry));
        // Only what the cut goes through.
        expect(fresh.length).toBeLessThanOrEqual(1);
        expect(evicted.at(-1)).toBe(after.at(-1));
        expect(shape(evicted)).toEqual(shape(group([...chunks.slice(gone), ...grown])));
      }),
    );
  });
});
