/** The feed's three phases, with commits let in at every place between its reads. */
import { describe, expect, it } from 'vitest';
import type { DownFrame } from '#shared/protocol/frames.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { LiveSnapshot, Receipt, SessionEntry, SessionSummary } from '#shared/protocol/summaries.ts';
import type { Commit } from '../../server/store/port.ts';
import { EncodedCommit, recordFrames } from '../../server/sync/encode.ts';
import { type Cursor, type FeedStore, REPLAY_RECORDS, Subscription } from '../../server/sync/feed.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const EPOCH = 'epoch-1';

function record(seq: number, size = 1): LogRecord {
  return {
    kind: 'chunk',
    sessionId: ID,
    seq,
    id: `r${seq}`,
    turnId: null,
    step: null,
    role: 'user',
    type: 'text',
    data: { text: 'x'.repeat(size) },
    createdAt: 0,
  };
}
function receipt(id: string, rev = 1): Receipt {
  return { id, sessionId: ID, seq: 1, state: 'pending', delivery: 'queue', content: [], rank: 1, rev, composedAt: 0, promotedSeq: null };
}

/** A log in memory that tells of its commits, and lets a test do something whenever it is read. */
class Bench {
  records: LogRecord[] = [];
  pending: Receipt[] = [];
  version = 1;
  known = true;
  deleted = false;
  frames: DownFrame[] = [];
  over = 0;
  reads = 0;
  onRead: (n: number) => void = () => {};
  snapshot: LiveSnapshot | null = null;
  subscription!: Subscription;
  behind: Promise<void>[] = [];

  get summary(): SessionSummary {
    return { id: ID, head: this.records.length, version: this.version } as SessionSummary;
  }
  async #read<T>(value: () => T): Promise<T> {
    // Something is committed before the read, or after it and before its reader goes on: both happen.
    const n = this.reads++;
    this.onRead(n * 2);
    const answer = value();
    this.onRead(n * 2 + 1);
    await Promise.resolve();
    return answer;
  }
  store: FeedStore = {
    epoch: EPOCH,
    session: () =>
      this.#read((): SessionEntry | null => {
        if (this.deleted) return { id: ID, deleted: true, version: this.version };
        return this.known ? this.summary : null;
      }),
    log: (_id, after, limit) =>
      this.#read(() => ({ records: this.records.slice(after, after + Math.min(limit, 3)), head: this.records.length, epoch: EPOCH })),
    timeline: () =>
      this.#read(() => ({
        session: this.summary,
        records: this.records.slice(-1),
        pendingInputs: [...this.pending],
        approvals: [],
        head: this.records.length,
        epoch: EPOCH,
      })),
    recordId: (_id, seq) => this.#read(() => this.records[seq - 1]?.id ?? null),
  };
  commit(count: number, receipts: Receipt[] = [], announce = true): void {
    const records = Array.from({ length: count }, (_, at) => record(this.records.length + at + 1));
    this.records.push(...records);
    this.version++;
    this.known = true;
    const commit: Commit = { sessionId: ID, records, receipts, session: this.summary };
    if (announce) this.subscription.commit(new EncodedCommit(commit));
  }
  subscribe(cursor: Partial<Cursor> = {}): Promise<void> {
    const keep = (bytes: Buffer): void => void this.frames.push(JSON.parse(bytes.toString()) as DownFrame);
    this.subscription = new Subscription(
      { sessionId: ID, epoch: EPOCH, after: 0, lastId: null, ...cursor },
      {
        store: this.store,
        live: { snapshot: () => this.snapshot },
        link: { send: keep, flush: (bytes) => Promise.resolve(keep(bytes)) },
        over: () => void this.over++,
        behind: (late) => void this.behind.push(late.resume()),
      },
    );
    return this.subscription.run();
  }
  get seqs(): number[] {
    return this.frames.flatMap((frame) => (frame.type === 'records' ? frame.records.map(({ seq }) => seq) : []));
  }
  get trail(): string[] {
    return this.frames.map(({ type }) => type);
  }
}
const upTo = (n: number, from = 1): number[] => Array.from({ length: n - from + 1 }, (_, at) => from + at);

