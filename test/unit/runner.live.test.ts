/** What a token costs on the server: counted, not timed. */
import { beforeEach, expect, test, vi } from 'vitest';
import type { AgentEvent, StepEvent } from '#shared/protocol/agent-events.ts';
import { createLiveBoard } from '../../server/runner/live.ts';
import type { LiveFrame } from '../../server/runner/port.ts';

const work = vi.hoisted(() => ({ folds: 0, events: 0 }));
vi.mock('#shared/chunks/fold.ts', async (original) => {
  const real = await original<typeof import('#shared/chunks/fold.ts')>();
  return {
    ...real,
    fold: (state: Parameters<typeof real.fold>[0], events: readonly AgentEvent[]) => {
      work.folds += 1;
      work.events += events.length;
      return real.fold(state, events);
    },
  };
});
beforeEach(() => Object.assign(work, { folds: 0, events: 0 }));

const KEY = { turnId: 't', step: 0, attempt: 0, phase: 'message' as const };
/** A board whose frames go out when the test says so. */
function board() {
  const due: (() => void)[] = [];
  const live = createLiveBoard({
    timers: {
      after(_ms, callback) {
        due.push(callback);
        return () => void due.splice(due.indexOf(callback), 1);
      },
    },
    report: () => undefined,
    frameMs: 16,
  });
  const frames: LiveFrame[] = [];
  live.onFrame((frame) => frames.push(frame));
  return { live, frames, tick: () => due.splice(0).forEach((callback) => callback()) };
}
const delta = (text: string, i = 0): StepEvent => ({ type: 'text-delta', i, text });

test('ten thousand tokens in a frame are one event to send and one to fold', () => {
  const { live, frames, tick } = board();
  live.begin('s', KEY, 0);
  live.push('s', delta('first '));
  for (let n = 0; n < 10_000; n++) live.push('s', delta('word '));
  expect(work.folds).toBe(1);
  tick();
  expect(work).toEqual({ folds: 2, events: 2 });
  expect(frames.map((frame) => frame.events.length)).toEqual([1, 1]);
  expect(live.current('s')?.chunks[0]?.data).toEqual({ text: `first ${'word '.repeat(10_000)}` });
});

test('two hundred sessions that stream at once cost a frame each, whatever their tokens; one that is chatty costs what it prints', () => {
  const { live, frames, tick } = board();
  const sessions = Array.from({ length: 200 }, (_, at) => `s${at}`);
  for (const session of sessions) live.begin(session, KEY, 0);
  for (let n = 0; n < 50; n++) for (const session of sessions) live.push(session, delta('w '));
  for (let n = 0; n < 20_000; n++) live.push('s0', delta('chatty '));
  tick();
  expect(frames).toHaveLength(400);
  expect(work).toEqual({ folds: 400, events: 400 });
});

test('law 14: what is asked for between two frames holds what waits, and is sent once', () => {
  const { live, frames, tick } = board();
  live.begin('s', KEY, 7);
  for (const word of ['a', 'b', 'c']) live.push('s', delta(word));
  expect(live.current('s')?.chunks.map((chunk) => chunk.data)).toEqual([{ text: 'abc' }]);
  expect(frames).toHaveLength(1);
  const snapshot = live.snapshot('s')!;
  expect([snapshot.n, snapshot.chunks[0]!.data]).toEqual([2, { text: 'abc' }]);
  live.push('s', delta('d'));
  tick();
  expect(frames.flatMap((frame) => frame.events.map((event) => ('text' in event ? event.text : '')))).toEqual(['a', 'bc', 'd']);
  expect(live.current('s')?.chunks[0]?.data).toEqual({ text: 'abcd' });
});

test('rows that were dropped come back neither from the fold nor from what waits', () => {
  const { live, frames, tick } = board();
  const output = (i: number, text: string): StepEvent => ({ type: 'tool-output', i, callId: `c${i}`, stream: 'result', text });
  live.begin('s', { ...KEY, phase: 'tools' }, 0);
  for (const word of ['1', '2']) for (const i of [0, 1]) live.push('s', output(i, word));
  live.drop('s', new Set([0]));
  tick();
  expect(live.current('s')?.chunks.map(({ i, data }) => [i, data])).toEqual([
    [1, { callId: 'c1', content: [{ type: 'text', text: '12' }], isError: false }],
  ]);
  expect(frames.slice(1).flatMap((frame) => frame.events.map((event) => ('i' in event ? event.i : -1)))).toEqual([1, 1]);
});
