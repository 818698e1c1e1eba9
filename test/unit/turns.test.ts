/** The list of turns: pages downwards from the newest, ends truly, and groups by day. */
import { createApp, effectScope, type EffectScope } from 'vue';
import { afterEach, describe, expect, it } from 'vitest';
import type { TurnMark } from '#shared/protocol/summaries.ts';
import { turnDays } from '../../app/components/turns/turn-days.ts';
import { useTurnList, type TurnList } from '../../app/components/turns/turn-list.ts';
import { COMMANDS } from '../../app/composables/commands.ts';
import type { Asked, Commands, TurnPage } from '../../app/sync/commands.ts';

const NOW = new Date(2026, 10, 30, 14, 40).getTime();
const HOUR = 3_600_000;
const mark = (seq: number, words = `turn ${seq}`, createdAt = NOW): TurnMark => ({ turnId: `t${seq}`, seq, createdAt, words });

const scopes: EffectScope[] = [];
afterEach(() => scopes.splice(0).forEach((scope) => scope.stop()));
/** A list over `answer`, with what was asked. */
function listOver(answer: (before: number | null) => Asked<TurnPage>): { list: TurnList; asked: (number | null)[] } {
  const asked: (number | null)[] = [];
  const turns = async (_: string, before: number | null): Promise<Asked<TurnPage>> => {
    asked.push(before);
    return answer(before);
  };
  const app = createApp({});
  // Nothing but `turns` is asked for here.
  app.provide(COMMANDS, { turns } as Partial<Commands> as Commands);
  const scope = effectScope();
  scopes.push(scope);
  const list = scope.run(() => app.runWithContext(() => useTurnList('session')))!;
  return { list, asked };
}
/** Pages of three out of `count` turns with seqs 10, 20, … */
function paged(count: number): (before: number | null) => Asked<TurnPage> {
  return (before) => {
    const below = Array.from({ length: count }, (_, at) => mark(10 * (at + 1))).filter(({ seq }) => before === null || seq < before);
    return { ok: true, value: { turns: below.slice(-3), earlier: below.length > 3, missing: false } };
  };
}

describe('the list of turns', () => {
  it('goes down page by page, newest first, to the true first', async () => {
    const { list, asked } = listOver(paged(7));
    for (let page = 0; page < 5; page++) await list.loadEarlier();
    expect(list.turns.value.map(({ seq }) => seq)).toEqual([70, 60, 50, 40, 30, 20, 10]);
    expect(list.state.value).toBe('all');
    expect(asked).toEqual([null, 50, 20]);
  });
  it('asks once for what two want at once', async () => {
    const { list, asked } = listOver(paged(7));
    await Promise.all([list.loadEarlier(), list.loadEarlier()]);
    expect(asked).toEqual([null]);
  });
  it('tells what is missing here as missing, and what was refused as refused', async () => {
    const offline = listOver(() => ({ ok: true, value: { turns: [mark(50)], earlier: true, missing: true } })).list;
    await offline.loadEarlier();
    expect(offline.state.value).toBe('missing');
    const none = listOver(() => ({ ok: false, reason: 'offline', message: '' })).list;
    await none.loadEarlier();
    expect(none.state.value).toBe('missing');
    const refused = listOver(() => ({ ok: false, reason: 'refused', message: 'no' })).list;
    await refused.loadEarlier();
    expect(refused.state.value).toBe('refused');
  });
  it('does not ask in a circle when an answer brings nothing new', async () => {
    const { list, asked } = listOver(() => ({ ok: true, value: { turns: [mark(50)], earlier: true, missing: false } }));
    for (let page = 0; page < 5; page++) await list.loadEarlier();
    expect(asked).toHaveLength(2);
    expect(list.state.value).toBe('all');
  });
  it('loads on for a search until a screenful matches, and stops for the next search', async () => {
    const { list, asked } = listOver(paged(300));
    await list.find('turn 1');
    const loaded = asked.length;
    // From 3000 down the first match is 1990: it went far, but not to the start.
    expect(list.turns.value.filter(({ words }) => words.includes('turn 1')).length).toBeGreaterThanOrEqual(12);
    expect(loaded).toBeLessThan(100);
    const slow = list.find('no such words');
    void list.find('');
    await slow;
    expect(asked.length).toBeLessThanOrEqual(loaded + 2);
  });
});

describe('days', () => {
  it('are told as today, yesterday, the weekday, then the date', () => {
    const days = turnDays([mark(4), mark(3, 'b', NOW - 24 * HOUR), mark(2, 'c', NOW - 72 * HOUR), mark(1, 'd', NOW - 900 * HOUR)], NOW);
    expect(days.map(({ name }) => name)).toEqual(['Today', 'Yesterday', 'Friday', '24 October']);
  });
  it('keep the server’s order when a clock went back', () => {
    const days = turnDays([mark(3), mark(2, 'b', NOW - 24 * HOUR), mark(1)], NOW);
    expect(days.map(({ turns }) => turns.map(({ seq }) => seq))).toEqual([[3], [2], [1]]);
  });
});
