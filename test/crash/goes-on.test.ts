/**
 * What goes on by itself after a start: input that waits, and a cut turn, which is resumed unasked within its budget and then
 * stops, visibly, until the user says so.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { isChunk, isEvent } from '#shared/protocol/records.ts';
import { BUDGET } from '../../server/runner/turn-state.ts';
import { buildServer, type Program } from './kit/build.ts';
import { Chain } from './kit/chain.ts';
import type { Point } from './kit/points.ts';
import { seedOf } from './kit/seed.ts';
import type { SeenSession } from './kit/witness.ts';

let program: Program;
let chain: Chain;
beforeAll(async () => {
  program = await buildServer();
});
afterAll(() => program.remove());
beforeEach(async () => {
  chain = await Chain.begin(seedOf('budget'), program.file);
});
afterEach(() => chain.dispose());

/** A session whose turn was cut while it streamed, with another prompt waiting behind it. */
async function cutTurn(): Promise<{ session: SeenSession; waiting: string }> {
  await chain.server.start('attempt:event#20');
  await chain.user.comeBack();
  const session = await chain.user.create('auto');
  await chain.user.prompt(session, 'slow', 'steer');
  const waiting = await chain.user.prompt(session, 'say', 'queue');
  await chain.server.ended();
  return { session, waiting };
}
async function killedAgain(plan: string, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    if (await chain.server.start(plan)) await chain.server.ended();
    expect(chain.server.diedAt).toBe(plan.split('#')[0]);
  }
}
/** What the user finds: stopped, said, and everything still there. */
async function expectVisibleStop(session: SeenSession, waiting: string): Promise<void> {
  const asked = chain.model.double.log.length;
  await chain.server.start('');
  await chain.user.comeBack();
  await expect.poll(async () => (await chain.user.timeline(session))?.session.status, { timeout: 10_000 }).toBe('paused');
  const now = (await chain.user.timeline(session))!;
  expect(now.session.paused?.reason).toBe('budget');
  expect(now.records.filter((record) => isEvent(record, 'turn-settled')).map((record) => record.data)).toMatchObject([{ reason: 'cut' }]);
  expect(now.records.filter((record) => isEvent(record, 'turn-started'))).toHaveLength(1 + BUDGET.resumes);
  expect(now.records.findLast((record) => record.kind === 'chunk' && isChunk(record, 'system'))).toMatchObject({
    data: { kind: 'interrupted' },
  });
  expect(now.pendingInputs.map((receipt) => receipt.id)).toEqual([waiting]);
  expect(chain.model.double.log.length).toBe(asked);
}

test('I20: killed between an admission, or the end of a turn, and the next turn: what waits wakes by itself, with nobody there to ring', async () => {
  await chain.told(async () => {
    const plans: [Point, number][] = [
      ['openTurn:before', 1],
      ['settle:after', 1],
      ['openTurn:before', 2],
      ['admit:after', 2],
    ];
    for (const [point, hit] of plans) {
      await chain.live({ aim: { point, cause: 'prompt' }, hit });
      await chain.quiet();
    }
    expect(chain.reached.size).toBe(3);
    expect(chain.rests).toBe(plans.length);
  });
}, 300_000);

test('I19, B43: a turn that dies with every attempt is resumed within its budget, then paused; Resume goes on, and the queue behind it', async () => {
  await chain.told(async () => {
    const { session, waiting } = await cutTurn();
    await killedAgain('attempt:event#2', BUDGET.resumes);
    await expectVisibleStop(session, waiting);
    await chain.user.resume(session);
    await chain.quiet();
    expect(session.records.size).toBeGreaterThan(0);
    expect(chain.rests).toBe(1);
  });
}, 300_000);

test('B43: a start that dies while it reads what was cut counts too: no turn can take the server down for ever', async () => {
  await chain.told(async () => {
    const { session, waiting } = await cutTurn();
    await killedAgain('turnRecords:before#1', BUDGET.resumes);
    await expectVisibleStop(session, waiting);
    await chain.quiet();
    expect(chain.rests).toBe(1);
  });
}, 300_000);
