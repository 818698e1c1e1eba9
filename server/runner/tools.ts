/**
 * The tools of one step. Reads run side by side; what writes or runs goes one after another in call order, since the model
 * wrote it in that order. Every call gets exactly one result (law 12), sealed with the others in one transaction, or alone
 * when another is still open after a second or waits for the user, so that a crash loses as little as can be.
 */
import { explode } from '#shared/chunks/explode.ts';
import { newId } from '#shared/ids.ts';
import type { Mode } from '#shared/protocol/records.ts';
import { isTombstone } from '#shared/protocol/summaries.ts';
import type { ToolContext, Tool, ToolEnd } from '../tools/port.ts';
import { decide, rememberKey } from '../tools/policy.ts';
import type { ToolCall } from './calls.ts';
import { WORDS } from './notes.ts';
import { abortReason, BUDGET, catchUp, seal, type TurnParts, type TurnState } from './turn-state.ts';

// A seal that fails breaks the chain: the last `sealDone` of `runTools` rejects with the same error, and that is the turn's.
const heardAtTheEnd = (): void => {};

/** Runs the calls and seals their results. After an abort every call still has its result by the time this resolves. */
export async function runTools(parts: TurnParts, turn: TurnState, calls: readonly ToolCall[]): Promise<void> {
  const key = { turnId: turn.turnId, step: turn.step, attempt: 0, phase: 'tools' as const };
  parts.live.begin(turn.sessionId, key, turn.history.head);
  const done = new Set<number>();
  const sealed = new Set<number>();
  let sealing: Promise<void> = Promise.resolve();
  let waiting = 0;
  let timer: (() => void) | null = null;

  const sealDone = (): Promise<void> =>
    (sealing = sealing.then(async () => {
      const ready = new Set([...done].filter((i) => !sealed.has(i)));
      const live = parts.live.current(turn.sessionId);
      if (ready.size === 0 || live === null) return;
      const rows = explode(live, 'complete').filter((draft) => ready.has(placeOf(draft.id)));
      for (const i of ready) sealed.add(i);
      await seal(
        parts,
        turn,
        rows.map((draft) => ({ kind: 'chunk', ...draft })),
      );
      if (sealed.size === calls.length) parts.live.end(turn.sessionId);
      else parts.live.drop(turn.sessionId, ready);
    }));

  const finished = (i: number): void => {
    done.add(i);
    if (done.size === calls.length) return;
    if (waiting > 0) sealDone().catch(heardAtTheEnd);
    else
      timer ??= parts.timers.after(BUDGET.sealAloneAfter, () => {
        timer = null;
        sealDone().catch(heardAtTheEnd);
      });
  };
  const onWait = (change: 1 | -1): void => {
    waiting += change;
    if (waiting > 0 && done.size > sealed.size) sealDone().catch(heardAtTheEnd);
  };

  let lane: Promise<void> = Promise.resolve();
  const runs = calls.map((call) => {
    const tool = parts.toolbox.find(call.name);
    const one = (): Promise<void> => runCall(parts, turn, call, tool, onWait).then(() => finished(call.i));
    if (tool?.effect === 'read') return one();
    return (lane = lane.then(one));
  });
  await Promise.all(runs);
  (timer as (() => void) | null)?.();
  await sealDone();
}

function placeOf(id: string): number {
  return Number(id.slice(id.lastIndexOf('.') + 1));
}

/** One call, from its policy to its end. Never throws but for the store's faults: what goes wrong is its result. */
async function runCall(
  parts: TurnParts,
  turn: TurnState,
  call: ToolCall,
  tool: Tool | undefined,
  onWait: (change: 1 | -1) => void,
): Promise<void> {
  const say = (text: string): void =>
    parts.live.push(turn.sessionId, { type: 'tool-output', i: call.i, callId: call.callId, stream: 'result', text });
  const end = (facts: ToolEnd | { isError: true; outcome: 'denied' }): void =>
    parts.live.push(turn.sessionId, { type: 'tool-end', i: call.i, callId: call.callId, ...facts });
  const refuse = (text: string, outcome?: 'not-run' | 'denied'): void => {
    say(text);
    end(outcome === undefined ? { isError: true } : { isError: true, outcome });
  };

  if (turn.signal.aborted) return refuse(WORDS.stoppedBefore, 'not-run');
  if (tool === undefined) return refuse(`There is no tool named ${call.name}.`);
  if (!call.args.ok) return refuse(`Not run: ${call.args.problem}. Send the arguments again as one JSON object.`, 'not-run');
  const args = call.args.value;
  const policy = decide(
    await modeOf(parts, turn),
    tool.effect,
    turn.history.remembered.keys(turn.history.records, parts.toolbox).has(rememberKey(tool, args)),
  );
  if (policy === 'refuse') return refuse(WORDS.refusedByMode, 'denied');
  if (policy === 'ask') {
    const id = newId(parts.clock, parts.random);
    const verdict = parts.approvals.wait(id, turn.signal);
    const ask = {
      id,
      turnId: turn.turnId,
      step: turn.step,
      callId: call.callId,
      name: tool.name,
      effect: tool.effect,
      summary: tool.summary(args),
    };
    onWait(1);
    await parts.store.askApproval(turn.claim, ask, parts.clock.now());
    const answer = await verdict;
    onWait(-1);
    await catchUp(parts, turn);
    if (answer === 'deny') return refuse(WORDS.denied, 'denied');
    if (answer === 'aborted') return refuse(abortReason(turn) === 'closing' ? WORDS.undecided : WORDS.stoppedUndecided, 'not-run');
  }
  const context: ToolContext = {
    sessionId: turn.sessionId,
    workspace: turn.workspace,
    callId: call.callId,
    signal: turn.signal,
    output: (stream, text) => parts.live.push(turn.sessionId, { type: 'tool-output', i: call.i, callId: call.callId, stream, text }),
  };
  try {
    end(await tool.run(args, context));
  } catch (error) {
    parts.report('tool.threw', { tool: tool.name, error });
    refuse(`The tool failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** The mode as it is now: the user may have changed it while the step ran. */
async function modeOf(parts: TurnParts, turn: TurnState): Promise<Mode> {
  const entry = await parts.store.session(turn.sessionId);
  return entry === null || isTombstone(entry) ? 'plan' : entry.mode;
}
