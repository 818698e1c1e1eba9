/**
 * A mirror that never stops the app (law 17). A full disk first gives up its oldest sessions; a disk that still takes nothing,
 * or is gone, hands over to memory, told once, until it takes everything again: then it is given what memory got. What the disk
 * still reads, it still shows: its cursor stays where its rows end, so the next start goes on from there. What nobody waits for
 * has no claim on any of that: once the disk was full it is refused for a good while.
 */
import { asTimeline } from './as-timeline.ts';
import { backoff } from '#shared/backoff.ts';
import type { Random, Timers } from '#shared/ports.ts';
import { isShown } from '#shared/protocol/records.ts';
import { faultOf, type DiskFault } from '../disk/faults.ts';
import { giveBack } from './give-back.ts';
import { memoryMirror } from './memory.ts';
import type { Copied, Mirror, MirroredSession, Stretch } from './port.ts';

export interface DegradingParts {
  /** Null: there is no IndexedDB. */
  disk: Mirror | null;
  /** Told once each time, with what went wrong. */
  onLost(error: unknown): void;
  /** Absent: what is lost stays lost. */
  again?: { timers: Timers; random: Random; onBack(): void };
  /** Sessions that are never dropped to make room. */
  keep(): ReadonlySet<string>;
}
/** Sessions that one write may push out before the disk counts as full for good. */
const EVICTIONS = 8;
const RETRY = { base: 1_000, cap: 30_000 };
/** Milliseconds after which a disk that was full may be asked for what nobody waits for. */
const FULL_FOR = 10 * 60_000;
const NO_ANSWER: ReadonlySet<DiskFault> = new Set(['late', 'blocked', 'newer']);
const FULL: Copied = { ok: false, reason: 'full' };
/** Shown chunks that memory takes over of each session it goes on with. */
const SEED_CHUNKS = 20;

