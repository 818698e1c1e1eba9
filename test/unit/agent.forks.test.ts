/** Forks on the wire, through the real SDK and the strict double: what the provider signed in the origin holds in its forks. */
import { expect, test } from 'vitest';
import { newSession, sessionDraft, sqliteHarness, type SqliteHarness } from '../support/store-harness.ts';
import { keep } from '../support/store-wire.ts';
import { wholeLog } from '../support/store-test.ts';
import { setUp } from '../wire/rig.ts';
import { TestSession } from '../wire/session.ts';

/** A session in memory that goes on from the log of one in a store. */
async function goOn(harness: SqliteHarness, sessionId: string): Promise<TestSession> {
  const session = new TestSession();
  session.records.push(...(await harness.store.history(sessionId, 0)));
  return session;
}
async function forkAt(harness: SqliteHarness, sessionId: string, seq: number): Promise<string> {
  const draft = sessionDraft({ origin: { sessionId, seq } });
  await harness.store.createSession(draft);
  return draft.id;
}

test('law 11: the next request of a fork is the one that its origin would have made there, byte for byte, and signed thinking goes along', async ({
  onTestFinished,
}) => {
  const { agent, session, double, breaches } = await setUp({
    script: async (request, reply) => {
      await reply.thinking(`thought ${request.n}`, { deltas: 3 });
      reply.redacted('b64/+==');
      if (request.words === 'first' || request.words === 'second') return reply.tool('list', { path: 'src' });
      await reply.text(`answer to ${request.prompt}`);
    },
  });
  const harness = await sqliteHarness();
  onTestFinished(() => harness.close());
  session.prompt('first');
  await session.turn(agent, () => 'a.ts');
  session.prompt('second');
  await session.turn(agent, () => 'b.ts');
  const { id } = await newSession(harness.store);
  await keep(harness.store, id, session.records);
  const [first, second] = (await wholeLog(harness, id)).filter(({ type }) => type === 'turn-settled').map(({ seq }) => seq);
  const asked = double.log.map(({ raw }) => raw);
  expect(asked).toHaveLength(4);

  // the same words after the first turn, in a fork cut there: the very request that opened the second turn
  const retried = await goOn(harness, await forkAt(harness, id, first!));
  retried.prompt('second');
  await retried.turn(agent, () => 'b.ts');
  expect(double.log[4]!.raw).toBe(asked[2]);

  // other words at the end, in the origin and in a fork of all of it
  const onward = await goOn(harness, id);
  onward.prompt('third');
  await onward.turn(agent, () => '');
  const fork = await goOn(harness, await forkAt(harness, id, second!));
  fork.prompt('third');
  await fork.turn(agent, () => '');
  expect(double.log[7]!.raw).toBe(double.log[6]!.raw);
  expect(double.log[7]!.raw.split('"signature"').length).toBe(asked[2]!.split('"signature"').length + 2);
  expect(breaches()).toEqual([]);
});
