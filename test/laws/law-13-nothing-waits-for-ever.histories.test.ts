/**
 * Laws 1, 4, 5, 6, 11, 12 and 13 over random histories of the real runner on the real store: what people do and what a provider and
 * tools may do, in any order, with restarts in between. Whatever happened, everything admitted ends where it should.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isEvent, type LogRecord } from '#shared/protocol/records.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { buildWire } from '../../server/agent/wire.ts';
import { chunksOf, openBench, tool, type Bench, type Talk } from '../support/runner/scripted.ts';
import { wireLines, type WireBody } from '../wire/double.ts';
import type { StepAnswer } from '../../server/agent/port.ts';

const ACTS = ['steer', 'queue', 'stop', 'resume', 'cancel', 'convert', 'restart', 'wait', 'allow', 'deny'] as const;
const TURNS = [
  'answer',
  'tool',
  'tools',
  'ask',
  'fails',
  'fails-late',
  'refused',
  'cut',
  'empty',
  'hangs',
  'ours',
  'no-such-tool',
] as const;
type Act = (typeof ACTS)[number];
type Turn = (typeof TURNS)[number];

const history = fc.record({
  acts: fc.array(
    fc.record({ act: fc.constantFrom<Act>('steer', 'queue', 'steer', 'queue', 'wait', 'wait', 'wait', ...ACTS), which: fc.nat() }),
    {
      minLength: 4,
      maxLength: 24,
      size: 'max',
    },
  ),
  turns: fc.array(fc.constantFrom<Turn>('answer', 'tool', 'tools', ...TURNS), { minLength: 4, maxLength: 40, size: 'max' }),
});

/** One attempt as the history has it. */
async function attempt(played: Played, to: Talk, turn: Turn): Promise<StepAnswer> {
  if (turn === 'fails') to.fail('overloaded');
  if (turn === 'ours') throw new RangeError('ours');
  if (turn === 'refused') return to.end('refusal');
  if (turn === 'empty') return to.end();
  to.text('some words');
  if (turn === 'fails-late') to.fail('connection');
  if (turn === 'hangs') {
    played.hanging++;
    return to.hang().finally(() => played.hanging--);
  }
  if (turn === 'answer') return to.end();
  to.call(turn === 'ask' ? 'ask' : turn === 'no-such-tool' ? 'none' : 'note', {});
  if (turn === 'tools') {
    to.call('look', {});
    to.call('note', {});
  }
  await new Promise((resolve) => setTimeout(resolve, 1));
  return to.end(turn === 'cut' ? 'max_tokens' : 'tool_use');
}

interface Played {
  bench: Bench;
  sessions: string[];
  admitted: Map<string, string>;
  cancelled: Set<string>;
  /** Each record as it was first told of. */
  told: Map<string, string>;
  reached: Map<string, number>;
  /** Attempts that end only by a Stop. */
  hanging: number;
}
const command = () => ({ id: null, now: Date.now() });
const keyOf = (record: LogRecord): string => `${record.sessionId}/${record.seq}`;

async function act(
  { bench, sessions, admitted, cancelled, reached }: Played,
  { act: what, which }: { act: Act; which: number },
): Promise<void> {
  const session = sessions[which % sessions.length]!;
  const { pendingInputs, approvals } = await bench.store.timeline(session, 1);
  const pending = pendingInputs[which % Math.max(1, pendingInputs.length)];
  const approval = approvals.find(({ state }) => state === 'open');
  reached.set(what, (reached.get(what) ?? 0) + 1);
  switch (what) {
    case 'steer':
    case 'queue':
      admitted.set(await bench.send(session, `words ${admitted.size}`, what), session);
      return;
    case 'stop':
      return bench.stop(session);
    case 'resume': {
      const { wake } = await bench.store.resume(session, null, command());
      if (wake) bench.runner.wake(session);
      return;
    }
    case 'cancel':
      if (pending !== undefined && (await bench.store.cancelInput(session, pending.id, command())).state === 'cancelled')
        cancelled.add(pending.id);
      return;
    case 'convert':
      if (pending === undefined) return;
      if (
        (await bench.store.editInput(session, pending.id, { delivery: pending.delivery === 'steer' ? 'queue' : 'steer' }, null, command()))
          .wake
      )
        bench.runner.wake(session);
      return;
    case 'allow':
    case 'deny':
      if (approval === undefined) return;
      await bench.store.decideApproval(session, approval.id, { decision: what, remember: which % 3 === 0, by: null }, command());
      bench.runner.decided(session, approval.id, what);
      return;
    case 'restart':
      return bench.restart();
    case 'wait':
      return new Promise((resolve) => setTimeout(resolve, which % 12));
  }
}

