/** What a mirror keeps beside the log: marks of turns, and large data. Run with the rest of the contract. */
import { describe, expect, test } from 'vitest';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { eventRecord, promptChunk, textChunk, timelineOf } from '../support/device/records.ts';
import { apply, range, S, startedOn } from './mirror-kit.ts';

export function mirrorKeepsContract(open: () => Mirror): void {
  const started = (): Promise<Mirror> => startedOn(open());

  describe('turns', () => {
    const prompt = (seq: number, turn: string, words = `ask ${turn}`): LogRecord => ({
      ...promptChunk(S, seq, `i${seq}`, words),
      turnId: turn,
    });
    /** One turn of four records from `seq`: prompt, answer, a steer, an answer. */
    const turnAt = (seq: number, turn: string): LogRecord[] => [
      prompt(seq, turn),
      textChunk(S, seq + 1, 'x', turn),
      { ...prompt(seq + 2, turn, 'a steer'), step: 1 } as LogRecord,
      textChunk(S, seq + 3, 'y', turn, 1),
    ];
    const logOf = (turns: number): LogRecord[] => Array.from({ length: turns }, (_, at) => turnAt(at * 4 + 1, `t${at + 1}`)).flat();
    const words = (marks: readonly { words: string }[]): string[] => marks.map((mark) => mark.words);

    test('that begin in what is applied are marked as it comes, a steer is none of them', async () => {
      const mirror = await started();
      const log = logOf(5);
      await apply(mirror, log.slice(0, 3));
      await apply(mirror, log.slice(3, 5));
      await apply(mirror, log.slice(5));
      expect(await mirror.turns(S, null, 100)).toEqual({
        turns: range(1, 5).map((n) => ({ turnId: `t${n}`, seq: n * 4 - 3, createdAt: n * 4 - 3, words: `ask t${n}` })),
        earlier: false,
        missing: false,
      });
    });
    test('are told a page at a time, newest first, until there are no earlier ones', async () => {
      const mirror = await started();
      await apply(mirror, logOf(5));
      const newest = await mirror.turns(S, null, 2);
      expect({ ...newest, turns: words(newest.turns) }).toEqual({ turns: ['ask t4', 'ask t5'], earlier: true, missing: false });
      const next = await mirror.turns(S, newest.turns[0]!.seq, 2);
      expect({ ...next, turns: words(next.turns) }).toEqual({ turns: ['ask t2', 'ask t3'], earlier: true, missing: false });
      const last = await mirror.turns(S, next.turns[0]!.seq, 2);
      expect({ ...last, turns: words(last.turns) }).toEqual({ turns: ['ask t1'], earlier: false, missing: false });
    });
    test('a turn that goes on from one that was cut bears its words', async () => {
      const mirror = await started();
      const started2 = { ...eventRecord(S, 5, 'turn-started', { turnId: 't2', resumes: 't1' }), turnId: 't2' };
      await apply(mirror, turnAt(1, 't1'));
      await apply(mirror, [started2, textChunk(S, 6, 'z', 't2')]);
      expect((await mirror.turns(S, null, 10)).turns.map(({ seq, words: said }) => [seq, said])).toEqual([
        [1, 'ask t1'],
        [5, 'ask t1'],
      ]);
    });
    test('a jump of the cursor leaves those before it missing until the server lists them', async () => {
      const mirror = await started();
      const log = logOf(60);
      await apply(mirror, log.slice(0, 8));
      await mirror.apply(await mirror.guard(S), { kind: 'timeline', sessionId: S, timeline: timelineOf(S, log.slice(200)) });
      const near = await mirror.turns(S, null, 100);
      expect(words(near.turns)).toEqual(range(52, 60).map((n) => `ask t${n}`));
      expect(near).toMatchObject({ earlier: true, missing: true });
      const { guard, from } = await mirror.turnsReach(S);
      expect(from).toBe(202);
      const marks = range(1, 51).map((n) => ({ turnId: `t${n}`, seq: n * 4 - 3, createdAt: n * 4 - 3, words: `ask t${n}` }));
      await mirror.putTurns(guard, S, marks.slice(20), { from: 81, to: from - 1 });
      expect(await mirror.turnsReach(S)).toMatchObject({ from: 81 });
      expect(await mirror.turns(S, null, 100)).toMatchObject({ missing: true });
      await mirror.putTurns(guard, S, marks.slice(0, 20), { from: 1, to: 80 });
      const all = await mirror.turns(S, null, 100);
      expect(words(all.turns)).toEqual(range(1, 60).map((n) => `ask t${n}`));
      expect(all).toMatchObject({ earlier: false, missing: false });
    });
    test('words that are kept by reference cannot be told from here: that turn is missing, later ones are not', async () => {
      const mirror = await started();
      const log = logOf(4);
      const byReference = { ...log[8]!, data: { blob: { sha256: 'a'.repeat(64), size: 70_000 }, preview: '{"content":' } } as LogRecord;
      await apply(mirror, [...log.slice(0, 8), byReference, ...log.slice(9)]);
      expect(await mirror.turns(S, null, 10)).toMatchObject({ turns: [{ turnId: 't4' }], earlier: true, missing: true });
      expect(await mirror.turns(S, 9, 10)).toMatchObject({ turns: [{ turnId: 't1' }, { turnId: 't2' }], earlier: false, missing: false });
      const { guard, cursor } = await mirror.turnsReach(S);
      await mirror.putTurns(guard, S, [{ turnId: 't3', seq: 9, createdAt: 9, words: 'long' }], { from: 9, to: cursor });
      expect(await mirror.turns(S, null, 10)).toMatchObject({ turns: [{}, {}, { words: 'long' }, { turnId: 't4' }], missing: false });
    });
    test('of a log that is not here, or no longer, nothing is claimed', async () => {
      const mirror = await started();
      expect(await mirror.turns(S, null, 10)).toEqual({ turns: [], earlier: true, missing: true });
      await apply(mirror, logOf(3));
      const { guard } = await mirror.turnsReach(S);
      await mirror.dropLog(S);
      const late = await mirror.putTurns(guard, S, [{ turnId: 't1', seq: 1, createdAt: 1, words: 'late' }], { from: 1, to: 12 });
      expect(late).toEqual({ ok: false, reason: 'stale' });
      expect(await mirror.turns(S, null, 10)).toEqual({ turns: [], earlier: true, missing: true });
    });
  });

  describe('blobs', () => {
    const sha = (n: number): string => String(n).padStart(64, '0');
    const megabytes = (n: number): { text: string } => ({ text: 'x'.repeat(n * 1024 * 1024) });

    test('are kept whole and known by their hash', async () => {
      const mirror = await started();
      const data = { text: 'a long answer', citations: [{ at: 1 }] };
      expect(await mirror.putBlob(await mirror.guard(S), S, sha(1), data, 'go')).toBe(true);
      expect(await mirror.blob(sha(1))).toEqual(data);
      expect(await mirror.blob(sha(2))).toBeUndefined();
      expect(await mirror.blobsMissing([sha(1), sha(2)])).toEqual([sha(2)]);
    });
    test('past their bound the least recently used go; one that is too large is not kept', async () => {
      const mirror = await started();
      const guard = await mirror.guard(S);
      const put = (n: number, size = 7, others: 'go' | 'stay' = 'go') => mirror.putBlob(guard, S, sha(n), megabytes(size), others);
      for (let n = 1; n <= 9; n++) expect(await put(n)).toBe(true);
      await mirror.blob(sha(1));
      expect(await put(10, 7, 'stay')).toBe(false);
      expect(await put(11)).toBe(true);
      expect(await mirror.blobsMissing([1, 2, 3, 10, 11].map(sha))).toEqual([sha(2), sha(10)]);
      expect(await put(12, 9)).toBe(false);
    });
    test('go with their session, with a wipe, and are not written after one', async () => {
      const mirror = await started();
      const [guard, other] = [await mirror.guard(S), await mirror.guard('b')];
      await mirror.putBlob(guard, S, sha(1), { text: 'mine' }, 'go');
      await mirror.putBlob(other, 'b', sha(2), { text: 'other' }, 'go');
      await mirror.dropLog(S);
      expect(await mirror.blobsMissing([sha(1), sha(2)])).toEqual([sha(1)]);
      expect(await mirror.putBlob(guard, S, sha(3), { text: 'late' }, 'go')).toBe(false);
      await mirror.wipe();
      expect(await mirror.blob(sha(2))).toBeUndefined();
    });
  });
}
