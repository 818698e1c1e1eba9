/** What a turn reads of a session's log: only what is new to this process, within a bound of memory. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ChunkRecord, LogRecord } from '#shared/protocol/records.ts';
import { freePlace } from '../../server/runner/notes.ts';
import { Remembered } from '../../server/runner/remembered.ts';
import { createShelf } from '../../server/runner/shelf.ts';
import { openBench, tool, type Bench } from '../support/runner/scripted.ts';

const timers = { after: (ms: number, callback: () => void) => (setTimeout(callback, ms), () => undefined) };
const text = (sessionId: string, seq: number, words: string): ChunkRecord => ({
  kind: 'chunk',
  sessionId,
  seq,
  id: `${sessionId}.${seq}`,
  type: 'text',
  data: { text: words },
  createdAt: 0,
  turnId: 't',
  step: 0,
  role: 'assistant',
});

/** A store of logs that notes each reading as `session from..to`. */
function logs() {
  const rows = new Map<string, LogRecord[]>();
  const reads: string[] = [];
  return {
    reads,
    grow(sessionId: string, count: number, words = 'x'): void {
      const log = rows.get(sessionId) ?? [];
      rows.set(sessionId, log);
      for (let n = 0; n < count; n++) log.push(text(sessionId, log.length + 1, words));
    },
    history(sessionId: string, after: number, limit?: number): Promise<LogRecord[]> {
      const found = (rows.get(sessionId) ?? []).slice(after, limit === undefined ? undefined : after + limit);
      reads.push(`${sessionId} ${after}..${after + found.length}`);
      return Promise.resolve(found);
    },
  };
}

describe('the shelf', () => {
  test('what was read stays, and the next turn reads on from its end', async () => {
    const at = logs();
    const shelf = createShelf({ history: at.history, timers, maxBytes: 1e9 });
    at.grow('a', 3);
    shelf.put(await shelf.take('a'));
    at.grow('a', 2);
    const again = await shelf.take('a');
    expect(again.records).toEqual(await at.history('a', 0));
    expect(at.reads.slice(0, 2)).toEqual(['a 0..3', 'a 3..5']);
  });

  test('a long log is read in pieces, with everybody else’s turn between them', async () => {
    const at = logs();
    let pauses = 0;
    const shelf = createShelf({
      history: at.history,
      timers: { after: (ms, callback) => ((pauses += 1), timers.after(ms, callback)) },
      maxBytes: 1e9,
    });
    at.grow('a', 450);
    expect((await shelf.take('a')).records).toHaveLength(450);
    expect(at.reads).toEqual(['a 0..200', 'a 200..400', 'a 400..450']);
    expect(pauses).toBe(2);
  });

  test('law 15: past the bound the one used longest ago goes, and one that is too large by itself does not stay', async () => {
    const at = logs();
    for (const session of ['a', 'b', 'c']) at.grow(session, 10, 'w'.repeat(1000));
    at.grow('huge', 100, 'w'.repeat(1000));
    const shelf = createShelf({ history: at.history, timers, maxBytes: 60_000 });
    for (const session of ['a', 'b']) shelf.put(await shelf.take(session));
    shelf.put(await shelf.take('a'));
    for (const session of ['c', 'huge']) {
      shelf.put(await shelf.take(session));
      expect(shelf.bytes).toBeLessThanOrEqual(60_000);
    }
    at.reads.length = 0;
    for (const session of ['a', 'b', 'c', 'huge']) await shelf.take(session);
    expect(at.reads).toEqual(['a 10..10', 'b 0..10', 'c 10..10', 'huge 0..100']);
    expect(shelf.bytes).toBe(0);
  });

  test('a session that was forgotten leaves it, also while a turn has its log', async () => {
    const at = logs();
    at.grow('a', 2);
    const shelf = createShelf({ history: at.history, timers, maxBytes: 1e9 });
    shelf.put(await shelf.take('a'));
    shelf.forget('a');
    expect(shelf.bytes).toBe(0);
    const taken = await shelf.take('a');
    shelf.forget('a');
    shelf.put(taken);
    expect(shelf.bytes).toBe(0);
  });
});

