/**
 * The one transaction that writes log rows: rows, coverage, cursor and projections together, so that the cursor never
 * outruns the mirror (law 7). It merges with the pages as read inside it and gives up when epoch or generation changed
 * since the request was made.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import { byPage, isDense, lastOf, merge, type Run } from './pages.ts';
import { APPLY_RECORDS, type Applied, type Change, type Guard } from './port.ts';
import { project } from './projections.ts';
import { holds, projectionsIn } from './rules.ts';
import type { CursorRow, MirrorTx } from './tx.ts';

/** Runs `change`. More than `APPLY_RECORDS` records are a fault of the caller: it throws before anything is read. */
export async function applyIn(tx: MirrorTx, guard: Guard, change: Change): Promise<Applied> {
  const records = change.kind === 'timeline' ? change.timeline.records : change.records;
  if (records.length > APPLY_RECORDS) throw new RangeError(`at most ${APPLY_RECORDS} records in one transaction`);
  if (!(await holds(tx, guard, change.sessionId))) return { ok: false, reason: 'stale' };
  if (!isDense(records)) return { ok: false, reason: 'ahead' };
  const cursor = (await tx.meta(`cursor/${change.sessionId}`)) ?? { seq: 0, lastId: null, step: 0 };
  if (change.kind === 'records') {
    const fresh = records.filter((record) => record.seq > cursor.seq);
    if (fresh.length > 0 && fresh[0]!.seq !== cursor.seq + 1) return { ok: false, reason: 'ahead' };
    if (fresh.length > 0) await goOn(tx, change.sessionId, cursor, fresh);
  } else if (change.kind === 'backfill') {
    const old = records.filter((record) => record.seq <= cursor.seq);
    await store(tx, change.sessionId, byPage(old), false);
  } else if (!(await takeTimeline(tx, change, cursor))) return { ok: false, reason: 'ahead' };
  return { ok: true, now: await projectionsIn(tx, change.sessionId) };
}

async function goOn(tx: MirrorTx, sessionId: string, cursor: CursorRow, fresh: readonly LogRecord[]): Promise<void> {
  for (const [page, run] of byPage(fresh)) {
    if (run.to < lastOf(page)) await tx.append(sessionId, run.records);
    else await tx.putRun(sessionId, page, merge(await tx.run(sessionId, page), run, true));
  }
  const session = await tx.session(sessionId);
  const inputs = await tx.inputs(sessionId);
  const approvals = await tx.approvals(sessionId);
  const before = { summary: session?.summary ?? null, inputs, approvals, step: cursor.step };
  const after = fresh.reduce<ReturnType<typeof project>>(project, before);
  if (session !== undefined && after.summary !== null && after.summary !== session.summary) {
    await tx.putSession({ ...session, summary: after.summary });
  }
  if (after.inputs !== inputs) await tx.setInputs(sessionId, after.inputs);
  if (after.approvals !== approvals) await tx.setApprovals(sessionId, after.approvals);
  const last = fresh.at(-1)!;
  await tx.setMeta(`cursor/${sessionId}`, { seq: last.seq, lastId: last.id, step: after.step });
}

async function store(tx: MirrorTx, sessionId: string, pages: ReadonlyMap<number, Run>, toCursor: boolean): Promise<void> {
  for (const [page, run] of pages) {
    const held = await tx.run(sessionId, page);
    const merged = merge(held, run, toCursor);
    if (merged !== held) await tx.putRun(sessionId, page, merged);
  }
}

/** A snapshot is the truth up to its head; one that another tab has passed meanwhile only adds rows. */
async function takeTimeline(tx: MirrorTx, change: Change & { kind: 'timeline' }, cursor: CursorRow): Promise<boolean> {
  const { records, head, session, pendingInputs, approvals } = change.timeline;
  if (head > 0 && records.at(-1)?.seq !== head) return false;
  await store(tx, change.sessionId, byPage(records), head >= cursor.seq);
  if (head < cursor.seq) return true;
  const held = await tx.session(change.sessionId);
  if (held === undefined || held.summary.version <= session.version) {
    await tx.putSession({ id: session.id, summary: session, readTotal: held?.readTotal ?? session.total });
  }
  await tx.setInputs(
    change.sessionId,
    pendingInputs.filter((input) => input.state === 'pending'),
  );
  await tx.setApprovals(
    change.sessionId,
    approvals.filter((approval) => approval.state === 'open'),
  );
  const step = records.findLast((record) => record.kind === 'chunk' && record.step !== null);
  await tx.setMeta(`cursor/${change.sessionId}`, {
    seq: head,
    lastId: records.at(-1)?.id ?? null,
    step: step?.kind === 'chunk' ? (step.step ?? 0) : cursor.step,
  });
  return true;
}
