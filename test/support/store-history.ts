/**
 * Random histories of a store: devices that send, retry, edit and cancel, a runner that opens, seals and settles, restarts
 * in between, clocks that run backwards. Refusals are part of a history; anything else that is thrown fails it.
 */
import fc from 'fast-check';
import { CodedError } from '#shared/protocol/errors.ts';
import type { Delivery, SettledReason } from '#shared/protocol/records.ts';
import { FencedError } from '../../server/store/port.ts';
import type { Admission, Claim } from '../../server/store/port.ts';
import { admission, approvalAsk, command, id, newSession, noPreface, sqliteHarness, textRow, usageRow } from './store-harness.ts';
import type { SqliteHarness } from './store-harness.ts';

/** `which` and `other` pick among what there is by then, whatever there is. */
type Pick = { which: number; other: number };
export type Action = { now: number } & Pick &
  (
    | { do: 'admit'; delivery: Delivery; seen: 'all' | 'nothing' | null; resume: boolean | null; aim: 'running' | 'idle' | null }
    | { do: 'again' | 'clash' | 'cancel' | 'cancel-early' | 'edit' | 'move' }
    | { do: 'convert'; delivery: Delivery }
    | { do: 'open' | 'boundary' | 'stop' | 'resume' | 'rename' | 'ask' | 'decide' | 'delete' | 'restart' | 'stale-write' | 'new-session' }
    | { do: 'seal'; rows: number }
    | { do: 'settle'; reason: SettledReason; unlessSteers: boolean }
  );

const pick = { now: fc.integer({ min: 0, max: 2_000_000_000_000 }), which: fc.nat(), other: fc.nat() };
const delivery = fc.constantFrom<Delivery>('steer', 'queue');
const plain = <D extends Action['do']>(name: D) => fc.record({ ...pick, do: fc.constant(name) });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      ...pick,
      do: fc.constant('admit' as const),
      delivery,
      seen: fc.constantFrom('all' as const, 'nothing' as const, null),
      resume: fc.constantFrom(true, false, null, null),
      aim: fc.constantFrom('running' as const, 'idle' as const, null),
    }),
  },
  { weight: 5, arbitrary: plain('again') as fc.Arbitrary<Action> },
  {
    weight: 3,
    arbitrary: fc.record({ ...pick, do: fc.constantFrom('clash' as const, 'cancel' as const, 'edit' as const, 'move' as const) }),
  },
  { weight: 2, arbitrary: fc.record({ ...pick, do: fc.constant('convert' as const), delivery }) },
  { weight: 8, arbitrary: fc.record({ ...pick, do: fc.constantFrom('open' as const, 'boundary' as const, 'resume' as const) }) },
  { weight: 5, arbitrary: fc.record({ ...pick, do: fc.constant('seal' as const), rows: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      ...pick,
      do: fc.constant('settle' as const),
      reason: fc.constantFrom<SettledReason>('done', 'stopped', 'failed', 'cut', 'limit'),
      unlessSteers: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      ...pick,
      do: fc.constantFrom(
        'stop' as const,
        'rename' as const,
        'ask' as const,
        'decide' as const,
        'restart' as const,
        'cancel-early' as const,
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...pick, do: fc.constantFrom('stale-write' as const, 'new-session' as const, 'delete' as const) }) },
);
/** A history of up to `maxLength` actions. */
export function histories(maxLength: number): fc.Arbitrary<Action[]> {
  return fc.array(action, { minLength: 5, maxLength, size: 'max' });
}

export interface World {
  readonly harness: SqliteHarness;
  /** Living and deleted ones. */
  readonly sessions: string[];
  readonly deleted: Set<string>;
  /** Everything that was ever sent, as it was first sent. */
  readonly sent: Admission[];
  /** Ids that were answered as cancelled. */
  readonly cancelled: Set<string>;
  readonly open: Map<string, { claim: Claim; turnId: string; step: number; row: number }>;
  readonly lost: { claim: Claim; turnId: string }[];
  readonly approvals: { sessionId: string; id: string }[];
  /** How often each thing happened, refusals by their code. */
  readonly happened: Map<string, number>;
}

