import { describe, expect, test } from 'vitest';
import { afterAnswer, type AnswerFacts } from '../../server/runner/after-answer.ts';
import { callsOf, openCalls, parseArgs } from '../../server/runner/calls.ts';
import { merge } from '../../server/runner/live.ts';
import { contextWords } from '../../server/runner/notes.ts';
import { recoverTurn } from '../../server/runner/recovery.ts';
import { BUDGET } from '../../server/runner/turn-state.ts';
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import type { ChunkRecord, EventRecord, LogRecord, Role } from '#shared/protocol/records.ts';

const facts = (over: Partial<AnswerFacts>): AnswerFacts => ({
  stop: 'end_turn',
  calls: 0,
  said: true,
  cutOffs: 0,
  pauses: 0,
  empties: 0,
  last: false,
  ...over,
});

test('a call’s arguments nested too deeply to be walked are not run', () => {
  expect(parseArgs(`{"a":${'['.repeat(50)}${']'.repeat(50)}}`).ok).toBe(true);
  for (const levels of [200, 20_000, 200_000])
    expect(parseArgs(`{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`)).toEqual({
      ok: false,
      problem: 'the arguments are nested too deeply',
    });
});

describe('what a message’s end asks for', () => {
  test('tools run only when the message ended as a tool request (B27)', () => {
    expect(afterAnswer(facts({ stop: 'tool_use', calls: 1 })).kind).toBe('tools');
    for (const stop of ['end_turn', 'max_tokens', 'pause_turn', 'refusal', 'window_exceeded', 'unknown'] as const)
      expect(afterAnswer(facts({ stop, calls: 1 })).kind).not.toBe('tools');
  });
  test('an empty answer is asked to go on once, then the turn settles', () => {
    const first = afterAnswer(facts({ said: false }));
    expect(first.kind).toBe('go-on');
    expect(first.note?.words.wire).toBeTruthy();
    expect(afterAnswer(facts({ said: false, ...first.counts })).kind).toBe('settle');
  });
  test('an answer cut by the token limit goes on within its budget and no further', () => {
    let counts = { cutOffs: 0, pauses: 0, empties: 0 };
    for (let round = 0; round < BUDGET.cutOffs; round++) {
      const next = afterAnswer(facts({ stop: 'max_tokens', ...counts }));
      expect(next.kind).toBe('go-on');
      counts = next.counts;
    }
    expect(afterAnswer(facts({ stop: 'max_tokens', ...counts })).kind).toBe('settle');
  });
  test('a paused answer is sent back within its budget and no further', () => {
    let counts = { cutOffs: 0, pauses: 0, empties: 0 };
    for (let round = 0; round < BUDGET.pauses; round++) {
      const next = afterAnswer(facts({ stop: 'pause_turn', ...counts }));
      expect(next.kind).toBe('go-on');
      expect(next.note).toBeNull();
      counts = next.counts;
    }
    expect(afterAnswer(facts({ stop: 'pause_turn', ...counts })).kind).toBe('settle');
  });
  test('a refusal fails the turn and pauses the queue', () => {
    expect(afterAnswer(facts({ stop: 'refusal' }))).toMatchObject({ kind: 'fail', pause: 'refused' });
  });
});

describe('arguments are read strictly (B27)', () => {
  test('cut, non-object and garbage texts are refused; empty is an empty object', () => {
    expect(parseArgs('')).toEqual({ ok: true, value: {} });
    expect(parseArgs('{"command":"ls"}')).toEqual({ ok: true, value: { command: 'ls' } });
    for (const text of ['{"command":"rm -rf build', '[]', 'null', '"x"', '{} {}']) expect(parseArgs(text).ok).toBe(false);
  });
  test('calls keep their order and are numbered by it', () => {
    const draft = (id: string, type: string, data: unknown) => ({ id, turnId: 't', step: 0, role: 'assistant' as const, type, data });
    const calls = callsOf([
      draft('a', 'text', { text: 'x' }),
      draft('b', 'tool_call', { callId: 'c1', name: 'list', args: '{}' }),
      draft('c', 'tool_call', { callId: 'c2', name: 'read', args: '{' }),
    ]);
    expect(calls.map((call) => [call.i, call.callId, call.args.ok])).toEqual([
      [0, 'c1', true],
      [1, 'c2', false],
    ]);
  });
});