describe('the feed', () => {
  it('sends the replay, what is pending, caught-up and what is live, in that order', async () => {
    const bench = new Bench();
    bench.records = upTo(7).map((seq) => record(seq));
    bench.pending = [receipt('a'), receipt('b')];
    bench.snapshot = { turnId: 't', step: 0, attempt: 0, phase: 'message', n: 3, afterSeq: 7, chunks: [] };
    await bench.subscribe();
    expect(bench.seqs).toEqual(upTo(7));
    expect(bench.trail.filter((type) => type !== 'records')).toEqual(['input', 'input', 'caught-up', 'live-snapshot']);
    expect(bench.trail.lastIndexOf('records')).toBeLessThan(bench.trail.indexOf('input'));
    expect(bench.frames.at(-2)).toMatchObject({ head: 7 });
    expect(bench.frames.at(-1)).toEqual({ type: 'live-snapshot', sessionId: ID, ...bench.snapshot });
  });

  it('sends a snapshot also when nothing is live', async () => {
    const bench = new Bench();
    await bench.subscribe();
    expect(bench.frames).toEqual([
      { type: 'caught-up', sessionId: ID, head: 0 },
      { type: 'live-snapshot', sessionId: ID, turnId: null },
    ]);
  });

  it('of a session that is made later with a history, a fork, sends all of it', async () => {
    const bench = new Bench();
    bench.known = false;
    await bench.subscribe();
    bench.records = upTo(7).map((seq) => record(seq));
    bench.commit(0, [receipt('a')]);
    await Promise.all(bench.behind);
    expect(bench.seqs).toEqual(upTo(7));
    expect(bench.trail.slice(-2)).toEqual(['caught-up', 'live-snapshot']);
    bench.commit(1);
    expect(bench.seqs).toEqual(upTo(8));
    expect(bench.behind).toHaveLength(1);
  });

  it('starts at the cursor', async () => {
    const bench = new Bench();
    bench.records = upTo(7).map((seq) => record(seq));
    await bench.subscribe({ after: 5, lastId: 'r5' });
    expect(bench.seqs).toEqual([6, 7]);
  });

  it('I27: a record that is committed at any place in the replay comes exactly once', async () => {
    let places = 0;
    for (let place = 0, there = true; there; place++) {
      there = false;
      const bench = new Bench();
      bench.records = upTo(8).map((seq) => record(seq));
      const id = `during-${place}`;
      bench.onRead = (n) => {
        if (n !== place) return;
        there = true;
        bench.pending.push(receipt(id));
        bench.commit(2, [receipt(id)]);
      };
      await bench.subscribe();
      if (!there) break;
      places++;
      bench.commit(1);
      expect(bench.seqs, `place ${place}`).toEqual(upTo(11));
      const told = bench.frames.findIndex((frame) => frame.type === 'input' && frame.receipt.id === id);
      expect(told, `place ${place}`).toBeGreaterThanOrEqual(0);
    }
    expect(places).toBeGreaterThan(10);
  });

  it('I27: with a commit at every place at once, nothing is lost or repeated and it ends', async () => {
    const bench = new Bench();
    bench.records = upTo(20).map((seq) => record(seq));
    bench.onRead = (n) => {
      if (n < 60) bench.commit(1);
    };
    await bench.subscribe();
    bench.commit(1);
    expect(bench.seqs).toEqual(upTo(bench.records.length));
    expect(bench.trail.filter((type) => type === 'caught-up')).toHaveLength(1);
  });

  it('does not tell an older receipt after a newer one', async () => {
    const bench = new Bench();
    bench.pending = [receipt('a', 1)];
    let done = false;
    bench.onRead = () => {
      // Edited after the hold began and before the snapshot is read: the snapshot has the newer one.
      if (done || bench.reads < 3) return;
      done = true;
      bench.pending = [receipt('a', 2)];
      bench.commit(1, [receipt('a', 2)]);
    };
    await bench.subscribe();
    const revs = bench.frames.flatMap((frame) => (frame.type === 'input' ? [frame.receipt.rev] : []));
    expect(done).toBe(true);
    expect(revs).toEqual(revs.toSorted());
    expect(revs.at(-1)).toBe(2);
  });

  it('goes back to the log when it missed a commit', async () => {
    const bench = new Bench();
    await bench.subscribe();
    bench.commit(2, [], false);
    bench.commit(1);
    await Promise.all(bench.behind);
    expect(bench.behind).toHaveLength(1);
    expect(bench.seqs).toEqual([1, 2, 3]);
    bench.commit(1);
    expect(bench.seqs).toEqual([1, 2, 3, 4]);
  });

  it('sends of a commit only what was not sent, also when it is larger than a frame', async () => {
    const bench = new Bench();
    await bench.subscribe();
    const records = upTo(8).map((seq) => record(seq, 100_000));
    const tell = (part: LogRecord[]): void =>
      bench.subscription.commit(new EncodedCommit({ sessionId: ID, records: part, receipts: [], session: bench.summary }));
    tell(records.slice(0, 5));
    tell(records.slice(0, 4));
    tell(records);
    expect(bench.seqs).toEqual(upTo(8));
  });

  it('live frames pass once it is live, and not before or after', async () => {
    const bench = new Bench();
    const frame = Buffer.from('{"type":"pong"}');
    bench.onRead = () => bench.subscription?.liveFrame(frame);
    await bench.subscribe();
    expect(bench.trail).not.toContain('pong');
    bench.subscription.liveFrame(frame);
    expect(bench.trail.filter((type) => type === 'pong')).toHaveLength(1);
    bench.subscription.end();
    bench.subscription.liveFrame(frame);
    bench.commit(1);
    expect(bench.trail.filter((type) => type === 'pong')).toHaveLength(1);
    expect(bench.seqs).toEqual([]);
  });

  it('a session that is not made yet is an empty log, and its first commit comes', async () => {
    const bench = new Bench();
    bench.known = false;
    await bench.subscribe({ epoch: null });
    expect(bench.trail).toEqual(['caught-up', 'live-snapshot']);
    bench.commit(2);
    expect(bench.seqs).toEqual([1, 2]);
  });

  it('ended in the middle of a replay it says nothing more', async () => {
    const bench = new Bench();
    bench.records = upTo(9).map((seq) => record(seq));
    bench.onRead = (n) => {
      if (n === 6) bench.subscription.end();
    };
    await bench.subscribe();
    expect(bench.trail).not.toContain('caught-up');
    expect(bench.seqs.length).toBeLessThan(9);
  });
});

