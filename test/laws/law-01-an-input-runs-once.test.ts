/** Law 1. An input runs once: whatever the retries, restarts and refusals, one id is promoted at most once, and what was accepted runs. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InputState } from '#shared/protocol/summaries.ts';
import { drain, histories, play } from '../support/store-history.ts';
import type { World } from '../support/store-history.ts';
import { wholeLog } from '../support/store-test.ts';

/** Prompt rows and admitted events by input id, over all living sessions. */
async function traces(world: World): Promise<{ prompts: Map<string, number>; admitted: Map<string, number> }> {
  const prompts = new Map<string, number>();
  const admitted = new Map<string, number>();
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  for (const sessionId of world.sessions.filter((one) => !world.deleted.has(one))) {
    for (const record of await wholeLog(world.harness, sessionId)) {
      if (record.type === 'prompt') count(prompts, record.id);
      if (record.type === 'admitted') count(admitted, (record.data as { inputId: string }).inputId);
    }
  }
  return { prompts, admitted };
}
async function stateOf(world: World, sessionId: string, inputId: string): Promise<InputState | null> {
  return (await world.harness.store.input(sessionId, inputId))?.state ?? null;
}

describe('law 1: an input runs once', () => {
  test(
    'in any history each id has at most one prompt and one admission, and its state says the same as the log',
    { timeout: 120_000 },
    async () => {
      const property = fc.asyncProperty(histories(50), async (actions) => {
        const states = new Map<string, InputState>();
        await play(actions, async (world, done) => {
          // another payload under a known id is never answered with a receipt
          expect(done).not.toBe('clash: answered');
          if (done !== 'end' && done !== 'restart' && !done.startsWith('again')) return;
          const { prompts, admitted } = await traces(world);
          for (const { sessionId, inputId } of world.sent) {
            if (world.deleted.has(sessionId)) continue;
            const state = await stateOf(world, sessionId, inputId);
            expect(prompts.get(inputId) ?? 0).toBe(state === 'promoted' ? 1 : 0);
            expect(admitted.get(inputId) ?? 0).toBeLessThanOrEqual(1);
            // what is over stays over
            const before = states.get(inputId);
            expect(before === undefined || before === 'pending' || before === state).toBe(true);
            expect(!world.cancelled.has(inputId) || state === 'cancelled').toBe(true);
            if (state !== null) states.set(inputId, state);
          }
        });
      });
      await fc.assert(property, { numRuns: 25 });
    },
  );

  test('whatever was accepted and not cancelled has run exactly once when nothing is left to run', { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(histories(40), async (actions) => {
      await play(actions, async (world, done) => {
        if (done !== 'end') return;
        await drain(world, 5);
        const { prompts } = await traces(world);
        for (const one of world.sent) {
          if (world.deleted.has(one.sessionId)) continue;
          const state = await stateOf(world, one.sessionId, one.inputId);
          expect(state).not.toBe('pending');
          expect(prompts.get(one.inputId) ?? 0).toBe(state === 'promoted' ? 1 : 0);
          // the same again now changes nothing
          const answer = state === null ? null : await world.harness.store.admit(one);
          expect([answer?.outcome ?? 'same', answer?.wake ?? false]).toEqual(['same', false]);
        }
        expect(await drain(world, 6)).toBe(0);
      });
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test('the histories reach what the law is about', { timeout: 120_000 }, async () => {
    const happened = new Set<string>();
    for (const actions of fc.sample(histories(60), { seed: 11, numRuns: 30 })) {
      const world = await play(actions, async () => undefined);
      for (const done of world.happened.keys()) happened.add(done);
    }
    expect([...happened]).toEqual(
      expect.arrayContaining([
        'again: same pending',
        'again: same promoted',
        'again: same cancelled',
        'clash: id-conflict',
        'cancel: already-promoted',
        'cancel-early',
        'admit as steer without waking',
        'boundary: steers',
        'settle: steers',
        'open with several',
        'resume: {"resumed":true,"wake":true}',
        'clash: cancelled before it arrived',
        'restart in a turn',
        'stale-write: fenced',
        'convert: already-promoted',
        'move: admitted',
        'delete',
      ]),
    );
  });
});
