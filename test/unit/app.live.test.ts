/** The live part of a session: numbered, waiting for its cursor, gone when it is sealed. */
import { describe, expect, test } from 'vitest';
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import { afterApply, NO_LIVE, takeFrame, takeSnapshot, type LiveFrame, type LiveState } from '../../app/sync/live.ts';
import { downAt, subscription, type SubEvent, type SubState } from '../../app/sync/subscription.ts';
import { eventRecord, textChunk } from '../support/device/records.ts';

const KEY = { turnId: 't', step: 0, attempt: 0, phase: 'message' as const };
const said = (text: string, i = 0): AgentEvent => ({ turnId: 't', step: 0, type: 'text-delta', i, text });
const frame = (n: number, text: string, key: Partial<typeof KEY> = {}): LiveFrame => ({
  type: 'live',
  sessionId: 's',
  ...KEY,
  ...key,
  n,
  events: [said(text)],
});
const snapshot = (n: number, afterSeq: number) => ({ type: 'live-snapshot' as const, sessionId: 's', ...KEY, n, afterSeq, chunks: [] });
const text = (state: LiveState | null): unknown => state?.fold?.chunks.map(({ data }) => (data as { text: string }).text);
const sealed = (seq: number, i: number) => ({ ...textChunk('s', seq, 'x', 't'), id: `t.0.m.${i}` });

describe('frames', () => {
  test('before the first snapshot mean nothing', () => {
    expect(takeFrame(NO_LIVE, frame(1, 'a'))).toBe(NO_LIVE);
  });
  test('go on from the snapshot; one again is ignored; one missing asks for a new snapshot', () => {
    const state = takeSnapshot(NO_LIVE, snapshot(4, 10), 10);
    const next = takeFrame(state, frame(5, 'a'))!;
    expect(text(next)).toEqual(['a']);
    expect(takeFrame(next, frame(5, 'a'))).toBe(next);
    expect(takeFrame(next, frame(7, 'c'))).toBeNull();
  });
  test('of a new key begin anew; their first must not be missing', () => {
    const state = takeFrame(takeSnapshot(NO_LIVE, snapshot(4, 10), 10), frame(5, 'old'))!;
    expect(text(takeFrame(state, frame(1, 'new', { attempt: 1 })))).toEqual(['new']);
    expect(takeFrame(state, frame(2, 'new', { attempt: 1 }))).toBeNull();
  });
});

test('a snapshot ahead of the cursor waits, with the frames behind it, until the cursor is there', () => {
  const waiting = takeFrame(takeSnapshot(NO_LIVE, snapshot(2, 12), 10), frame(3, 'a'))!;
  expect(waiting.fold).toBeNull();
  expect(afterApply(waiting, [eventRecord('s', 11, 'resumed', {})], 11)?.fold).toBeNull();
  expect(text(afterApply(waiting, [eventRecord('s', 12, 'resumed', {})], 12))).toEqual(['a']);
});
test('a sealed message is gone whole, with what was never finished; a settled turn leaves nothing', () => {
  const state = takeFrame(takeSnapshot(NO_LIVE, snapshot(0, 1), 1), frame(1, 'a'))!;
  expect(afterApply(state, [sealed(2, 0)], 2)?.fold).toBeNull();
  expect(afterApply(state, [eventRecord('s', 2, 'turn-settled', { turnId: 't', reason: 'stopped' })], 2)?.fold).toBeNull();
  expect(text(afterApply(state, [textChunk('s', 2, 'other', 'u')], 2))).toEqual(['a']);
});
test('of parallel tools only the result that was sealed goes', () => {
  const key = { ...KEY, phase: 'tools' as const };
  const out = (i: number): AgentEvent => ({
    turnId: 't',
    step: 0,
    type: 'tool-output',
    i,
    callId: `c${i}`,
    stream: 'stdout',
    text: `${i}`,
  });
  const state = takeFrame(takeSnapshot(NO_LIVE, { ...snapshot(0, 1), ...key }, 1), {
    type: 'live',
    sessionId: 's',
    ...key,
    n: 1,
    events: [out(0), out(1)],
  })!;
  const left = afterApply(state, [{ ...textChunk('s', 2, 'x', 't'), id: 't.0.t.0', type: 'tool_result', role: 'tool' }], 2);
  expect(left?.fold?.chunks.map(({ id }) => id)).toEqual(['t.0.t.1']);
});

describe('a subscription', () => {
  const run = (state: SubState, ...events: SubEvent[]) =>
    events.reduce((at, event) => subscription(at.state, event), { state, effects: [] } as ReturnType<typeof subscription>);
  const at = (seq: number) => ({ seq, lastId: `r${seq}` });
  const got = (value: Extract<SubEvent, { type: 'frame' }>['frame']): SubEvent => ({ type: 'frame', frame: value });

  test('with nothing mirrored loads the newest, then subscribes behind it', () => {
    expect(run(downAt(at(0)), { type: 'up', cursor: { seq: 0, lastId: null } }).effects).toEqual([{ type: 'load-timeline' }]);
    const loaded = run(downAt(at(0)), { type: 'up', cursor: { seq: 0, lastId: null } }, { type: 'loaded', cursor: at(9) });
    expect(loaded.effects).toEqual([{ type: 'subscribe', cursor: at(9) }]);
  });
  test('takes what was told during the replay as all that is pending', () => {
    const receipt = (id: string, state: 'pending' | 'cancelled' = 'pending') => ({ id, state }) as never;
    const caught = run(
      downAt(at(5)),
      { type: 'up', cursor: at(5) },
      got({ type: 'input', sessionId: 's', receipt: receipt('a') }),
      got({ type: 'input', sessionId: 's', receipt: receipt('b') }),
      got({ type: 'input', sessionId: 's', receipt: receipt('a', 'cancelled') }),
      got({ type: 'caught-up', sessionId: 's', head: 5 }),
    );
    expect(caught.effects).toEqual([{ type: 'replace-inputs', receipts: [receipt('b')], head: 5 }]);
    expect(caught.state.phase).toBe('live');
  });
  test('on a gap loads anew, and listens to nothing older meanwhile', () => {
    const gap = run(downAt(at(5)), { type: 'up', cursor: at(5) }, got({ type: 'gap', sessionId: 's', head: 9_000 }));
    expect(gap.effects).toEqual([{ type: 'load-timeline' }]);
    expect(run(gap.state, got({ type: 'records', sessionId: 's', records: [textChunk('s', 6)] })).effects).toEqual([]);
  });
  test('on a reset drops that session’s log first', () => {
    const reset = run(downAt(at(5)), { type: 'up', cursor: at(5) }, got({ type: 'reset', sessionId: 's', epoch: 'e2' }));
    expect(reset.effects).toEqual([{ type: 'drop-log', epoch: 'e2' }, { type: 'load-timeline' }]);
  });
  test('asks again when a live frame is missing, and is deaf without a link', () => {
    const live = run(
      downAt(at(5)),
      { type: 'up', cursor: at(5) },
      got({ type: 'caught-up', sessionId: 's', head: 5 }),
      got(snapshot(1, 5)),
    );
    expect(run(live.state, got(frame(3, 'c'))).effects).toEqual([{ type: 'subscribe', cursor: at(5) }]);
    const down = run(live.state, { type: 'down' });
    expect(down.state.live.fold).toBeNull();
    expect(run(down.state, got(frame(2, 'b'))).state).toBe(down.state);
  });
});