/** Plays the actions on a fresh store; `check` is asked after each action with what it did, and once more at the end. */
export async function play(actions: readonly Action[], check: (world: World, done: string) => Promise<void>): Promise<World> {
  const harness = await sqliteHarness();
  try {
    const first = await newSession(harness.store);
    const world: World = {
      harness,
      sessions: [first.id],
      deleted: new Set(),
      sent: [],
      cancelled: new Set(),
      open: new Map(),
      lost: [],
      approvals: [],
      happened: new Map(),
    };
    for (const one of actions) {
      const done = await act(world, one);
      world.happened.set(done, (world.happened.get(done) ?? 0) + 1);
      await check(world, done);
    }
    await check(world, 'end');
    return world;
  } finally {
    await harness.close();
  }
}

async function act(world: World, action: Action): Promise<string> {
  try {
    return await perform(world, action);
  } catch (error) {
    if (error instanceof CodedError) return `${action.do}: ${error.code}`;
    if (error instanceof FencedError) return `${action.do}: fenced`;
    throw error;
  }
}

async function perform(world: World, action: Action): Promise<string> {
  const { harness, sessions, sent } = world;
  const { store } = harness;
  const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(1, list.length)];
  const sessionId = at(sessions, action.which)!;
  const asked = at(sent, action.which);
  const turn = world.open.get(sessionId);
  const order = { id: null, now: action.now };
  switch (action.do) {
    case 'new-session': {
      sessions.push((await newSession(store, { now: action.now })).id);
      return 'new-session';
    }
    case 'admit': {
      const aimedTurnId = action.aim === null ? undefined : action.aim === 'running' ? (turn?.turnId ?? null) : null;
      const seenSeq = action.seen === null ? null : action.seen === 'all' ? 1_000_000 : 0;
      const more = { now: action.now, composedAt: action.now, seenSeq, resume: action.resume, aimedTurnId };
      const own = admission(sessionId, `words ${sent.length}`, action.delivery, more);
      sent.push(own);
      const answer = await store.admit(own);
      return `admit as ${answer.receipt.delivery}${answer.wake ? '' : ' without waking'}`;
    }
    case 'again': {
      if (asked === undefined) return 'nothing sent yet';
      const { receipt, outcome } = await store.admit({ ...asked, now: action.now, seenSeq: 0, resume: true });
      return `again: ${outcome} ${receipt.state}`;
    }
    case 'clash': {
      if (asked === undefined) return 'nothing sent yet';
      const other = admission(asked.sessionId, 'other words', asked.delivery, { inputId: asked.inputId, now: action.now });
      const { receipt } = await store.admit(other);
      // only what was cancelled before it arrived has no payload to clash with
      return receipt.seq === 0 && receipt.state === 'cancelled' ? 'clash: cancelled before it arrived' : 'clash: answered';
    }
    case 'cancel':
    case 'cancel-early': {
      const own = action.do === 'cancel' ? asked : admission(sessionId, 'too late', 'steer', { now: action.now });
      if (own === undefined) return 'nothing sent yet';
      if (action.do === 'cancel-early') sent.push(own);
      const receipt = await store.cancelInput(own.sessionId, own.inputId, order);
      world.cancelled.add(receipt.id);
      return action.do;
    }
    case 'edit':
    case 'convert':
    case 'move': {
      if (asked === undefined) return 'nothing sent yet';
      const behind = action.other % 3 === 0 ? null : at(sent, action.other)!.inputId;
      const edits = {
        edit: { content: [{ type: 'text' as const, text: `edited ${action.other}` }] },
        convert: { delivery: action.do === 'convert' ? action.delivery : undefined },
        move: { after: behind },
      };
      const answer = await store.editInput(asked.sessionId, asked.inputId, edits[action.do], null, order);
      return `${action.do}: ${answer.outcome}`;
    }
    case 'open': {
      const opened = await store.openTurn(sessionId, 'runner', id(), action.now, noPreface);
      if (opened === null) return 'open: nothing';
      world.open.set(sessionId, { claim: opened.claim, turnId: opened.turnId, step: 0, row: 0 });
      return opened.prompts.length === 0 ? 'open: goes on' : `open with ${opened.prompts.length > 1 ? 'several' : 'one'}`;
    }
    case 'boundary': {
      if (turn === undefined) return 'no turn';
      turn.step += 1;
      const prompts = await store.promoteSteers(turn.claim, turn.turnId, turn.step, action.now);
      return prompts.length === 0 ? 'boundary: nothing' : 'boundary: steers';
    }
    case 'seal': {
      if (turn === undefined) return 'no turn';
      const rows = Array.from({ length: action.rows }, () => textRow(turn.turnId, turn.step, turn.row++, `said ${action.other}`));
      const last = action.other % 2 === 0 ? [{ ...usageRow(turn.turnId, turn.step), id: id() }] : [];
      await store.seal(turn.claim, [...rows, ...last], action.now);
      return 'seal';
    }
    case 'settle': {
      if (turn === undefined) return 'no turn';
      const pause = action.reason === 'failed' || action.reason === 'cut' ? 'failed' : null;
      const end = { reason: action.reason, rows: [], pause, unlessSteers: action.unlessSteers } as const;
      const { outcome } = await store.settle(turn.claim, turn.turnId, { ...end, rows: [] }, action.now);
      if (outcome === 'steers') return 'settle: steers';
      world.open.delete(sessionId);
      world.lost.push(turn);
      return `settle: ${action.reason}`;
    }
    case 'stop':
      return (await store.stop(sessionId, null, order)) === null ? 'stop: nothing' : 'stop';
    case 'resume':
      return `resume: ${JSON.stringify(await store.resume(sessionId, null, order))}`;
    case 'rename':
      await store.changeSession(sessionId, { title: `title ${action.other}`, archived: action.other % 2 === 0 }, null, order);
      return 'rename';
    case 'ask': {
      if (turn === undefined) return 'no turn';
      const ask = approvalAsk(turn.turnId, { step: turn.step });
      world.approvals.push({ sessionId, id: ask.id });
      return `ask: ${(await store.askApproval(turn.claim, ask, action.now)).state}`;
    }
    case 'decide': {
      const ask = at(world.approvals, action.which);
      if (ask === undefined) return 'nothing asked yet';
      const verdict = { decision: action.other % 2 === 0 ? ('allow' as const) : ('deny' as const), remember: false, by: null };
      return `decide: ${(await store.decideApproval(ask.sessionId, ask.id, verdict, order)).outcome}`;
    }
    case 'stale-write': {
      const lost = at(world.lost, action.which);
      if (lost === undefined) return 'no lost claim';
      await store.seal(lost.claim, [textRow(lost.turnId, 999, action.other, 'from the dead')], action.now);
      return 'stale-write: written';
    }
    case 'delete': {
      // the first session lives, so that a history goes on
      if (sessionId === sessions[0]) return 'delete: spared';
      await store.deleteSession(sessionId, command());
      if (turn !== undefined) world.lost.push(turn);
      world.open.delete(sessionId);
      world.deleted.add(sessionId);
      return 'delete';
    }
    case 'restart': {
      const again = await harness.reopen();
      for (const left of await again.openTurns()) {
        const old = world.open.get(left.sessionId)!;
        const taken = await again.takeOver(left.sessionId, 'runner', left.turnId, action.other % 2 === 0, action.now);
        world.lost.push(old);
        world.open.set(left.sessionId, { ...old, claim: taken!.claim });
      }
      return world.open.size > 0 ? 'restart in a turn' : 'restart';
    }
  }
}

/** Runs every living session until nothing is left to run; answers how many turns that took. */
export async function drain(world: World, now: number): Promise<number> {
  const { store } = world.harness;
  let turns = 0;
  for (const sessionId of world.sessions.filter((one) => !world.deleted.has(one))) {
    const left = world.open.get(sessionId);
    if (left !== undefined) {
      await store.settle(left.claim, left.turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, now);
      world.open.delete(sessionId);
    }
    await store.resume(sessionId, null, { id: null, now });
    for (;;) {
      const opened = await store.openTurn(sessionId, 'runner', id(), now, noPreface);
      if (opened === null) break;
      turns += 1;
      await store.settle(opened.claim, opened.turnId, { reason: 'done', rows: [], pause: null, unlessSteers: false }, now);
    }
  }
  return turns;
}
