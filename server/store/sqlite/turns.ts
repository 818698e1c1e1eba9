/** A turn, from its claim to its settled event. Every write but the opening one is made under the claim. */
import { turnWords } from '#shared/turn-words.ts';
import type { ChunkRecord, LogRecord } from '#shared/protocol/records.ts';
import type { Claim, Command, OpenedTurn, OpenTurn, Preface, RecordDraft, Settlement } from '../port.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import type { Core } from './core.ts';
import { changeUnderClaim, claimedSession, onceOnSession, transact } from './core.ts';
import { contentOf } from './rows.ts';
import type { SessionRow } from './rows.ts';
import { SessionWork } from './work.ts';

export function openTurn(core: Core, sessionId: string, owner: string, turnId: string, now: number, preface: Preface): OpenedTurn | null {
  return transact(core, (tell) => {
    const row = core.sql.session(sessionId);
    if (row === undefined || row.deleted === 1 || row.turn_id !== null) return null;
    const { inputs, goesOn } = core.decisions.choosePromotions(promotionFacts(core, row, 'idle'));
    if (inputs.length === 0 && !goesOn) return null;

    const work = new SessionWork(core, row, now);
    const cutTurn = row.continuable;
    row.fence += 1;
    Object.assign(row, { owner, turn_id: turnId, resumes: 0, continuable: null, armed: 0 } satisfies Partial<SessionRow>);
    const prompts = promote(core, work, inputs, turnId, 0);
    // whatever runs the session releases what was admitted without waking it
    core.sql.releaseHeld(sessionId);
    const started = work.event('turn-started', turnId, goesOn && cutTurn !== null ? { turnId, resumes: cutTurn } : { turnId });
    const words = prompts[0] === undefined ? (core.sql.turnsBefore(row.key, started.seq, 1)[0]?.words ?? '') : firstWords(core, inputs[0]!);
    core.sql.insertTurn(row.key, prompts[0]?.seq ?? started.seq, turnId, now, words);
    for (const draft of preface({ session: work.summary(), turnId, header: row.header === 1, context: row.context })) work.append(draft);
    tell(work.finish());
    return { claim: { sessionId, owner, fence: row.fence }, turnId, session: work.summary(), prompts };
  });
}

function promotionFacts(core: Core, row: SessionRow, at: 'idle' | 'boundary') {
  const waiting = row.pending === 0 ? [] : core.sql.waiting(row.id).map((one) => ({ ...one, held: one.held === 1 }));
  return { at, paused: row.paused_seq !== null, armed: row.armed === 1, waiting };
}

/** Each input becomes its `prompt` chunk: that chunk is the record of its promotion. */
function promote(core: Core, work: SessionWork, ids: readonly string[], turnId: string, step: number): ChunkRecord[] {
  return ids.map((id) => {
    const input = core.sql.input(id);
    if (input === undefined || input.state !== 'pending') throw new Error(`input ${id} is not pending`);
    const data = { content: contentOf(input, core.damaged) };
    const chunk = work.append({ kind: 'chunk', id, turnId, step, role: 'user', type: 'prompt', data }) as ChunkRecord;
    work.row.pending -= 1;
    work.saveInput({ ...input, state: 'promoted', promoted_seq: chunk.seq, held: 0 }, 'update');
    return chunk;
  });
}
function firstWords(core: Core, inputId: string): string {
  const input = core.sql.input(inputId);
  return input === undefined ? '' : turnWords(contentOf(input, core.damaged));
}

export function takeOver(
  core: Core,
  sessionId: string,
  owner: string,
  turnId: string,
  resume: boolean,
  now: number,
): { claim: Claim; session: SessionSummary; resumes: number } | null {
  return transact(core, (tell) => {
    const row = core.sql.session(sessionId);
    if (row === undefined || row.turn_id !== turnId) return null;
    const work = new SessionWork(core, row, now);
    row.fence += 1;
    row.owner = owner;
    // nobody waits for these any more
    work.closeApprovals();
    if (resume) {
      row.resumes += 1;
      work.event('turn-started', turnId, { turnId, resumes: turnId });
    }
    work.touch();
    tell(work.finish());
    return { claim: { sessionId, owner, fence: row.fence }, session: work.summary(), resumes: row.resumes };
  });
}