describe('B4: a cursor of another history', () => {
  const at = async (cursor: Partial<Cursor>): Promise<Bench> => {
    const bench = new Bench();
    bench.records = upTo(4).map((seq) => record(seq));
    await bench.subscribe(cursor);
    return bench;
  };
  it.each<[string, Partial<Cursor>]>([
    ['of another epoch', { epoch: 'epoch-0', after: 2, lastId: 'r2' }],
    ['of another epoch, at the start', { epoch: 'epoch-0' }],
    ['with another record there', { after: 2, lastId: 'other' }],
    ['above the head', { after: 9, lastId: 'r9' }],
    ['above the head, without an id', { after: 9 }],
    ['that proves nothing', { epoch: null, after: 2, lastId: null }],
  ])('%s is reset', async (_what, cursor) => {
    const bench = await at(cursor);
    expect(bench.frames).toEqual([{ type: 'reset', sessionId: ID, epoch: EPOCH }]);
    expect(bench.over).toBe(1);
    bench.commit(1);
    expect(bench.frames).toHaveLength(1);
  });

  it('too far behind it is told of the gap instead of being replayed everything', async () => {
    const bench = new Bench();
    bench.records = upTo(REPLAY_RECORDS + 3).map((seq) => record(seq));
    await bench.subscribe({ after: 2, lastId: 'r2' });
    expect(bench.frames).toEqual([{ type: 'gap', sessionId: ID, head: REPLAY_RECORDS + 3 }]);
    expect(bench.over).toBe(1);
  });

  it('more than can be held in a cut-over is a gap, not memory', async () => {
    const bench = new Bench();
    bench.onRead = (n) => {
      if (n === 7) for (let at = 0; at < 300; at++) bench.commit(1);
    };
    await bench.subscribe();
    expect(bench.trail.at(-1)).toBe('gap');
    expect(bench.over).toBe(1);
  });

  it('of a deleted session it is told the tombstone', async () => {
    const bench = new Bench();
    bench.deleted = true;
    await bench.subscribe({ after: 3, lastId: 'r3' });
    expect(bench.frames).toEqual([{ type: 'session', summary: { id: ID, deleted: true, version: 1 } }]);
    expect(bench.over).toBe(1);
  });
});

describe('records frames', () => {
  it('are dense, whole and within their limit', () => {
    const records = upTo(200).map((seq) => record(seq, seq * 100));
    const frames = recordFrames(ID, records);
    expect(frames.flatMap((frame) => (JSON.parse(frame.bytes.toString()) as { records: LogRecord[] }).records)).toEqual(records);
    expect(frames.length).toBeGreaterThan(3);
    for (const [at, frame] of frames.entries()) {
      expect(frame.bytes.length).toBeLessThanOrEqual(LIMITS.logPageBytes);
      expect(frame.first).toBe(at === 0 ? 1 : frames[at - 1]!.last + 1);
    }
  });
  it('a record above the limit goes alone', () => {
    const frames = recordFrames(ID, [record(1), record(2, LIMITS.logPageBytes * 2), record(3)]);
    expect(frames.map(({ first, last }) => [first, last])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });
});