let seq = 0;
const chunk = (type: string, role: Role, step: number, id: string, data: unknown): ChunkRecord => ({
  kind: 'chunk',
  sessionId: 's',
  seq: ++seq,
  id,
  type,
  data,
  createdAt: 0,
  turnId: 't',
  step,
  role,
});
const event = (type: string, data: unknown): EventRecord => ({
  kind: 'event',
  sessionId: 's',
  seq: ++seq,
  id: `e${seq}`,
  type,
  data,
  createdAt: 0,
  turnId: 't',
});

describe('what a dead process left', () => {
  const log = (): LogRecord[] => [
    chunk('prompt', 'user', 0, 'p', { content: [] }),
    event('turn-started', { turnId: 't' }),
    chunk('tool_call', 'assistant', 0, 't.0.m.0', { callId: 'a', name: 'run', args: '{}' }),
    chunk('tool_call', 'assistant', 0, 't.0.m.1', { callId: 'b', name: 'run', args: '{}' }),
    chunk('tool_call', 'assistant', 0, 't.0.m.2', { callId: 'c', name: 'run', args: '{}' }),
    chunk('tool_result', 'tool', 0, 't.0.t.0', { callId: 'a', content: [], isError: false }),
    event('approval-asked', { approvalId: 'x', callId: 'b', name: 'run', effect: 'run', summary: '' }),
    event('approval-decided', { approvalId: 'x', callId: 'b', decision: 'allow', by: null }),
    event('approval-asked', { approvalId: 'y', callId: 'c', name: 'run', effect: 'run', summary: '' }),
  ];
  test('I18: an allowed call may have run, an undecided one has not, a finished one keeps its result', () => {
    const { rows, step, next } = recoverTurn(log(), 't', { stopped: false, resumes: 0 });
    expect(next).toBe('resume');
    expect(step).toBe(0);
    expect(rows.map((row) => (row.kind === 'chunk' ? [row.id, (row.data as { outcome?: string }).outcome ?? row.type] : row.type))).toEqual(
      [
        ['t.0.t.1', 'interrupted'],
        ['t.0.t.2', 'not-run'],
        ['t.0.s.0', 'system'],
      ],
    );
  });
  test('the budget of resumes ends, and a Stop that was committed is kept', () => {
    expect(recoverTurn(log(), 't', { stopped: false, resumes: BUDGET.resumes }).next).toBe('settle-cut');
    expect(recoverTurn(log(), 't', { stopped: true, resumes: 0 }).next).toBe('settle-stopped');
  });
  test('a cut that a closing server has said already is not said twice', () => {
    const records = [...log().slice(0, 2), chunk('system', 'system', 0, 't.0.s.0', { kind: 'interrupted', text: 'x', wire: 'x' })];
    expect(recoverTurn(records, 't', { stopped: false, resumes: 0 }).rows).toEqual([]);
  });
  test('calls with results are not open', () => {
    expect(openCalls(log(), 't').map((call) => [call.callId, call.i])).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
  });
});

test('deltas of one chunk and stream are merged while they wait, others keep their order', () => {
  const at = { turnId: 't', step: 0 };
  const waiting: AgentEvent[] = [];
  merge(waiting, { ...at, type: 'text-delta', i: 0, text: 'a' });
  merge(waiting, { ...at, type: 'text-delta', i: 0, text: 'b' });
  merge(waiting, { ...at, type: 'text-delta', i: 1, text: 'c' });
  merge(waiting, { ...at, type: 'tool-output', i: 0, callId: 'x', stream: 'stdout', text: '1' });
  merge(waiting, { ...at, type: 'tool-output', i: 1, callId: 'y', stream: 'stdout', text: '2' });
  merge(waiting, { ...at, type: 'tool-output', i: 1, callId: 'y', stream: 'stderr', text: '3' });
  expect(waiting.map((entry) => ('text' in entry ? entry.text : ''))).toEqual(['ab', 'c', '1', '2', '3']);
});

test('the words of changing facts stay the same for a day and a mode', () => {
  const noon = Date.UTC(2026, 10, 30, 12);
  expect(contextWords(noon, 'ask')).toBe(contextWords(noon + 3_600_000, 'ask'));
  expect(contextWords(noon, 'ask')).not.toBe(contextWords(noon, 'auto'));
  expect(contextWords(noon, 'ask')).not.toBe(contextWords(noon + 86_400_000, 'ask'));
});
