/** The rules of every mirror transaction but `apply`: who may write, what a summary or receipt replaces, what a wipe leaves. */
import { isTombstone, type Receipt, type SessionEntry } from '#shared/protocol/summaries.ts';
import { START, type Guard, type MirroredSession, type Projections } from './port.ts';
import type { FactsRow, MirrorTx } from './tx.ts';

const NEW: FactsRow = { epoch: null, version: 0, generation: 1, floor: 1 };

export async function factsIn(tx: MirrorTx): Promise<FactsRow> {
  return (await tx.meta('facts')) ?? NEW;
}
export async function guardIn(tx: MirrorTx, sessionId: string | null): Promise<Guard> {
  const facts = await factsIn(tx);
  const own = sessionId === null ? undefined : await tx.meta(`generation/${sessionId}`);
  return { epoch: facts.epoch, generation: own ?? facts.floor };
}
/** Whether a write asked for under `guard` may still happen. */
export async function holds(tx: MirrorTx, guard: Guard, sessionId: string | null): Promise<boolean> {
  const now = await guardIn(tx, sessionId);
  return now.epoch === guard.epoch && now.generation === guard.generation;
}

export async function projectionsIn(tx: MirrorTx, sessionId: string): Promise<Projections> {
  const cursor = (await tx.meta(`cursor/${sessionId}`)) ?? START;
  return {
    cursor: { seq: cursor.seq, lastId: cursor.lastId },
    summary: (await tx.session(sessionId))?.summary ?? null,
    inputs: await tx.inputs(sessionId),
    approvals: await tx.approvals(sessionId),
  };
}

export async function adoptIn(tx: MirrorTx, epoch: string, afresh: boolean): Promise<void> {
  const facts = await factsIn(tx);
  if (facts.epoch === epoch && !afresh) return;
  if (facts.epoch === null && !afresh) {
    await tx.setMeta('facts', { ...facts, epoch });
    return;
  }
  await wipeIn(tx, epoch);
}
export async function wipeIn(tx: MirrorTx, epoch: string | null): Promise<void> {
  const { generation } = await factsIn(tx);
  await tx.dropAll();
  await tx.setMeta('facts', { epoch, version: 0, generation: generation + 1, floor: generation + 1 });
}
export async function dropLogIn(tx: MirrorTx, sessionId: string): Promise<void> {
  const facts = await factsIn(tx);
  await tx.dropLog(sessionId);
  await tx.setMeta(`generation/${sessionId}`, facts.generation + 1);
  await tx.setMeta('facts', { ...facts, generation: facts.generation + 1 });
}

export async function putSessionsIn(
  tx: MirrorTx,
  guard: Guard,
  entries: readonly SessionEntry[],
  version: number | null,
): Promise<{ ok: boolean; changed: MirroredSession[]; removed: string[] }> {
  const changed: MirroredSession[] = [];
  const removed: string[] = [];
  if (!(await holds(tx, guard, null))) return { ok: false, changed, removed };
  for (const entry of entries) {
    const held = await tx.session(entry.id);
    if (isTombstone(entry)) {
      await dropLogIn(tx, entry.id);
      await tx.dropSession(entry.id);
      removed.push(entry.id);
    } else if (held === undefined || held.summary.version <= entry.version) {
      const session = { id: entry.id, summary: entry, readTotal: held?.readTotal ?? entry.total };
      await tx.putSession(session);
      changed.push(session);
    }
  }
  if (version !== null) {
    const facts = await factsIn(tx);
    if (version > facts.version) await tx.setMeta('facts', { ...facts, version });
  }
  return { ok: true, changed, removed };
}

export async function putInputIn(tx: MirrorTx, guard: Guard, receipt: Receipt): Promise<Receipt[]> {
  const held = await tx.inputs(receipt.sessionId);
  if (!(await holds(tx, guard, receipt.sessionId))) return held;
  const others = held.filter((input) => input.id !== receipt.id);
  const before = held.find((input) => input.id === receipt.id);
  if (before !== undefined && before.rev > receipt.rev && receipt.state === 'pending') return held;
  const next = receipt.state === 'pending' ? [...others, receipt] : others;
  await tx.setInputs(receipt.sessionId, next);
  return next;
}