export function degradingMirror(parts: DegradingParts): Mirror {
  const { disk } = parts;
  let spare: Promise<Mirror> | null = null;
  let wasFull = false;
  let had: ReadonlyMap<string, number> | null = null;
  const seeded = new Set<string>();
  /** Asking it anything would only be waited for. */
  let deaf = false;
  /** The history that was mirrored last. */
  let epoch: string | null = null;
  let tries = 0;
  /** Operations on memory that are under way, and whom they keep waiting. */
  let under = 0;
  let quiet: (() => void) | null = null;
  let returning: Promise<void> | null = null;

  function lose(error: unknown): Promise<Mirror> {
    if (spare === null) {
      deaf = NO_ANSWER.has(faultOf(error));
      had = null;
      spare = takeOver();
      parts.onLost(error);
      if (disk !== null && faultOf(error) !== 'newer') later();
    }
    return spare;
  }
  function later(): void {
    const { again } = parts;
    again?.timers.after(backoff(tries++, RETRY, again.random), () => void comeBack());
  }
  async function comeBack(): Promise<void> {
    try {
      await disk?.ready();
      // From here on what is asked waits: nothing is written to a memory that has been read out.
      returning = returned();
      await returning;
      parts.again?.onBack();
    } catch (error) {
      if (faultOf(error) !== 'newer') later();
    } finally {
      returning = null;
    }
  }
  async function returned(): Promise<void> {
    if (spare === null || disk === null) return;
    const memory = await spare;
    if (under > 0) await new Promise<void>((resolve) => (quiet = resolve));
    await giveBack(memory, disk, had);
    spare = null;
    deaf = false;
    wasFull = false;
    seeded.clear();
  }
  /** What `work` answers of memory, which stays the one in use until then. */
  async function onSpare<T>(sessionId: string | null, work: (mirror: Mirror) => Promise<T>): Promise<T> {
    under += 1;
    try {
      const memory = await spare!;
      if (sessionId !== null) await seed(memory, sessionId);
      return await work(memory);
    } finally {
      under -= 1;
      if (under === 0) quiet?.();
    }
  }
  function isFull(): void {
    if (wasFull) return;
    wasFull = true;
    parts.again?.timers.after(FULL_FOR, () => {
      wasFull = false;
    });
  }
  /** Reads of a broken disk may fail: then memory starts with less, and the server gives the rest again. */
  async function tryDisk<T>(read: (from: Mirror) => Promise<T>, or: T): Promise<T> {
    if (disk === null || deaf) return or;
    return read(disk).catch(() => or);
  }
  async function takeOver(): Promise<Mirror> {
    const memory = memoryMirror();
    const facts = await tryDisk((from) => from.facts(), null);
    if (facts === null && epoch !== null) await memory.adopt(epoch, false);
    if (facts !== null && facts.epoch !== null) {
      await memory.adopt(facts.epoch, false);
      const found = await tryDisk<readonly MirroredSession[] | null>((from) => from.sessions(), null);
      const sessions = found ?? [];
      had = found && new Map(found.map(({ id, readTotal }) => [id, readTotal]));
      const { guard } = await memory.facts();
      await memory.putSessions(
        guard,
        sessions.map(({ summary }) => summary),
        // A list that could not be read is asked for whole.
        found === null ? null : facts.version,
      );
      for (const { id, summary, readTotal } of sessions) if (readTotal !== summary.total) await memory.markRead(id, readTotal);
    }
    return memory;
  }
  /** Memory goes on where the disk's rows of this session end. */
  async function seed(memory: Mirror, sessionId: string): Promise<void> {
    if (seeded.has(sessionId)) return;
    seeded.add(sessionId);
    const held = await tryDisk((from) => from.projections(sessionId), null);
    if (held === null || held.summary === null || held.cursor.seq === 0) return;
    const head = held.cursor.seq;
    const { records } = await tryDisk((from) => from.readBefore(sessionId, head + 1, SEED_CHUNKS), { records: [], from: 1, to: 0 });
    const guard = await memory.guard(sessionId);
    await memory.apply(guard, asTimeline(sessionId, { ...held, summary: held.summary }, records.slice(-SEED_CHUNKS * 10), guard));
  }
  async function run<T>(sessionId: string | null, work: (mirror: Mirror) => Promise<T>): Promise<T> {
    // Whether it went well or not: where to ask is known then.
    if (returning !== null) await returning.catch(() => undefined);
    if (spare !== null) return onSpare(sessionId, work);
    for (let evictions = 0; disk !== null; evictions++) {
      try {
        return await work(disk);
      } catch (error) {
        if (faultOf(error) === 'quota') isFull();
        const room = faultOf(error) === 'quota' && evictions < EVICTIONS && (await makeRoom(sessionId));
        if (room) continue;
        void lose(error);
        return run(sessionId, work);
      }
    }
    void lose(new Error('no IndexedDB here'));
    return onSpare(sessionId, work);
  }
  /** A write that nobody waits for: on disk or nowhere. */
  async function unasked<T>(work: (mirror: Mirror) => Promise<T>, full: T): Promise<T> {
    if (disk === null || spare !== null || wasFull) return full;
    try {
      return await work(disk);
    } catch (error) {
      if (faultOf(error) !== 'quota') throw error;
      isFull();
      return full;
    }
  }
  /** A disk too full to drop a session is full for good. */
  async function makeRoom(sessionId: string | null): Promise<boolean> {
    const keep = new Set(parts.keep());
    if (sessionId !== null) keep.add(sessionId);
    return tryDisk((from) => from.evictOne(keep), false);
  }

  return {
    get durable() {
      return spare === null && disk?.durable === true;
    },
    close: () => disk?.close(),
    ready: () => run(null, (at) => at.ready()),
    async facts() {
      const facts = await run(null, (at) => at.facts());
      epoch = facts.epoch;
      return facts;
    },
    adopt(next, afresh) {
      epoch = next;
      return run(null, (at) => at.adopt(next, afresh));
    },
    sessions: () => run(null, (at) => at.sessions()),
    putSessions: (guard, entries, version) => run(null, (at) => at.putSessions(guard, entries, version)),
    markRead: (sessionId, total) => run(sessionId, (at) => at.markRead(sessionId, total)),
    guard: (sessionId) => run(sessionId, (at) => at.guard(sessionId)),
    projections: (sessionId) => run(sessionId, (at) => at.projections(sessionId)),
    apply: (guard, change) => run(change.sessionId, (at) => at.apply(guard, change)),
    putInput: (guard, receipt) => run(receipt.sessionId, (at) => at.putInput(guard, receipt)),
    replaceInputs: (guard, sessionId, receipts, head) => run(sessionId, (at) => at.replaceInputs(guard, sessionId, receipts, head)),
    closeApproval: (sessionId, approvalId) => run(sessionId, (at) => at.closeApproval(sessionId, approvalId)),
    async readBefore(sessionId, before, chunks) {
      const near = await run(sessionId, (at) => at.readBefore(sessionId, before, chunks));
      const left = chunks - shownIn(near);
      if (spare === null || left <= 0 || near.from === 1) return near;
      const far = await tryDisk((from) => from.readBefore(sessionId, near.from, left), { records: [], from: near.from, to: near.from - 1 });
      return { records: [...far.records, ...near.records], from: far.from, to: near.to };
    },
    async readAfter(sessionId, after, chunks) {
      const near = await run(sessionId, (at) => at.readAfter(sessionId, after, chunks));
      if (spare === null || near.records.length > 0) return near;
      return tryDisk((from) => from.readAfter(sessionId, after, chunks), near);
    },
    async nextBelow(sessionId, before) {
      const near = await run(sessionId, (at) => at.nextBelow(sessionId, before));
      return spare === null ? near : Math.max(near, await tryDisk((from) => from.nextBelow(sessionId, before), 0));
    },
    coverage: (sessionId) => run(sessionId, (at) => at.coverage(sessionId)),
    copy: (guard, change) => unasked<Copied>((at) => at.copy(guard, change), FULL),

    async turns(sessionId, before, limit) {
      const near = await run(sessionId, (at) => at.turns(sessionId, before, limit));
      if (spare === null || !near.missing || near.turns.length > 0) return near;
      return tryDisk((from) => from.turns(sessionId, before, limit), near);
    },
    turnsReach: (sessionId) => run(sessionId, (at) => at.turnsReach(sessionId)),
    async putTurns(guard, sessionId, turns, span) {
      if (spare !== null) return (await spare).putTurns(guard, sessionId, turns, span);
      return unasked<Copied>((at) => at.putTurns(guard, sessionId, turns, span), FULL);
    },
    async blob(sha256) {
      const near = await run(null, (at) => at.blob(sha256));
      return spare === null || near !== undefined ? near : tryDisk((from) => from.blob(sha256), undefined);
    },
    blobsMissing: (sha256s) => run(null, (at) => at.blobsMissing(sha256s)),
    async putBlob(guard, sessionId, sha256, data, others) {
      if (spare !== null) return (await spare).putBlob(guard, sessionId, sha256, data, others);
      return unasked((at) => at.putBlob(guard, sessionId, sha256, data, others), false);
    },

    dropLog: (sessionId) => run(sessionId, (at) => at.dropLog(sessionId)),
    evictOne: (keep) => run(null, (at) => at.evictOne(keep)),
    async wipe() {
      epoch = null;
      if (spare !== null && disk !== null) await tryDisk((from) => from.wipe(), undefined);
      await run(null, (at) => at.wipe());
    },
  };
}

function shownIn(stretch: Stretch): number {
  return stretch.records.filter((record) => record.kind === 'chunk' && isShown(record)).length;
}