test('the free place of a row is looked for no further back than its step', () => {
  const looked: number[] = [];
  const row = (seq: number, turnId: string, step: number, place: string): LogRecord => ({ ...text('s', seq, ''), turnId, step, id: place });
  const rows = [
    row(1, 'old', 0, 'old.0.s.0'),
    row(2, 't', 0, 't.0.s.0'),
    row(3, 't', 0, 't.0.m.0'),
    row(4, 't', 1, 't.1.m.0'),
    row(5, 't', 1, 't.1.s.0'),
    row(6, 't', 1, 't.1.t.0'),
  ];
  const records = new Proxy(rows, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looked.push(Number(key));
      return Reflect.get(target, key) as unknown;
    },
  });
  expect(freePlace(records, 't', 1)).toBe(1);
  expect(Math.min(...looked)).toBe(2);
  expect(freePlace(rows, 't', 0)).toBe(1);
  expect(freePlace(rows, 't', 2)).toBe(0);
});

test('what the user allowed for good is read out of each record once', () => {
  const find = () => tool('run', 'run', () => Promise.resolve({ isError: false }));
  const call: LogRecord = { ...text('s', 1, ''), type: 'tool_call', data: { callId: 'c', name: 'run', args: '{"command":"ls"}' } };
  const decided: LogRecord = {
    kind: 'event',
    sessionId: 's',
    seq: 2,
    id: 'e',
    type: 'approval-decided',
    turnId: 't',
    createdAt: 0,
    data: { approvalId: 'a', callId: 'c', decision: 'allow', by: null, remember: true },
  };
  const remembered = new Remembered();
  expect([...remembered.keys([call], { find })]).toEqual([]);
  const records = [call, decided];
  expect([...remembered.keys(records, { find })]).toEqual(['run:"ls"']);
  Object.defineProperty(records, 0, { get: () => expect.fail('looked at again') });
  expect([...remembered.keys(records, { find })]).toEqual(['run:"ls"']);
});

describe('in the runner', () => {
  let bench: Bench;
  let reads: [after: number, rows: number][];
  beforeEach(async () => {
    bench = await openBench();
    reads = [];
    const history = bench.store.history.bind(bench.store);
    bench.store.history = async (sessionId, after, limit) => {
      const rows = await history(sessionId, after, limit);
      reads.push([after, rows.length]);
      return rows;
    };
  });
  afterEach(() => bench.close());
  const rowsRead = (): number => reads.reduce((sum, [, rows]) => sum + rows, 0);

  test('each record is read once, whatever the number of turns and steps; a restart reads all once more', async () => {
    const session = await bench.session();
    bench.tools = [tool('one', 'run', () => Promise.resolve({ isError: false }))];
    bench.script = (to, n) => {
      if (n % 3 < 2) return (to.call('one', {}), to.end('tool_use'));
      return (to.text('fin'), to.end());
    };
    for (const words of ['a', 'b', 'c']) {
      await bench.send(session, words);
      await bench.runner.idle();
    }
    const before = rowsRead();
    const { head } = await bench.summary(session);
    expect(before).toBeLessThanOrEqual(head);
    await bench.restart();
    await bench.send(session, 'd');
    await bench.runner.idle();
    expect(rowsRead() - before).toBeLessThanOrEqual((await bench.summary(session)).head);
  });

  test('law 11: what a turn is handed from the shelf is what the store would give', async () => {
    const session = await bench.session();
    for (const words of ['a', 'b', 'c']) {
      await bench.send(session, words);
      await bench.runner.idle();
      const sent = bench.requests.at(-1)!.records;
      const kept = (await bench.log(session)).slice(0, sent.length);
      expect(JSON.stringify(sent)).toBe(JSON.stringify(kept));
      expect(sent.at(-1)!.seq).toBe(sent.length);
    }
  });

  test('settling a turn after a fault of our own reads nothing of the rest again', async () => {
    const session = await bench.session();
    await bench.send(session, 'a');
    await bench.runner.idle();
    bench.script = () => {
      throw new TypeError('a bug');
    };
    await bench.send(session, 'b');
    await bench.runner.idle();
    expect(rowsRead()).toBeLessThanOrEqual((await bench.summary(session)).head);
    expect((await bench.summary(session)).status).toBe('paused');
  });
});
