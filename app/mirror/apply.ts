/**
 * The one transaction that writes log rows: rows, coverage, cursor and projections together, so that the cursor never
 * outruns the mirror (law 7). It merges with the pages as read inside it and gives up when epoch or generation changed
 * since the request was made.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Timeline } from '#shared/protocol/summaries.ts';
import { byPage, firstOf, isDense, joined, lastOf, merge, pageOf, without, type Run } from './pages.ts';
import { APPLY_RECORDS, type Applied, type Change, type Guard, type MirroredSession, type Projections, type Span } from './port.ts';
import { project, type Projected } from './projections.ts';
import { cursorOf, holds, withLog } from './guard.ts';
import { begins, follow, followAfterJump, noMarks, rowAfter, type Followed } from './turn-marks.ts';
import { wordsBelow } from './turns.ts';
import type { CursorRow, MarksRow, MirrorTx, SessionMeta } from './tx.ts';

/** Runs `change`. More than `APPLY_RECORDS` records are a fault of the caller: it throws before anything is read. */
export async function applyIn(tx: MirrorTx, guard: Guard, change: Change): Promise<Applied> {
  const records = change.kind === 'timeline' ? change.timeline.records : change.records;
  if (records.length > APPLY_RECORDS) throw new RangeError(`at most ${APPLY_RECORDS} records in one transaction`);
  const meta = await tx.metaOf(change.sessionId);
  if (!holds(meta, guard)) return { ok: false, reason: 'stale' };
  if (!isDense(records)) return { ok: false, reason: 'ahead' };
  const cursor = cursorOf(meta);
  if (change.kind === 'backfill') {
    const stored = await planOf(tx, change.sessionId, upTo(records, cursor.seq), meta, false);
    await Promise.all([stored.write(), tx.setMeta(`log/${change.sessionId}`, withLog(meta, { runs: stored.runs }))]);
    return { ok: true, now: null };
  }
  const before = await projectionsAt(tx, change.sessionId, cursor);
  if (change.kind === 'timeline') return takeTimeline(tx, change.sessionId, change.timeline, meta, before);
  const fresh = records.filter((record) => record.seq > cursor.seq);
  if (fresh.length === 0) return { ok: true, now: before };
  if (fresh[0]!.seq !== cursor.seq + 1) return { ok: false, reason: 'ahead' };
  return { ok: true, now: await goOn(tx, change.sessionId, fresh, meta, before) };
}

function upTo(records: readonly LogRecord[], seq: number): readonly LogRecord[] {
  return (records.at(-1)?.seq ?? 0) <= seq ? records : records.filter((record) => record.seq <= seq);
}

interface Before extends Projections {
  session: MirroredSession | undefined;
}
async function projectionsAt(tx: MirrorTx, sessionId: string, cursor: CursorRow): Promise<Before> {
  const [session, inputs, approvals] = await Promise.all([tx.session(sessionId), tx.inputs(sessionId), tx.approvals(sessionId)]);
  return { cursor: { seq: cursor.seq, lastId: cursor.lastId }, session, summary: session?.summary ?? null, inputs, approvals };
}

async function goOn(
  tx: MirrorTx,
  sessionId: string,
  fresh: readonly LogRecord[],
  meta: SessionMeta,
  { session, inputs, approvals }: Before,
): Promise<Projections> {
  const cursor = cursorOf(meta);
  const pages = byPage(fresh);
  const first = pageOf(fresh[0]!.seq);
  // Above the cursor nothing is held: only the page that it stands in may hold something to join.
  const joins = pages.get(first)!.to === lastOf(first) ? (await tx.held(sessionId, first, first)).get(first) : undefined;
  const turns = await followOn(tx, sessionId, fresh, meta);
  const after = fresh.reduce<Projected>(project, { summary: session?.summary ?? null, inputs, approvals, step: cursor.step });
  const last = fresh.at(-1)!;
  const next = { seq: last.seq, lastId: last.id, step: after.step, turnId: turns.turnId };

  const tail = joins === undefined || joins === 'full' ? null : joins;
  const runs = joined([...(meta.runs ?? []), { from: fresh[0]!.seq, to: next.seq }]);
  const putPage = (page: number, run: Run): PromiseLike<unknown> => {
    if (run.to < lastOf(page)) return tx.append(sessionId, run.records);
    const held = page === first ? tail : null;
    return tx.putRun(sessionId, page, merge(held, run, true), held);
  };
  const { summary } = after;
  await Promise.all([
    ...[...pages].map(([page, run]) => putPage(page, run)),
    session !== undefined && summary !== null && summary !== session.summary && tx.putSession({ ...session, summary }),
    after.inputs !== inputs && tx.setInputs(sessionId, after.inputs),
    after.approvals !== approvals && tx.setApprovals(sessionId, after.approvals),
    tx.putTurns(sessionId, turns.marks),
    tx.setMeta(`log/${sessionId}`, withLog(meta, { cursor: next, marks: turns.row, runs })),
  ]);
  return {
    cursor: { seq: next.seq, lastId: next.lastId },
    summary,
    inputs: [...after.inputs],
    approvals: [...after.approvals],
  };
}

