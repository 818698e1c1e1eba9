/** The mirror port over anything that runs transactions: what both adapters share. */
import { isUncloneable } from '../disk/faults.ts';
import { plain } from '#shared/plain.ts';
import { isTombstone } from '#shared/protocol/summaries.ts';
import { applyIn } from './apply.ts';
import { blobsMissingIn, putBlobIn } from './blobs.ts';
import { guardOf } from './guard.ts';
import type { Applied, Change, Guard, Mirror } from './port.ts';
import { coverageIn, nextBelowIn, readAfterIn, readBeforeIn } from './reads.ts';
import { adoptIn, dropLogIn, factsIn, projectionsIn, putInputIn, putSessionsIn, replaceInputsIn, wipeIn } from './rules.ts';
import { putTurnsIn, turnsIn, turnsReachIn } from './turns.ts';
import { ALL, APPLY, BLOBS, COPY, LOG, PROJECTED, RECEIPTS, TURNS, type MirrorTx, type Store } from './tx.ts';

/** Characters that a disk must take to be good for more. */
const PROBE = 64 * 1024;

export interface Transactions {
  readonly durable: boolean;
  /** What is written is copied on its way in; else it is copied before (B21). */
  readonly copies: boolean;
  /** All of `work`, which touches only `stores`, happens or nothing does. */
  write<T>(stores: readonly Store[], work: (tx: MirrorTx) => Promise<T>): Promise<T>;
  read<T>(stores: readonly Store[], work: (tx: MirrorTx) => Promise<T>): Promise<T>;
  close(): void;
}

export function mirrorOver(tx: Transactions): Mirror {
  /** Blobs read since the last write of one: a read must not cost a write. */
  let used: string[] = [];

  /**
   * Writes what was handed over. Nearly always it is plain (parsed from JSON a moment ago), and a copy would be the dearest part
   * of the write: so only what turns out to be reactive is copied, and written again.
   */
  async function put<V, T>(stores: readonly Store[], value: V, work: (at: MirrorTx, value: V) => Promise<T>): Promise<T> {
    if (!tx.copies) {
      const own = plain(value);
      return tx.write(stores, (at) => work(at, own));
    }
    try {
      return await tx.write(stores, (at) => work(at, value));
    } catch (error) {
      if (!isUncloneable(error)) throw error;
      const own = plain(value);
      return tx.write(stores, (at) => work(at, own));
    }
  }
  function apply<C extends Change>(guard: Guard, change: C): Promise<Applied<C>> {
    // What is answered goes by the kind of the change, which the compiler cannot follow into `applyIn`.
    return put(change.kind === 'backfill' ? COPY : APPLY, change, (at, own) => applyIn(at, guard, own) as Promise<Applied<C>>);
  }

  return {
    durable: tx.durable,
    close: () => tx.close(),
    async ready() {
      if (!tx.durable) return;
      await tx.write(['meta'], async (at) => at.setMeta('probe', 'x'.repeat(PROBE)));
      await tx.write(['meta'], async (at) => at.setMeta('probe', ''));
    },
    facts: () =>
      tx.read(['meta'], async (at) => {
        const facts = await factsIn(at);
        return { epoch: facts.epoch, version: facts.version, guard: { epoch: facts.epoch, generation: facts.floor } };
      }),
    adopt: (epoch, afresh) => tx.write(ALL, (at) => adoptIn(at, epoch, afresh)),

    sessions: () => tx.read(['sessions'], async (at) => at.sessions()),
    putSessions: (guard, entries, version) =>
      put(entries.some(isTombstone) ? ALL : ['meta', 'sessions'], entries, (at, own) => putSessionsIn(at, guard, own, version)),
    markRead: (sessionId, total) =>
      tx.write(['sessions'], async (at) => {
        const session = await at.session(sessionId);
        if (session !== undefined && session.readTotal !== total) await at.putSession({ ...session, readTotal: total });
      }),

    guard: (sessionId) => tx.read(['meta'], async (at) => guardOf(await at.metaOf(sessionId))),
    projections: (sessionId) => tx.read(PROJECTED, (at) => projectionsIn(at, sessionId)),
    apply,
    async copy(guard, change) {
      const applied = await apply(guard, change);
      return applied.ok ? { ok: true } : applied;
    },
    putInput: (guard, receipt) => put(RECEIPTS, receipt, (at, own) => putInputIn(at, guard, own)),
    replaceInputs: (guard, sessionId, receipts, head) =>
      put(RECEIPTS, receipts, (at, own) => replaceInputsIn(at, guard, sessionId, own, head)),
    closeApproval: (sessionId, approvalId) =>
      tx.write(['approvals'], async (at) => {
        const left = (await at.approvals(sessionId)).filter((approval) => approval.id !== approvalId);
        await at.setApprovals(sessionId, left);
        return left;
      }),

    readBefore: (sessionId, before, chunks) => tx.read(LOG, (at) => readBeforeIn(at, sessionId, before, chunks)),
    readAfter: (sessionId, after, chunks) => tx.read(LOG, (at) => readAfterIn(at, sessionId, after, chunks)),
    nextBelow: (sessionId, before) => tx.read(['meta'], (at) => nextBelowIn(at, sessionId, before)),
    coverage: (sessionId) => tx.read(['meta'], (at) => coverageIn(at, sessionId)),

    turns: (sessionId, before, limit) => tx.read(TURNS, (at) => turnsIn(at, sessionId, before, limit)),
    turnsReach: (sessionId) => tx.read(TURNS, (at) => turnsReachIn(at, sessionId)),
    putTurns: (guard, sessionId, turns, span) => put(TURNS, turns, (at, own) => putTurnsIn(at, guard, sessionId, own, span)),

    async blob(sha256) {
      const text = await tx.read(['blobs'], async (at) => at.blob(sha256));
      if (text === undefined) return undefined;
      used.push(sha256);
      return JSON.parse(text) as unknown;
    },
    blobsMissing: (sha256s) => tx.read(['blobFacts'], (at) => blobsMissingIn(at, sha256s)),
    async putBlob(guard, sessionId, sha256, data, others) {
      const touched = used;
      used = [];
      const text = JSON.stringify(data);
      return tx.write(BLOBS, (at) => putBlobIn(at, guard, { sessionId, sha256, text, others }, touched));
    },

    dropLog: (sessionId) => tx.write(ALL, (at) => dropLogIn(at, sessionId)),
    evictOne: (keep) =>
      tx.write(ALL, async (at) => {
        const oldestFirst = (await at.sessions()).sort((a, b) => a.summary.updatedAt - b.summary.updatedAt);
        for (const { id } of oldestFirst) {
          if (keep.has(id) || (await at.meta(`log/${id}`))?.cursor === undefined) continue;
          await dropLogIn(at, id);
          return true;
        }
        return false;
      }),
    wipe: () => tx.write(ALL, (at) => wipeIn(at, null)),
  };
}
