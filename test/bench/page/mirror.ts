/** In a page of the app's origin: the app's own mirror, filled and emptied, and timed against bare IndexedDB. */
import type { LogRecord } from '#shared/protocol/records.ts';
import type { SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import { dexieMirror } from '../../../app/mirror/dexie.ts';
import { APPLY_RECORDS, type Mirror } from '../../../app/mirror/port.ts';
import { headOf, recordAt, type Plan } from '../log/history.ts';
import { openBare } from './bare.ts';

const timers = {
  after(ms: number, callback: () => void) {
    const id = setTimeout(callback, ms);
    return () => clearTimeout(id);
  },
};
const disk = { indexedDB: window.indexedDB, IDBKeyRange: window.IDBKeyRange, timers };
const open = (name: string): Mirror => dexieMirror(name, disk);
/** Records of the first load, as the app asks for them. */
const TIMELINE = 200;
/** Records that came in after it, a few at a time: the growing end of a log. */
const GROWN = 50;

function recordsOf(plan: Plan, from: number, to: number): LogRecord[] {
  return Array.from({ length: to - from + 1 }, (_, at) => recordAt(plan, from + at));
}
async function apply(mirror: Mirror, plan: Plan, kind: 'records' | 'backfill', records: readonly LogRecord[]): Promise<void> {
  const applied = await mirror.apply(await mirror.guard(plan.sessionId), { kind, sessionId: plan.sessionId, records });
  if (!applied.ok) throw new Error(`the mirror took no records: ${applied.reason}`);
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
  for (let from = head + 1; from <= head + GROWN; from += 5) await apply(mirror, plan, 'records', recordsOf(plan, from, from + 4));
}
/** Every record below, in parts, the newest first, as the copying in the background does it. */
async function* below(plan: Plan): AsyncGenerator<LogRecord[]> {
  const head = headOf(plan) - GROWN - TIMELINE;
  for (let to = head - (head % APPLY_RECORDS); to > 0; to -= APPLY_RECORDS) yield recordsOf(plan, to - APPLY_RECORDS + 1, to);
}
/** Milliseconds of `work` over all of the plan's parts; making them is not counted. */
async function timed(plan: Plan, work: (records: LogRecord[]) => Promise<void>): Promise<{ ms: number; records: number }> {
  let ms = 0;
  let records = 0;
  for await (const part of below(plan)) {
    const started = performance.now();
    await work(part);
    ms += performance.now() - started;
    records += part.length;
  }
  return { ms, records };
}

const bench = {
  /** The whole session, as if it had been copied; `timeline` is the server's. Answers how many records lie unbroken from the newest down. */
  async copy({ plan, timeline }: { plan: Plan; timeline: Timeline }): Promise<number> {
    const mirror = open('cairn-mirror');
    await mirror.apply(await mirror.guard(plan.sessionId), { kind: 'timeline', sessionId: plan.sessionId, timeline });
    const head = headOf(plan);
    for (let from = 1; from <= head; from += APPLY_RECORDS) {
      await apply(mirror, plan, 'backfill', recordsOf(plan, from, Math.min(head, from + APPLY_RECORDS - 1)));
    }
    const missing = await holes(mirror, plan);
    mirror.close();
    return head - missing;
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
    const found = await timed(plan, (records) => apply(mirror, plan, 'backfill', records));
    mirror.close();
    return found;
  },
  /** The same as bare pages. */
  async writeBare(plan: Plan): Promise<{ ms: number; records: number }> {
    const bare = await openBare('bench-bare');
    const head = headOf(plan);
    const last = head - TIMELINE - GROWN - ((head - TIMELINE - GROWN) % APPLY_RECORDS);
    await bare.put(plan.sessionId, recordsOf(plan, last + 1, head));
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
/** Records that cannot be read, looked for at both ends: reading everything would take as long as writing it. */
async function holes(mirror: Mirror, plan: Plan): Promise<number> {
  const head = headOf(plan);
  const low = await mirror.readAfter(plan.sessionId, 0, APPLY_RECORDS);
  const high = await mirror.readBefore(plan.sessionId, head + 1, APPLY_RECORDS);
  const wanted = Math.min(head, APPLY_RECORDS);
  return Math.max(0, wanted - low.records.length) + Math.max(0, wanted - high.records.length);
}
export type BenchMirror = typeof bench;
Object.assign(window, { bench });
