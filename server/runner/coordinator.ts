/**
 * One runner for all sessions, one drain per session. The doorbell is `wake`: rings while a drain runs are folded into one
 * more look. A drain opens turns while there is something runnable; opening claims the session durably, so that even two
 * processes could never run one session at once.
 */
import { newId } from '#shared/ids.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { isEvent } from '#shared/protocol/records.ts';
import { isTombstone, type SessionSummary } from '#shared/protocol/summaries.ts';
import { TIMES } from '#shared/protocol/limits.ts';
import { FencedError, type Claim, type OpenTurn, type Preface, type RecordDraft } from '../store/port.ts';
import { createApprovals } from './approvals.ts';
import type { SessionHistory } from './history.ts';
import { createLiveBoard } from './live.ts';
import { contextWords, errorRow, freePlace, systemRow } from './notes.ts';
import type { Runner } from './port.ts';
import { afterCut, lastStep, openCallRows, recoverTurn, type CutFacts, type Recovered } from './recovery.ts';
import { createShelf, SHELF_BYTES } from './shelf.ts';
import { pause } from './step.ts';
import { runTurn } from './turn.ts';
import { seal, type AbortReason, type RunnerParts, type TurnParts, type TurnState } from './turn-state.ts';

interface Drain {
  again: boolean;
  turnId: string | null;
  abort: AbortController;
  done: Promise<void>;
}

