/** What the operations share: statements, transactions, and the ways into one session. */
import { CodedError } from '#shared/protocol/errors.ts';
import type { Random, Report } from '#shared/ports.ts';
import type { Decisions } from '../decisions.ts';
import { FencedError } from '../port.ts';
import type { Claim, Command, Commit } from '../port.ts';
import { parsed } from './damage.ts';
import type { SessionRow } from './rows.ts';
import type { Statements } from './statements.ts';
import type { Read, Write } from './transaction.ts';
import { SessionWork } from './work.ts';

export interface Core {
  readonly sql: Statements;
  readonly write: Write;
  readonly read: Read;
  /** Tells of what a write has changed, once it is committed. */
  readonly committed: (commits: readonly Commit[]) => void;
  readonly random: Random;
  readonly report: Report;
  /** Tells of a row that cannot be read, once. */
  readonly damaged: Report;
  readonly decisions: Decisions;
  readonly epoch: string;
}

/** The row of a session that can be read and written: `not-found` if never known, `session-deleted` after a delete. */
export function liveSession(core: Core, id: string): SessionRow {
  const row = core.sql.session(id);
  if (row === undefined) throw new CodedError('not-found', 'there is no such session');
  if (row.deleted === 1) throw new CodedError('session-deleted', 'this session was deleted');
  return row;
}

/** One write transaction, told of after its commit. The body says what to tell by `tell`. */
export function transact<T>(core: Core, body: (tell: (commit: Commit | null) => void) => T): T {
  const commits: Commit[] = [];
  const result = core.write<unknown>(() =>
    body((commit) => {
      if (commit !== null) commits.push(commit);
    }),
  ) as T;
  core.committed(commits);
  return result;
}

/** One write transaction on a session that lives. */
export function changeSessionRow<T>(core: Core, sessionId: string, now: number, body: (work: SessionWork) => T): T {
  return transact(core, (tell) => {
    const work = new SessionWork(core, liveSession(core, sessionId), now);
    const result = body(work);
    tell(work.finish());
    return result;
  });
}

/** The same under a claim: `FencedError` unless the claim's turn is open and its fence the newest. */
export function changeUnderClaim<T>(core: Core, claim: Claim, now: number, body: (work: SessionWork) => T): T {
  return transact(core, (tell) => {
    const work = new SessionWork(core, claimedSession(core, claim), now);
    const result = body(work);
    tell(work.finish());
    return result;
  });
}
export function claimedSession(core: Core, claim: Claim): SessionRow {
  const row = core.sql.session(claim.sessionId);
  if (row === undefined || row.turn_id === null || row.owner !== claim.owner || row.fence !== claim.fence) {
    throw new FencedError(claim.sessionId);
  }
  return row;
}

/**
 * Runs `body` in one transaction with the storing of its answer, so that a retry with the same id gets the first answer and
 * changes nothing. Refusals are not stored: they changed nothing, and the next try may be right. `name` says what was asked of
 * what; the same id for anything else is an `id-conflict`. `sessionId` null: a command on no session.
 */
export function once<T>(
  core: Core,
  command: Command,
  name: string,
  sessionId: string | null,
  body: (tell: (commit: Commit | null) => void) => T,
): T {
  return transact(core, (tell) => {
    if (command.id === null) return body(tell);
    const first = core.sql.command(command.id);
    if (first !== undefined) {
      if (first.name !== name) throw new CodedError('id-conflict', 'this command id was already used for something else');
      const result = parsed(first.result) as { value: T } | undefined;
      if (result !== undefined) return result.value;
      core.damaged('unreadable-answer', { command: command.id });
      throw new CodedError('gone', 'this was done before, and what was answered then can no longer be read');
    }
    const value = body(tell);
    core.sql.insertCommand(command.id, name, sessionId, JSON.stringify({ value }), command.now);
    return value;
  });
}

/** `once` on a session that lives. */
export function onceOnSession<T>(core: Core, command: Command, name: string, sessionId: string, body: (work: SessionWork) => T): T {
  return once(core, command, `${name} ${sessionId}`, sessionId, (tell) => {
    const work = new SessionWork(core, liveSession(core, sessionId), command.now);
    const value = body(work);
    tell(work.finish());
    return value;
  });
}
