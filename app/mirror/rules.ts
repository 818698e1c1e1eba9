/** The rules of the list, of receipts and of what a wipe leaves. */
import { isEvent } from '#shared/protocol/records.ts';
import { isTombstone, type Receipt, type SessionEntry } from '#shared/protocol/summaries.ts';
import { dropBlobsOf } from './blobs.ts';
import { cursorOf, factsOf, holds } from './guard.ts';
import type { Guard, MirroredSession, Projections } from './port.ts';
import { pageOf } from './pages.ts';
import type { FactsRow, MirrorTx, SessionMeta } from './tx.ts';

export async function factsIn(tx: MirrorTx): Promise<FactsRow> {
  return factsOf(await tx.meta('facts'));
}

export async function projectionsIn(tx: MirrorTx, sessionId: string): Promise<Projections> {
  const [meta, session, inputs, approvals] = await Promise.all([
    tx.metaOf(sessionId),
    tx.session(sessionId),
    tx.inputs(sessionId),
    tx.approvals(sessionId),
  ]);
  const { seq, lastId } = cursorOf(meta);
  return { cursor: { seq, lastId }, summary: session?.summary ?? null, inputs, approvals };
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
  await dropBlobsOf(tx, sessionId);
  await tx.setMeta(`log/${sessionId}`, { generation: facts.generation + 1 });
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
  if (!holds({ facts: await factsIn(tx) }, guard)) return { ok: false, changed, removed };
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

/**
 * Of what is said to wait, all but what the log here has settled since: a tab that is told late must not bring back what another
 * tab of this device has applied already. What is new here was admitted a moment ago, so that little of the log is looked at.
 */
async function unsettledIn(tx: MirrorTx, meta: SessionMeta, held: readonly Receipt[], said: readonly Receipt[]): Promise<Receipt[]> {
  const { seq: cursor } = cursorOf(meta);
  const pending = said.filter(({ state }) => state === 'pending');
  const late = pending.filter(({ id, seq }) => seq > 0 && seq < cursor && !held.some((input) => input.id === id));
  if (late.length === 0) return pending;
  const from = Math.min(...late.map(({ seq }) => seq)) + 1;
  const runs = await tx.runs(late[0]!.sessionId, pageOf(from), pageOf(cursor), true);
  const settled = new Set<string>();
  for (let page = pageOf(from); page <= pageOf(cursor); page++) {
    for (const record of runs.get(page)?.records ?? []) {
      if (record.kind === 'chunk' && record.type === 'prompt') settled.add(record.id);
      else if (isEvent(record, 'cancelled')) settled.add(record.data.inputId);
    }
  }
  return pending.filter(({ id }) => !settled.has(id));
}

/** All that waited when the log was at `head`. What another tab was told since is newer: it stays. */
export async function replaceInputsIn(
  tx: MirrorTx,
  guard: Guard,
  sessionId: string,
  receipts: readonly Receipt[],
  head: number,
): Promise<Receipt[]> {
  const held = await tx.inputs(sessionId);
  const meta = await tx.metaOf(sessionId);
  if (!holds(meta, guard)) return held;
  const said = receipts.map((receipt) => held.find(({ id, rev }) => id === receipt.id && rev > receipt.rev) ?? receipt);
  const since = held.filter(({ id, seq }) => seq > head && !said.some((receipt) => receipt.id === id));
  const pending = [...(await unsettledIn(tx, meta, held, said)), ...since];
  await tx.setInputs(sessionId, pending);
  return pending;
}

export async function putInputIn(tx: MirrorTx, guard: Guard, receipt: Receipt): Promise<Receipt[]> {
  const held = await tx.inputs(receipt.sessionId);
  const meta = await tx.metaOf(receipt.sessionId);
  if (!holds(meta, guard)) return held;
  const others = held.filter((input) => input.id !== receipt.id);
  const before = held.find((input) => input.id === receipt.id);
  if (before !== undefined && before.rev > receipt.rev && receipt.state === 'pending') return held;
  const next = [...others, ...(await unsettledIn(tx, meta, held, [receipt]))];
  await tx.setInputs(receipt.sessionId, next);
  return next;
}
