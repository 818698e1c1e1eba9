/** The mirror port over anything that runs transactions: what both adapters share. */
import { plain } from '#shared/plain.ts';
import type { Approval, Receipt, SessionEntry } from '#shared/protocol/summaries.ts';
import { applyIn } from './apply.ts';
import type { Applied, Change, Guard, Mirror, MirroredSession, MirrorFacts, Projections, Stretch } from './port.ts';
import { nextBelowIn, readAfterIn, readBeforeIn } from './reads.ts';
import { adoptIn, dropLogIn, factsIn, guardIn, holds, projectionsIn, putInputIn, putSessionsIn, wipeIn } from './rules.ts';
import type { MirrorTx } from './tx.ts';

export interface Transactions {
  readonly durable: boolean;
  /** All of `work` happens or nothing does. */
  write<T>(work: (tx: MirrorTx) => Promise<T>): Promise<T>;
  read<T>(work: (tx: MirrorTx) => Promise<T>): Promise<T>;
  close(): void;
}

export function mirrorOver(tx: Transactions): Mirror {
  return {
    durable: tx.durable,
    close: () => tx.close(),
    facts: (): Promise<MirrorFacts> =>
      tx.read(async (at) => {
        const facts = await factsIn(at);
        return { epoch: facts.epoch, version: facts.version, guard: { epoch: facts.epoch, generation: facts.floor } };
      }),
    adopt: (epoch, afresh) => tx.write((at) => adoptIn(at, epoch, afresh)),

    sessions: (): Promise<MirroredSession[]> => tx.read(async (at) => at.sessions()),
    putSessions(guard: Guard, entries: readonly SessionEntry[], version: number | null) {
      const own = plain(entries);
      return tx.write((at) => putSessionsIn(at, guard, own, version));
    },
    markRead: (sessionId, total) =>
      tx.write(async (at) => {
        const session = await at.session(sessionId);
        if (session !== undefined && session.readTotal !== total) await at.putSession({ ...session, readTotal: total });
      }),

    guard: (sessionId): Promise<Guard> => tx.read((at) => guardIn(at, sessionId)),
    projections: (sessionId): Promise<Projections> => tx.read((at) => projectionsIn(at, sessionId)),
    apply(guard: Guard, change: Change): Promise<Applied> {
      const own = plain(change);
      return tx.write((at) => applyIn(at, guard, own));
    },
    putInput(guard, receipt) {
      const own = plain(receipt);
      return tx.write((at) => putInputIn(at, guard, own));
    },
    replaceInputs(guard, sessionId, receipts): Promise<Receipt[]> {
      const own = plain(receipts).filter((receipt) => receipt.state === 'pending');
      return tx.write(async (at) => {
        if (!(await holds(at, guard, sessionId))) return at.inputs(sessionId);
        await at.setInputs(sessionId, own);
        return own;
      });
    },
    closeApproval: (sessionId, approvalId): Promise<Approval[]> =>
      tx.write(async (at) => {
        const left = (await at.approvals(sessionId)).filter((approval) => approval.id !== approvalId);
        await at.setApprovals(sessionId, left);
        return left;
      }),

    readBefore: (sessionId, before, chunks): Promise<Stretch> => tx.read((at) => readBeforeIn(at, sessionId, before, chunks)),
    readAfter: (sessionId, after, chunks): Promise<Stretch> => tx.read((at) => readAfterIn(at, sessionId, after, chunks)),
    nextBelow: (sessionId, before): Promise<number> => tx.read((at) => nextBelowIn(at, sessionId, before)),

    dropLog: (sessionId) => tx.write((at) => dropLogIn(at, sessionId)),
    evictOne: (keep): Promise<boolean> =>
      tx.write(async (at) => {
        const oldestFirst = (await at.sessions()).sort((a, b) => a.summary.updatedAt - b.summary.updatedAt);
        for (const { id } of oldestFirst) {
          if (keep.has(id) || (await at.meta(`cursor/${id}`)) === undefined) continue;
          await dropLogIn(at, id);
          return true;
        }
        return false;
      }),
    wipe: () => tx.write((at) => wipeIn(at, null)),
  };
}