export function openTurns(core: Core): OpenTurn[] {
  return core.sql.openTurns().map((row) => ({ sessionId: row.id, turnId: row.turn_id, owner: row.owner, resumes: row.resumes }));
}

export function promoteSteers(core: Core, claim: Claim, turnId: string, step: number, now: number): ChunkRecord[] {
  if (steersOf(core, claimedSession(core, claim)).length === 0) return [];
  return changeUnderClaim(core, claim, now, (work) => {
    requireTurn(work.row, turnId);
    return promote(core, work, steersOf(core, work.row), turnId, step);
  });
}
function steersOf(core: Core, row: SessionRow): string[] {
  return core.decisions.choosePromotions(promotionFacts(core, row, 'boundary')).inputs;
}

export function seal(core: Core, claim: Claim, rows: RecordDraft[], now: number): LogRecord[] {
  if (rows.length === 0) return [];
  return changeUnderClaim(core, claim, now, (work) => rows.map((draft) => work.append(draft)));
}

export function settle(
  core: Core,
  claim: Claim,
  turnId: string,
  end: Settlement,
  now: number,
): { outcome: 'settled'; runnable: boolean } | { outcome: 'steers' } {
  return changeUnderClaim(core, claim, now, (work) => {
    const { row } = work;
    requireTurn(row, turnId);
    if (end.unlessSteers && steersOf(core, row).length > 0) return { outcome: 'steers' };
    for (const draft of end.rows) work.append(draft);
    work.closeApprovals();
    work.event('turn-settled', turnId, { turnId, reason: end.reason });
    if (end.pause !== null && row.paused_seq === null) work.pause(end.pause, turnId);
    const continuable = end.reason === 'failed' || end.reason === 'cut' ? turnId : null;
    Object.assign(row, { owner: null, turn_id: null, resumes: 0, continuable } satisfies Partial<SessionRow>);
    return { outcome: 'settled', runnable: row.pending > 0 && row.paused_seq === null };
  });
}
function requireTurn(row: SessionRow, turnId: string): void {
  if (row.turn_id !== turnId) throw new Error(`turn ${turnId} is not the one that is claimed`);
}

export function stop(core: Core, sessionId: string, turnId: string | null, command: Command): { turnId: string } | null {
  return onceOnSession(core, command, `stop ${turnId ?? ''}`, sessionId, (work) => {
    const { row } = work;
    if (row.turn_id === null || (turnId !== null && row.turn_id !== turnId)) return null;
    if (row.paused_seq === null) {
      work.pause('stopped', row.turn_id);
      work.closeApprovals();
    }
    return { turnId: row.turn_id };
  });
}

export function resume(core: Core, sessionId: string, pausedSeq: number | null, command: Command): { resumed: boolean; wake: boolean } {
  return onceOnSession(core, command, `resume ${pausedSeq ?? ''}`, sessionId, (work) => {
    const { row } = work;
    if (pausedSeq !== null && row.paused_seq !== pausedSeq) return { resumed: false, wake: false };
    const resumed = row.paused_seq !== null;
    if (resumed) work.resume();
    if (row.turn_id === null && row.continuable !== null && row.armed === 0) {
      row.armed = 1;
      work.touch();
    }
    if (row.pending > 0) core.sql.releaseHeld(sessionId);
    return { resumed, wake: row.pending > 0 || row.armed === 1 };
  });
}

/** Sessions that a runner should be woken for. */
export function runnableSessions(core: Core): string[] {
  return core.sql.runnableSessions().map((row) => row.id);
}
