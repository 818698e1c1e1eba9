/** The inbox's transactions: the facts are read, `Decisions` judges them, the answer is written. */
import { CodedError } from '#shared/protocol/errors.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { Refusal, SessionFacts } from '../decisions.ts';
import type { Admission, Admitted, Command, InputEdit } from '../port.ts';
import type { Core } from './core.ts';
import { changeSessionRow, once, onceOnSession } from './core.ts';
import { contentOf, receiptOf } from './rows.ts';
import type { InputRow, SessionRow } from './rows.ts';
import { SessionWork } from './work.ts';

export function admit(core: Core, admission: Admission): Admitted {
  const { sessionId, inputId } = admission;
  return changeSessionRow(core, sessionId, admission.now, (work) => {
    const { row } = work;
    const known = core.sql.input(inputId);
    const decision = core.decisions.decideAdmit({
      admission,
      session: factsOf(row),
      known: known === undefined ? null : knownOf(known),
      taken: known === undefined && core.sql.recordExists(inputId) !== undefined,
      pending: row.pending,
    });
    if (decision.kind === 'refuse') throw refusal(core, decision, known);
    if (decision.kind === 'same') {
      if (known === undefined) throw new Error('an unknown input cannot be the same as before');
      return { outcome: 'same', receipt: receiptOf(known, core.damaged), wake: decision.wake };
    }
    const { seq } = work.event('admitted', null, { inputId, delivery: decision.delivery });
    if (decision.resumes) work.resume();
    row.pending += 1;
    const input: InputRow = {
      ...blankInput(inputId, sessionId, admission.composedAt),
      seq,
      delivery: decision.delivery,
      parts: JSON.stringify(admission.content),
      payload_hash: admission.payloadHash,
      state: 'pending',
      // an admission's seq is above every rank there is: last in the queue
      rank: seq,
      held: decision.held ? 1 : 0,
      seen_seq: admission.seenSeq,
      aimed_turn_id: admission.aimedTurnId ?? null,
    };
    return { outcome: 'admitted', receipt: work.saveInput(input, 'insert'), wake: decision.wake };
  });
}

export function editInput(
  core: Core,
  sessionId: string,
  inputId: string,
  edit: InputEdit,
  baseRev: number | null,
  command: Command,
): Admitted {
  return onceOnSession(core, command, `edit-input ${inputId}`, sessionId, (work) => {
    const known = core.sql.input(inputId);
    if (known === undefined || known.session !== sessionId) throw new CodedError('not-found', 'there is no such input');
    const content = contentOf(known, core.damaged);
    const decision = core.decisions.decideEdit({
      edit,
      baseRev,
      input: { id: inputId, state: known.state, delivery: known.delivery, rev: known.rev, content, held: known.held === 1 },
      queued: queuedOf(core, sessionId),
      afterState: typeof edit.after === 'string' ? stateIn(core, sessionId, edit.after) : null,
      session: factsOf(work.row),
    });
    if (decision.kind === 'refuse') throw refusal(core, decision, known);
    if (decision.kind === 'same') return { outcome: 'same', receipt: receiptOf(known, core.damaged), wake: false };
    const next: InputRow = {
      ...known,
      parts: decision.content === content ? known.parts : JSON.stringify(decision.content),
      delivery: decision.delivery,
      held: decision.held ? 1 : 0,
      rev: known.rev + 1,
    };
    for (const { id, rank } of decision.ranks) {
      if (id === inputId) next.rank = rank;
      else moveOther(core, work, id, rank);
    }
    work.event('edited', null, { inputId, rev: next.rev });
    return { outcome: 'admitted', receipt: work.saveInput(next, 'update'), wake: decision.wake };
  });
}

/** Another input's place changes with a move; its `rev` does not, since nobody edited it. */
function moveOther(core: Core, work: SessionWork, id: string, rank: number): void {
  core.sql.setRank(rank, id);
  const moved = core.sql.input(id);
  if (moved !== undefined) work.tell(moved);
}

export function cancelInput(core: Core, sessionId: string, inputId: string, command: Command): Receipt {
  return once(core, command, `cancel-input ${sessionId} ${inputId}`, sessionId, (tell) => {
    const session = core.sql.session(sessionId);
    if (session?.deleted === 1) throw new CodedError('session-deleted', 'this session was deleted');
    const known = core.sql.input(inputId);
    const foreign = known === undefined ? core.sql.recordExists(inputId) !== undefined : known.session !== sessionId;
    if (foreign) throw new CodedError('id-conflict', 'this id belongs to something else');
    const decision = core.decisions.decideCancel(known?.state ?? null);
    if (decision.kind === 'refuse') throw refusal(core, decision, known);
    if (known !== undefined && decision.kind === 'same') return receiptOf(known, core.damaged);

    const work = session === undefined ? null : new SessionWork(core, session, command.now);
    if (known === undefined || work === null) {
      const tombstone = blankInput(inputId, sessionId, command.now);
      if (work === null) {
        // the session has not arrived either: there is nobody to tell
        core.sql.insertInput(tombstone);
        return receiptOf(tombstone, core.damaged);
      }
      const receipt = work.saveInput(tombstone, 'insert');
      tell(work.finish());
      return receipt;
    }
    work.row.pending -= 1;
    work.event('cancelled', null, { inputId });
    const receipt = work.saveInput({ ...known, state: 'cancelled', held: 0 }, 'update');
    tell(work.finish());
    return receipt;
  });
}

export function input(core: Core, sessionId: string, inputId: string): Receipt | null {
  if (core.sql.session(sessionId)?.deleted === 1) throw new CodedError('session-deleted', 'this session was deleted');
  const row = core.sql.input(inputId);
  return row === undefined || row.session !== sessionId ? null : receiptOf(row, core.damaged);
}

/** A tombstone, until more is known. */
function blankInput(id: string, session: string, composedAt: number): InputRow {
  return {
    id,
    session,
    seq: 0,
    delivery: 'steer',
    parts: JSON.stringify([] satisfies ContentPart[]),
    payload_hash: null,
    state: 'cancelled',
    promoted_seq: null,
    rank: 0,
    held: 0,
    seen_seq: null,
    aimed_turn_id: null,
    composed_at: composedAt,
    rev: 1,
  };
}

export function factsOf(row: SessionRow): SessionFacts {
  return { head: row.head, turnId: row.turn_id, pausedSeq: row.paused_seq };
}
function knownOf(row: InputRow) {
  return { sessionId: row.session, payloadHash: row.payload_hash, state: row.state, held: row.held === 1 };
}
function queuedOf(core: Core, sessionId: string): { id: string; rank: number }[] {
  return core.sql
    .waiting(sessionId)
    .filter((row) => row.delivery === 'queue')
    .map(({ id, rank }) => ({ id, rank }))
    .sort((a, b) => a.rank - b.rank);
}
function stateIn(core: Core, sessionId: string, inputId: string): InputRow['state'] | null {
  const row = core.sql.input(inputId);
  return row === undefined || row.session !== sessionId ? null : row.state;
}
/** Details of a refusal about an input: the receipt as it now is, so that the caller can show both values. */
function refusal(core: Core, decision: Refusal, known: InputRow | undefined): CodedError {
  const mine = decision.code !== 'id-conflict' && known !== undefined;
  return new CodedError(decision.code, decision.message, mine ? { current: receiptOf(known, core.damaged) } : undefined);
}