/** Follows the turns that begin in `fresh`, which go on from the cursor. */
async function followOn(tx: MirrorTx, sessionId: string, fresh: readonly LogRecord[], meta: SessionMeta): Promise<Marked> {
  const { seq, turnId } = cursorOf(meta);
  const row = meta.marks ?? noMarks(seq);
  const words = begins(fresh, turnId) ? await wordsBelow(tx, sessionId, row, seq) : null;
  const after = follow(fresh, turnId, words);
  return { ...after, row: rowAfter(row, seq, after) };
}
type Marked = Followed & { row: MarksRow };

interface Plan {
  runs: readonly Span[];
  write(): Promise<unknown>;
}
/** What storing dense records comes to. `toCursor`: their end is the cursor. */
async function planOf(
  tx: MirrorTx,
  sessionId: string,
  records: readonly LogRecord[],
  { runs = [] }: SessionMeta,
  toCursor: boolean,
): Promise<Plan> {
  if (records.length === 0) return { runs, write: () => Promise.resolve() };
  const held = await tx.held(sessionId, pageOf(records[0]!.seq), pageOf(records.at(-1)!.seq));
  const puts: (() => PromiseLike<unknown>)[] = [];
  const here: Span[] = [];
  let kept = runs;
  for (const [page, run] of byPage(records)) {
    const before = held.get(page);
    if (before === 'full') {
      here.push({ from: firstOf(page), to: lastOf(page) });
      continue;
    }
    const merged: Run = merge(before ?? null, run, toCursor);
    here.push(merged);
    if (merged === before) continue;
    // Two runs that do not touch: the one held gives way.
    if (before !== undefined && (merged.from > before.to || merged.to < before.from)) kept = without(kept, before);
    puts.push(() => tx.putRun(sessionId, page, merged, before ?? null));
  }
  return { runs: joined([...kept, ...here]), write: () => Promise.all(puts.map((put) => put())) };
}

/** A snapshot is the truth up to its head; one that another tab has passed meanwhile only adds rows. */
async function takeTimeline(tx: MirrorTx, sessionId: string, timeline: Timeline, meta: SessionMeta, before: Before): Promise<Applied> {
  const { records, head, session } = timeline;
  const cursor = cursorOf(meta);
  if (head > 0 && records.at(-1)?.seq !== head) return { ok: false, reason: 'ahead' };
  const stored = await planOf(tx, sessionId, records, meta, head >= cursor.seq);
  if (head < cursor.seq) {
    await Promise.all([stored.write(), tx.setMeta(`log/${sessionId}`, withLog(meta, { runs: stored.runs }))]);
    return { ok: true, now: before };
  }
  const isNewer = before.session === undefined || before.session.summary.version <= session.version;
  const inputs = timeline.pendingInputs.filter((input) => input.state === 'pending');
  const approvals = timeline.approvals.filter((approval) => approval.state === 'open');
  const step = records.findLast((record) => record.kind === 'chunk' && record.step !== null);
  const joins = (records[0]?.seq ?? 1) <= cursor.seq + 1;
  const turns = joins
    ? await followOn(
        tx,
        sessionId,
        records.filter(({ seq }) => seq > cursor.seq),
        meta,
      )
    : followAfterJump(meta.marks ?? noMarks(cursor.seq), cursor.seq, records);
  const next: CursorRow = {
    seq: head,
    lastId: records.at(-1)?.id ?? null,
    step: step?.kind === 'chunk' ? (step.step ?? 0) : cursor.step,
    turnId: session.turnId ?? turns.turnId,
  };
  await Promise.all([
    stored.write(),
    isNewer && tx.putSession({ id: session.id, summary: session, readTotal: before.session?.readTotal ?? session.total }),
    tx.setInputs(sessionId, inputs),
    tx.setApprovals(sessionId, approvals),
    tx.putTurns(sessionId, turns.marks),
    tx.setMeta(`log/${sessionId}`, withLog(meta, { cursor: next, marks: turns.row, runs: stored.runs })),
  ]);
  const summary = isNewer ? session : (before.summary ?? session);
  return { ok: true, now: { cursor: { seq: next.seq, lastId: next.lastId }, summary, inputs, approvals } };
}
