/** In a page of the app's origin: the app's own mirror, filled and emptied, and timed against bare IndexedDB. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import { diskMirror } from '../../../app/mirror/indexeddb.ts';
import { APPLY_RECORDS, type Mirror } from '../../../app/mirror/port.ts';
import { headOf, markOf, recordAt, type Plan } from '../log/history.ts';
import { openBare } from './bare.ts';
import { offer } from './offer.ts';

/** Nothing is given up for being late here: how long it takes is the question. */
const disk = { indexedDB: window.indexedDB, IDBKeyRange: window.IDBKeyRange, timers: { after: () => () => undefined } };
const open = (name: string): Mirror => diskMirror(name, disk);
/** Records of the first load, as the app asks for them. */
const TIMELINE = 200;
/** Records that came in after it, a few at a time: the growing end of a log. */
const GROWN = 50;
/** Marks of one write. */
const TURNS = 500;
/** Records of one write: whole pages of about as much as the server puts into one answer. */
const PART = 500;

function recordsOf(plan: Plan, from: number, to: number): LogRecord[] {
  return Array.from({ length: to - from + 1 }, (_, at) => recordAt(plan, from + at));
}
function must(answer: { ok: true } | { ok: false; reason: string }): void {
  if (!answer.ok) throw new Error(`the mirror did not take it: ${answer.reason}`);
}
/** All turns of the plan, as the server lists them. */
async function copyTurns(mirror: Mirror, plan: Plan): Promise<void> {
  const guard = await mirror.guard(plan.sessionId);
  const { seq: cursor } = (await mirror.projections(plan.sessionId)).cursor;
  for (let end = plan.turns, to = cursor; end > 0; end -= TURNS) {
    const turns = Array.from({ length: Math.min(TURNS, end) }, (_, at) => markOf(plan, Math.max(0, end - TURNS) + at));
    const from = end <= TURNS ? 1 : turns[0]!.seq;
    must(await mirror.putTurns(guard, plan.sessionId, turns, { from, to }));
    to = from - 1;
  }
}
/** The newest records, as an open of the session brings them: a snapshot, then what was said since. */
async function begin(mirror: Mirror, plan: Plan): Promise<void> {
  const head = headOf(plan) - GROWN;
  const facts = { title: '', workspace: '', model: null, effort: null, mode: 'auto', status: 'idle', turnId: null, paused: null } as const;
  const counts = { head, total: head, version: 1, rev: 1, pinned: false, archived: false, createdAt: 1, updatedAt: 1, lastWords: '' };
  const session: SessionSummary = { id: plan.sessionId, ...facts, ...counts };
  const { epoch } = await mirror.facts();
  const records = recordsOf(plan, head - TIMELINE + 1, head);
  const timeline = { session, records, pendingInputs: [], approvals: [], live: null, head, epoch: epoch ?? '' };
  await mirror.apply(await mirror.guard(plan.sessionId), { kind: 'timeline', sessionId: plan.sessionId, timeline });
  for (let from = head + 1; from <= head + GROWN; from += 5) {
    const records = recordsOf(plan, from, from + 4);
    must(await mirror.apply(await mirror.guard(plan.sessionId), { kind: 'records', sessionId: plan.sessionId, records }));
  }
  // And what is left of the log between that and the first whole part: no hole is where the newest chunks are read.
  const rest = recordsOf(plan, lastPart(plan) + 1, headOf(plan) - GROWN - TIMELINE);
  if (rest.length > 0)
    must(await mirror.copy(await mirror.guard(plan.sessionId), { kind: 'backfill', sessionId: plan.sessionId, records: rest }));
}
/** The last seq that is written in parts: above it is what `begin` brings. */
function lastPart(plan: Plan): number {
  const below = headOf(plan) - GROWN - TIMELINE;
  return below - (below % PART);
}
/** Milliseconds of `work` over every part, the newest first, as the copying in the background does it; making them is not counted. */
async function timed(plan: Plan, work: (records: LogRecord[]) => Promise<void>): Promise<{ ms: number; records: number }> {
  let ms = 0;
  let records = 0;
  for (let to = lastPart(plan); to > 0; to -= PART) {
    const part = recordsOf(plan, to - PART + 1, to);
    const started = performance.now();
    await work(part);
    ms += performance.now() - started;
    records += part.length;
  }
  return { ms, records };
}

const bench = {
  /** The whole session, as if it had been copied; `timeline` is the server's. Answers how many records are there. */
  async copy({ plan, timeline }: { plan: Plan; timeline: Timeline }): Promise<number> {
    const mirror = open('cairn-mirror');
    await mirror.apply(await mirror.guard(plan.sessionId), { kind: 'timeline', sessionId: plan.sessionId, timeline });
    const head = headOf(plan);
    const guard = await mirror.guard(plan.sessionId);
    for (let from = 1; from <= head; from += APPLY_RECORDS) {
      const records = recordsOf(plan, from, Math.min(head, from + APPLY_RECORDS - 1));
      must(await mirror.copy(guard, { kind: 'backfill', sessionId: plan.sessionId, records }));
    }
    await copyTurns(mirror, plan);
    const { runs } = await mirror.coverage(plan.sessionId);
    mirror.close();
    return runs.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  },
  /** This device has nothing of the session's log any more. */
  async drop(sessionId: string): Promise<void> {
    const mirror = open('cairn-mirror');
    await mirror.dropLog(sessionId);
    mirror.close();
  },

  /** Writes a history into a mirror of its own. */
  async writeMirror(plan: Plan): Promise<{ ms: number; records: number }> {
    const mirror = open('bench-mirror');
    await mirror.adopt('bench', false);
    await begin(mirror, plan);
    const guard = await mirror.guard(plan.sessionId);
    const found = await timed(plan, async (records) =>
      must(await mirror.copy(guard, { kind: 'backfill', sessionId: plan.sessionId, records })),
    );
    mirror.close();
    return found;
  },
  /** The same as bare pages. */
  async writeBare(plan: Plan): Promise<{ ms: number; records: number }> {
    const bare = await openBare('bench-bare');
    await bare.put(plan.sessionId, recordsOf(plan, lastPart(plan) + 1, headOf(plan)));
    const found = await timed(plan, (records) => bare.put(plan.sessionId, records));
    bare.close();
    return found;
  },
  /** Milliseconds of one read of the newest chunks, by each. Both were written before. */
  async read({ plan, chunks, times, side }: { plan: Plan; chunks: number; times: number; side: 'mirror' | 'bare' }): Promise<number> {
    const mirror = open('bench-mirror');
    const bare = await openBare('bench-bare');
    const newest = await mirror.readBefore(plan.sessionId, headOf(plan) + 1, chunks);
    const run = async (): Promise<number> => {
      if (side === 'bare') return (await bare.get(plan.sessionId, newest.from, newest.to)).length;
      return (await mirror.readBefore(plan.sessionId, headOf(plan) + 1, chunks)).records.length;
    };
    const started = performance.now();
    for (let n = 0; n < times; n++) if ((await run()) < chunks) throw new Error(`${side} does not hold what was written`);
    const ms = (performance.now() - started) / times;
    mirror.close();
    bare.close();
    return ms;
  },
};
export type BenchMirror = typeof bench;
offer({ mirror: bench });