/** Everything goes well from now on: what was stopped, failed or asked is taken up until nothing is left. */
async function finish(played: Played): Promise<void> {
  const { bench, sessions } = played;
  bench.script = (to) => {
    to.text('well');
    return to.end();
  };
  for (const session of sessions) {
    await bench.until(async () => {
      const { session: now, pendingInputs, approvals } = await bench.store.timeline(session, 1);
      for (const { id, state } of approvals) {
        if (state !== 'open') continue;
        await bench.store.decideApproval(session, id, { decision: 'deny', remember: false, by: null }, command()).catch(refused);
        bench.runner.decided(session, id, 'deny');
      }
      if (now.paused !== null) {
        if ((await bench.store.resume(session, null, command())).wake) bench.runner.wake(session);
      } else if (now.turnId !== null && played.hanging > 0) await bench.stop(session);
      return now.status === 'idle' && pendingInputs.length === 0;
    });
  }
  await bench.runner.idle();
}
/** A refusal that a caller is told is part of a history; anything else fails it. */
function refused(error: unknown): void {
  if (!(error instanceof CodedError)) throw error;
}

/** What must hold of one session once nothing runs any more. */
async function expectLaws({ bench, admitted, cancelled, told }: Played, session: string): Promise<void> {
  const log = await bench.log(session);
  // 5, 4: dense, in the order of seq.
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, at) => at + 1));
  // 6: as each was first told of.
  for (const record of log) expect(JSON.stringify(record)).toBe(told.get(keyOf(record)));
  // 1: every admitted input that was not cancelled is in the transcript, once.
  const prompts = chunksOf(log, 'prompt').map(({ id }) => id);
  const mine = [...admitted].filter(([, of]) => of === session).map(([id]) => id);
  expect(prompts.toSorted()).toEqual(mine.filter((id) => !cancelled.has(id)).toSorted());
  // 12: each call has its one result, in its own step, after it and before the next message.
  for (const call of chunksOf(log, 'tool_call')) {
    const { callId } = call.data as { callId: string };
    const results = chunksOf(log, 'tool_result').filter(({ data }) => (data as { callId: string }).callId === callId);
    expect(results.map(({ turnId, step }) => [turnId, step])).toEqual([[call.turnId, call.step]]);
    const next = log.find(({ kind, type, seq }) => kind === 'chunk' && type === 'text' && seq > call.seq && !sameStep(log, seq, call.seq));
    expect(results[0]!.seq).toBeGreaterThan(call.seq);
    expect(results[0]!.seq).toBeLessThan(next?.seq ?? Number.POSITIVE_INFINITY);
  }
  // 13: every turn that was begun has ended, once.
  const begun = new Set(log.filter((record) => isEvent(record, 'turn-started')).map(({ turnId }) => turnId));
  const ended = log.filter((record) => isEvent(record, 'turn-settled')).map(({ turnId }) => turnId);
  expect(ended.toSorted()).toEqual([...begun].toSorted());
  expect(await bench.summary(session)).toMatchObject({ status: 'idle', turnId: null, paused: null });
  // 11: each request goes on from the one before.
  let before: string[] = [];
  for (const { records } of bench.requests.filter((request) => request.records[0]?.sessionId === session)) {
    const { system, tools, messages } = buildWire(records, { profile: 'anthropic', source: 'scripted-source', thinking: true });
    const lines = wireLines({ system, tools, messages } as WireBody);
    expect(lines.slice(0, before.length)).toEqual(before);
    before = lines;
  }
}
function sameStep(log: readonly LogRecord[], a: number, b: number): boolean {
  const [one, other] = [log[a - 1], log[b - 1]];
  return one?.kind === 'chunk' && other?.kind === 'chunk' && one.turnId === other.turnId && one.step === other.step;
}

test('laws 1, 4, 5, 6, 11, 12, 13: whatever people, providers and tools do, everything admitted ends where it should', async () => {
  const reached = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(history, async ({ acts, turns }) => {
      const bench = await openBench();
      try {
        const sessions = [await bench.session(), await bench.session('ask')];
        const played: Played = { bench, sessions, admitted: new Map(), cancelled: new Set(), told: new Map(), reached, hanging: 0 };
        bench.tools = [
          tool('note', 'read', (_args, context) => {
            context.output('result', 'noted');
            return Promise.resolve({ isError: false });
          }),
          tool('look', 'read', async () => {
            await new Promise((resolve) => setTimeout(resolve, 3));
            throw new Error('it broke');
          }),
          tool('ask', 'run', () => Promise.resolve({ isError: false, exitCode: 0 })),
        ];
        bench.script = (to, n) => {
          const turn = turns[n % turns.length]!;
          reached.set(turn, (reached.get(turn) ?? 0) + 1);
          return attempt(played, to, turn);
        };
        bench.store.onCommit(({ records }) => {
          // Told of once: a second telling would be a second place.
          for (const record of records) {
            expect(played.told.has(keyOf(record))).toBe(false);
            played.told.set(keyOf(record), JSON.stringify(record));
          }
        });
        for (const one of acts) await act(played, one).catch(refused);
        await finish(played);
        for (const session of sessions) await expectLaws(played, session);
        expect(bench.reports.filter((report) => report === 'commit-listener-failed')).toEqual([]);
      } finally {
        await bench.close();
      }
    }),
    { numRuns: 60 },
  );
  // The rare shapes were reached, or the property says nothing.
  for (const what of [...ACTS, ...TURNS]) expect(reached.get(what) ?? 0, what).toBeGreaterThan(3);
}, 240_000);
