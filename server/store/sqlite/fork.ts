/**
 * Forks: sessions that begin with a copy of another's log. A short one is made in one transaction. A long one is copied in
 * many, with the event loop free between them, under a row that nobody can see: one last transaction gives it its id. What a
 * process leaves unfinished when it dies is removed at the next start.
 */
import { CodedError } from '#shared/protocol/errors.ts';
import type { SessionOrigin, SessionSummary } from '#shared/protocol/summaries.ts';
import { forkTitle } from '#shared/fork-title.ts';
import type { Commit, SessionDraft } from '../port.ts';
import type { Core } from './core.ts';
import { transact } from './core.ts';
import { ForkCopy } from './fork-copy.ts';
import type { ForkStatements } from './fork-statements.ts';
import { nextTick } from './next-tick.ts';
import { summaryOf } from './rows.ts';
import type { SessionRow } from './rows.ts';
import { otherPayload, rowOfDraft, sameSession } from './sessions.ts';
import { nextVersion } from './work.ts';

/** Seqs of the origin that one transaction copies: some milliseconds. */
const STRETCH = 500;

export interface ForkDraft extends SessionDraft {
  origin: SessionOrigin;
}
type Made = { outcome: 'created' | 'same'; session: SessionSummary };
type Tell = (commit: Commit | null) => void;

export interface Forks {
  create(draft: ForkDraft): Promise<Made>;
  /** Ends what is being copied; it is removed after the next start. */
  stop(): Promise<void>;
}

export interface ForkParts {
  /** Runs a write in its turn, as all others. */
  run<T>(operation: () => T): Promise<T>;
  /** There is something to remove. */
  purge(): void;
}

export function forksOf(core: Core, sql: ForkStatements, { run, purge }: ForkParts): Forks {
  const copying = new Map<string, { payloadHash: string; made: Promise<Made> }>();
  let stopped = false;
  core.write(() => sql.abandonAll());

  async function copyAll(draft: ForkDraft): Promise<Made> {
    const begun = await run(() => transact(core, (tell) => begin(core, sql, draft, tell)));
    if (!(begun instanceof ForkCopy)) return begun;
    try {
      while (begun.at < draft.origin.seq) {
        await nextTick();
        if (stopped) throw new CodedError('shutting-down', 'the server is shutting down');
        // alone, since what it counts up cannot be undone and done again
        transact(core, () => {
          // an origin that is deleted meanwhile loses its rows one by one
          originOf(core, draft.origin);
          begun.stretch(Math.min(begun.at + STRETCH, draft.origin.seq));
        });
      }
      return await run(() => transact(core, (tell) => publish(core, begun, draft, tell)));
    } catch (error) {
      if (!stopped) drop(begun);
      throw error;
    }
  }
  function drop(copy: ForkCopy): void {
    try {
      core.write(() => sql.abandon(copy.row.key));
      purge();
    } catch (error) {
      core.report('fork-left', { error });
    }
  }

  return {
    async create(draft) {
      const under = copying.get(draft.id);
      if (under !== undefined) {
        if (under.payloadHash !== draft.payloadHash) throw otherPayload();
        return { ...(await under.made), outcome: 'same' };
      }
      const made = copyAll(draft).finally(() => copying.delete(draft.id));
      copying.set(draft.id, { payloadHash: draft.payloadHash, made });
      return made;
    },
    async stop() {
      stopped = true;
      await Promise.allSettled([...copying.values()].map(({ made }) => made));
    },
  };
}

/** Makes a short fork whole; of a long one its beginning, out of sight. */
function begin(core: Core, sql: ForkStatements, draft: ForkDraft, tell: Tell): Made | ForkCopy {
  const known = sameSession(core, draft);
  if (known !== null) return { outcome: 'same', session: known };
  const origin = originOf(core, draft.origin);
  requireCut(sql, origin, draft.origin.seq);
  const asked = { ...draft, title: draft.title === '' ? forkTitle(origin.title) : draft.title };
  // the number below all others: no list of what changed ever reaches it
  const version = Math.min(0, sql.lowestVersion()?.version ?? 0) - 1;
  const staged: SessionRow = { ...rowOfDraft(asked, version), id: `fork ${version}`, deleted: 1 };
  core.sql.insertSession(staged);
  // what an earlier try has left has the same id and is not gone yet: its rows must not be in the way
  const copy = new ForkCopy(core, sql, origin, `${draft.id} ${version}`, { ...staged, key: core.sql.session(staged.id)!.key });
  copy.stretch(Math.min(STRETCH, draft.origin.seq));
  return copy.at < draft.origin.seq ? copy : publish(core, copy, draft, tell);
}

function publish(core: Core, copy: ForkCopy, draft: ForkDraft, tell: Tell): Made {
  const { row } = copy;
  // a deletion may have come first, and then its tombstone has the id
  if (sameSession(core, draft) !== null) throw otherPayload();
  copy.finish();
  Object.assign(row, { id: draft.id, deleted: 0, version: nextVersion(core) });
  // the words that the model was told at the start name the folder: in another one it is told anew
  if (row.workspace !== originOf(core, draft.origin).workspace) row.header = 0;
  core.sql.updateSession(row);
  const session = summaryOf(row);
  tell({ sessionId: row.id, records: [], receipts: [], session });
  return { outcome: 'created', session };
}

function originOf(core: Core, { sessionId }: SessionOrigin): SessionRow {
  const row = core.sql.session(sessionId);
  if (row === undefined) throw new CodedError('not-found', 'The server does not have the session to fork from.');
  // not `session-deleted`, which is said of the session that is asked for
  if (row.deleted === 1) throw new CodedError('gone', 'The session to fork from was deleted.');
  return row;
}

/** Turns never overlap: one is open at `seq` if it runs, or goes on behind it. */
function requireCut(sql: ForkStatements, origin: SessionRow, seq: number): void {
  if (seq > origin.head) throw new CodedError('conflict', 'The session to fork from has not come that far.', { head: origin.head });
  const turnId = sql.turnAt(origin.key, seq)?.turn_id;
  if (turnId === undefined) return;
  const open = turnId === origin.turn_id || turnId === sql.turnBehind(origin.key, seq)?.turn_id;
  if (open) throw new CodedError('conflict', 'A turn is open there. A fork begins where a turn has ended.', { turnId });
}
