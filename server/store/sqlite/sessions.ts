/** Sessions as a whole: made, listed, changed, deleted. */
import { CodedError } from '#shared/protocol/errors.ts';
import type { SessionEntry, SessionSummary } from '#shared/protocol/summaries.ts';
import type { Command, SessionChange, SessionDraft } from '../port.ts';
import type { Core } from './core.ts';
import { once, onceOnSession, transact } from './core.ts';
import { entryOf, summaryOf } from './rows.ts';
import type { SessionRow } from './rows.ts';
import { SessionWork, nextVersion } from './work.ts';

export function createSession(core: Core, draft: SessionDraft): { outcome: 'created' | 'same'; session: SessionSummary } {
  return transact(core, (tell) => {
    const known = sameSession(core, draft);
    if (known !== null) return { outcome: 'same', session: known };
    const row = rowOfDraft(draft, nextVersion(core));
    core.sql.insertSession(row);
    const session = summaryOf(row);
    tell({ sessionId: row.id, records: [], receipts: [], session });
    return { outcome: 'created', session };
  });
}

/** The session that was made of this very payload before; null: the id is free. */
export function sameSession(core: Core, draft: SessionDraft): SessionSummary | null {
  const known = core.sql.session(draft.id);
  if (known === undefined) return null;
  if (known.deleted === 1) throw new CodedError('session-deleted', 'this session was deleted');
  if (known.payload_hash !== draft.payloadHash) throw otherPayload();
  return summaryOf(known);
}
export function otherPayload(): CodedError {
  return new CodedError('id-conflict', 'this session id was used for another session');
}

/** An empty session as it was asked for. */
export function rowOfDraft(draft: SessionDraft, version: number): SessionRow {
  const { id, now, title, workspace, model, effort, mode, origin } = draft;
  return {
    ...newRow(id, now, version),
    title,
    workspace,
    model,
    effort,
    mode,
    payload_hash: draft.payloadHash,
    origin_session: origin?.sessionId ?? null,
    origin_seq: origin?.seq ?? null,
  };
}

function newRow(id: string, now: number, version: number): SessionRow {
  return {
    key: 0,
    id,
    title: '',
    workspace: '',
    model: null,
    effort: null,
    mode: 'ask',
    status: 'idle',
    head: 0,
    total: 0,
    version,
    rev: 1,
    pinned: 0,
    archived: 0,
    created_at: now,
    updated_at: now,
    last_words: '',
    payload_hash: null,
    fence: 0,
    owner: null,
    turn_id: null,
    resumes: 0,
    paused_seq: null,
    paused_reason: null,
    pending: 0,
    open_approvals: 0,
    header: 0,
    context: null,
    continuable: null,
    armed: 0,
    deleted: 0,
    purge: 0,
    origin_session: null,
    origin_seq: null,
  };
}

export function sessionsSince(core: Core, since: number, limit: number): { sessions: SessionEntry[]; version: number; more: boolean } {
  return core.read(() => {
    const rows = core.sql.sessionsAfter(since, limit + 1);
    const version = core.sql.newestVersion()?.version ?? 0;
    return { sessions: rows.slice(0, limit).map(entryOf), version, more: rows.length > limit };
  });
}

/** What is wanted already is no change: a retry, or two devices that want the same, are never stale. */
export function changeSession(core: Core, id: string, change: SessionChange, baseRev: number | null, command: Command): SessionSummary {
  return onceOnSession(core, command, 'change-session', id, (work) => {
    const { row } = work;
    const next = {
      title: change.title ?? row.title,
      model: change.model === undefined ? row.model : change.model,
      effort: change.effort === undefined ? row.effort : change.effort,
      mode: change.mode ?? row.mode,
      pinned: flag(change.pinned, row.pinned),
      archived: flag(change.archived, row.archived),
    };
    const renamed = next.title !== row.title;
    const modelled = next.model !== row.model || next.effort !== row.effort;
    const moded = next.mode !== row.mode;
    if (!renamed && !modelled && !moded && next.pinned === row.pinned && next.archived === row.archived) return work.summary();
    if (baseRev !== null && baseRev !== row.rev) {
      throw new CodedError('stale-edit', 'the session was changed elsewhere in the meantime', { current: work.summary() });
    }
    Object.assign(row, next);
    row.rev += 1;
    work.touch();
    if (renamed) work.event('renamed', null, { title: next.title });
    if (modelled) work.event('model-changed', null, { model: next.model, effort: next.effort });
    if (moded) work.event('mode-changed', null, { mode: next.mode });
    return work.summary();
  });
}

function flag(asked: boolean | undefined, now: 0 | 1): 0 | 1 {
  if (asked === undefined) return now;
  return asked ? 1 : 0;
}

/**
 * Leaves a tombstone and voids the claim; what the session said is no longer readable from here on, and its rows are
 * removed by `purge` after this.
 */
export function deleteSession(core: Core, id: string, command: Command): { turnId: string | null } {
  return once(core, command, `delete-session ${id}`, null, (tell) => {
    const known = core.sql.session(id);
    if (known === undefined) {
      const row: SessionRow = { ...newRow(id, command.now, nextVersion(core)), deleted: 1 };
      core.sql.insertSession(row);
      tell({ sessionId: id, records: [], receipts: [], session: entryOf(row) });
      return { turnId: null };
    }
    if (known.deleted === 1) return { turnId: null };
    const work = new SessionWork(core, known, command.now);
    const turnId = known.turn_id;
    for (const input of core.sql.pendingInputs(id)) work.saveInput({ ...input, state: 'cancelled' }, 'update');
    for (const open of core.sql.openApprovals(id)) core.sql.decideApproval('gone', null, open.id);
    const gone: Partial<SessionRow> = { title: '', workspace: '', last_words: '', context: null, continuable: null, payload_hash: null };
    Object.assign(gone, { origin_session: null, origin_seq: null });
    Object.assign(known, gone, { deleted: 1, purge: 1, pending: 0, open_approvals: 0, armed: 0, paused_seq: null, paused_reason: null });
    Object.assign(known, { owner: null, turn_id: null, fence: known.fence + 1 });
    work.touch();
    tell(work.finish());
    return { turnId };
  });
}