export function createRunner(given: RunnerParts): Runner {
  const live = createLiveBoard({ timers: given.timers, report: given.report, frameMs: TIMES.liveFrame });
  const shelf = createShelf({
    history: (sessionId, after, limit) => given.store.history(sessionId, after, limit),
    timers: given.timers,
    maxBytes: SHELF_BYTES,
  });
  const parts: TurnParts = { ...given, live, shelf, approvals: createApprovals() };
  const owner = newId(parts.clock, parts.random);
  const drains = new Map<string, Drain>();
  const closing = new AbortController();

  /** Date and mode go at the tail, and only when they changed; the frozen head is written once, at the first turn. */
  const preface: Preface = ({ session, turnId, header, context }) => {
    const rows: RecordDraft[] = [];
    if (!header) rows.push(headerRow(session.workspace, turnId));
    const words = contextWords(parts.clock.now(), session.mode);
    if (words !== context) rows.push({ kind: 'chunk', ...systemRow({ turnId, step: 0, i: 0 }, 'context', '', words) });
    return rows;
  };

  const offCommits = parts.store.onCommit(({ session }) => {
    if (isTombstone(session)) shelf.forget(session.id);
  });

  async function stateOf(
    claim: Claim,
    turnId: string,
    session: SessionSummary,
    history: SessionHistory,
    abort: AbortController,
  ): Promise<TurnState> {
    const settings = await parts.store.settings();
    return {
      sessionId: session.id,
      turnId,
      claim,
      workspace: session.workspace,
      model: session.model ?? settings.model ?? parts.agent.defaultModel,
      effort: session.effort,
      stepLimit: settings.stepLimit,
      keepAwake: settings.keepAwake,
      signal: abort.signal,
      step: 0,
      stepsDone: 0,
      toldLast: false,
      history,
      failures: 0,
      wait: null,
      cutOffs: 0,
      pauses: 0,
      empties: 0,
      drafted: 0,
    };
  }

  /**
   * Runs a claimed turn to its end, with the session's log from the shelf. Whatever fails in our own parts ends in a visible,
   * settled state (law 13).
   */
  async function run(
    claim: Claim,
    turnId: string,
    signal: AbortSignal,
    begin: (history: SessionHistory) => Promise<TurnState>,
  ): Promise<void> {
    try {
      const history = await shelf.take(claim.sessionId);
      try {
        const turn = await begin(history);
        const letGo = turn.keepAwake ? parts.awake?.hold() : undefined;
        try {
          await keepHeader(turn);
          await runTurn(parts, turn);
        } finally {
          letGo?.();
        }
      } finally {
        shelf.put(history);
      }
    } catch (error) {
      live.end(claim.sessionId);
      if (isLost(error) || signal.reason === 'closing') return;
      parts.report('turn.failed', { sessionId: claim.sessionId, turnId, error });
      await settleFailed(claim, turnId, error);
    }
  }

  /** Without its header a session has no wire. It was written with the first turn; here it can no longer be read, so it begins anew. */
  async function keepHeader(turn: TurnState): Promise<void> {
    if (turn.history.records.some((record) => isEvent(record, 'wire-header'))) return;
    await seal(parts, turn, [headerRow(turn.workspace, turn.turnId)]);
  }
  function headerRow(workspace: string, turnId: string): RecordDraft {
    const { system, tools } = parts.agent.header(parts.toolbox.tools, { workspace });
    return { kind: 'event', type: 'wire-header', turnId, data: { system, tools } };
  }

  /** Tries until the store takes it, or the server ends: then it is left for the next start. */
  async function settleFailed(claim: Claim, turnId: string, error: unknown): Promise<void> {
    const message = error instanceof Error ? error.message : String(error);
    for (let wait = 500; !closing.signal.aborted; wait = Math.min(wait * 2, 30_000)) {
      try {
        const records = await parts.store.turnRecords(claim.sessionId, turnId);
        const step = lastStep(records, turnId);
        const place = { turnId, step, i: freePlace(records, turnId, step) };
        const rows: RecordDraft[] = [
          ...openCallRows(records, turnId),
          { kind: 'chunk', ...errorRow(place, { code: 'internal', message }) },
        ];
        await parts.store.settle(claim, turnId, { reason: 'failed', rows, pause: 'failed', unlessSteers: false }, parts.clock.now());
        return;
      } catch (again) {
        if (isLost(again)) return;
        parts.report('turn.not-settled', { sessionId: claim.sessionId, error: again });
        await pause(parts, wait, closing.signal);
      }
    }
  }

  /** Opens turns until nothing is runnable. `first`: a turn that is claimed already. */
  function drain(sessionId: string, first: ((drain: Drain) => Promise<void>) | null): void {
    const state: Drain = { again: false, turnId: null, abort: new AbortController(), done: Promise.resolve() };
    drains.set(sessionId, state);
    state.done = (async () => {
      let again = false;
      try {
        if (first !== null) await first(state);
        do {
          state.again = false;
          while (!closing.signal.aborted && (await nextTurn(sessionId, state)));
        } while (state.again && !closing.signal.aborted);
      } catch (error) {
        parts.report('drain.failed', { sessionId, error });
        // Pending input must keep a wake, and a cut turn its recovery: look again, the fault may have been the disk's (law 13).
        again = true;
      } finally {
        drains.delete(sessionId);
      }
      if (again) parts.timers.after(5000, () => !closing.signal.aborted && !drains.has(sessionId) && drain(sessionId, first));
    })();
  }

  async function nextTurn(sessionId: string, state: Drain): Promise<boolean> {
    const turnId = newId(parts.clock, parts.random);
    state.turnId = turnId;
    state.abort = new AbortController();
    const opened = await parts.store.openTurn(sessionId, owner, turnId, parts.clock.now(), preface);
    if (opened === null) {
      state.turnId = null;
      return false;
    }
    const { claim, session } = opened;
    await run(claim, turnId, state.abort.signal, (history) => stateOf(claim, turnId, session, history, state.abort));
    state.turnId = null;
    return true;
  }

  function wake(sessionId: string): void {
    if (closing.signal.aborted) return;
    const running = drains.get(sessionId);
    if (running !== undefined) running.again = true;
    else drain(sessionId, null);
  }

  /**
   * Takes over one turn of a dead process: made whole, then run on or settled. The resume is counted before anything is read: what
   * takes the process down once more must not do so for ever.
   */
  async function resumeTurn(open: OpenTurn, state: Drain): Promise<void> {
    const { sessionId, turnId } = open;
    const entry = await parts.store.session(sessionId);
    if (entry === null || isTombstone(entry)) return;
    const facts: CutFacts = { stopped: entry.paused !== null, resumes: open.resumes };
    const resumes = afterCut(facts) === 'resume';
    state.turnId = turnId;
    const taken = await parts.store.takeOver(sessionId, owner, turnId, resumes, parts.clock.now());
    if (taken === null) return;
    const plan = async (): Promise<Recovered> => recoverTurn(await parts.store.turnRecords(sessionId, turnId), turnId, facts);
    if (resumes) {
      await run(taken.claim, turnId, state.abort.signal, async (history) => {
        const { rows, step } = await plan();
        if (rows.length > 0) await parts.store.seal(taken.claim, rows, parts.clock.now());
        await shelf.readOn(history);
        const fresh = await stateOf(taken.claim, turnId, taken.session, history, state.abort);
        // A turn that goes on makes one step at least.
        return { ...fresh, step: step + 1, stepsDone: Math.min(step, fresh.stepLimit - 1) };
      });
    } else {
      const { rows } = await plan();
      const [reason, pause] = facts.stopped ? (['stopped', null] as const) : (['cut', 'budget'] as const);
      await parts.store.settle(taken.claim, turnId, { reason, rows, pause, unlessSteers: false }, parts.clock.now());
    }
    state.turnId = null;
  }

  function abortTurn(sessionId: string, turnId: string | null, reason: AbortReason): void {
    const state = drains.get(sessionId);
    if (state === undefined || state.turnId === null || (turnId !== null && state.turnId !== turnId)) return;
    state.abort.abort(reason);
  }

  async function idle(): Promise<void> {
    while (drains.size > 0) await Promise.all([...drains.values()].map((state) => state.done));
  }

  return {
    snapshot: live.snapshot,
    onFrame: live.onFrame,
    wake,
    abort: (sessionId, turnId) => abortTurn(sessionId, turnId, 'stopped'),
    decided: (_sessionId, approvalId, decision) => parts.approvals.decided(approvalId, decision),
    async recover() {
      for (const open of await parts.store.openTurns()) drain(open.sessionId, (state) => resumeTurn(open, state));
      for (const sessionId of await parts.store.runnableSessions()) wake(sessionId);
    },
    idle,
    async close() {
      closing.abort();
      for (const sessionId of drains.keys()) abortTurn(sessionId, null, 'closing');
      await idle();
      offCommits();
    },
  };
}

/** The turn is no longer ours to write to: another runner has it, or its session was deleted, which ended it. */
function isLost(error: unknown): boolean {
  return error instanceof FencedError || (error instanceof CodedError && error.code === 'session-deleted');
}
