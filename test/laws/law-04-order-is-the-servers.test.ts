/** Law 4. Order is the server's: transcript order is `seq`. Never an id, never a clock, never arrival. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { admission, id, newSession, noPreface, NOW, runningTurn, sqliteHarness } from '../support/store-harness.ts';
import { histories, play } from '../support/store-history.ts';
import type { World } from '../support/store-history.ts';
import { wholeLog } from '../support/store-test.ts';

interface Waiting {
  id: string;
  seq: number;
  delivery: string;
  rank: number;
}
/** What waits in each living session. */
async function waiting(world: World): Promise<Map<string, Waiting[]>> {
  const living = world.sessions.filter((one) => !world.deleted.has(one));
  return new Map(await Promise.all(living.map(async (one) => [one, (await world.harness.store.timeline(one, 1)).pendingInputs] as const)));
}

describe("law 4: order is the server's", () => {
  test('in any history, with clocks that run backwards, the log reads in the order it was committed', { timeout: 120_000 }, async () => {
    const property = fc.asyncProperty(histories(50), async (actions) => {
      await play(actions, async (world, done) => {
        if (done !== 'end') return;
        for (const sessionId of world.sessions.filter((one) => !world.deleted.has(one))) {
          const told = world.harness.commits.filter((commit) => commit.sessionId === sessionId).flatMap((commit) => commit.records);
          const read = await wholeLog(world.harness, sessionId);
          expect(read).toEqual(told);
          const { chunks } = await world.harness.store.chunks(sessionId, null, 10_000);
          expect(chunks).toEqual(told.filter((record) => record.kind === 'chunk'));
        }
      });
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test(
    'what is promoted together is every steer by its admission, else the one that is first in the queue',
    { timeout: 120_000 },
    async () => {
      const property = fc.asyncProperty(histories(50), async (actions) => {
        let before = new Map<string, Waiting[]>();
        let told = 0;
        await play(actions, async (world, done) => {
          const promoted = world.harness.commits
            .slice(told)
            .flatMap((commit) => commit.records)
            .filter((record) => record.type === 'prompt');
          told = world.harness.commits.length;
          const there = promoted[0] === undefined ? [] : (before.get(promoted[0].sessionId) ?? []);
          const steers = there.filter((one) => one.delivery === 'steer').sort((a, b) => a.seq - b.seq);
          const queued = there.filter((one) => one.delivery === 'queue').sort((a, b) => a.rank - b.rank);
          const due = steers.length > 0 || done.startsWith('boundary') ? steers : queued.slice(0, 1);
          expect(promoted.map((record) => record.id)).toEqual(due.map((one) => one.id));
          before = await waiting(world);
        });
      });
      await fc.assert(property, { numRuns: 25 });
    },
  );

  test('neither the ids nor the clocks of devices move a prompt: admission does', async () => {
    const harness = await sqliteHarness();
    const { store } = harness;
    const session = await newSession(store);
    const turn = await runningTurn(store, session.id);
    const ids = [id(), id(), id()];
    // the newest id and the earliest clock first
    const first = await store.admit(admission(session.id, 'a', 'steer', { inputId: ids[2]!, composedAt: 1, now: NOW }));
    const second = await store.admit(
      admission(session.id, 'b', 'steer', { inputId: ids[0]!, composedAt: 9_999_999_999_999, now: NOW - 5_000 }),
    );
    const third = await store.admit(admission(session.id, 'c', 'steer', { inputId: ids[1]!, composedAt: 0, now: NOW + 5_000 }));
    const prompts = await store.promoteSteers(turn.claim, turn.turnId, 1, NOW - 99_999);
    expect(prompts.map((prompt) => prompt.id)).toEqual([first, second, third].map((one) => one.receipt.id));
    expect(prompts.map((prompt) => prompt.seq)).toEqual([prompts[0]!.seq, prompts[0]!.seq + 1, prompts[0]!.seq + 2]);
    expect(await store.openTurn(session.id, 'runner', id(), NOW, noPreface)).toBeNull();
    await harness.close();
  });
});
