import { describe, expect, test } from 'vitest';
import type { ViewChunk } from '#shared/chunks/view.ts';
import { callOf, hitsOf, printedOf, readLinesOf, resultOf, stateOf, targetOf, verbOf } from '../../app/render/tool-view.ts';

const base = { turnId: 't', step: 0 } as const;
function call(name: string, args: string, open?: boolean): ViewChunk {
  return {
    ...base,
    id: 'c',
    role: 'assistant',
    type: 'tool_call',
    data: { callId: 'x', name, args },
    ...(open === undefined ? { seq: 1 } : { open }),
  };
}
function result(data: object, open?: boolean): ViewChunk {
  return {
    ...base,
    id: 'r',
    role: 'tool',
    type: 'tool_result',
    data: { callId: 'x', content: [], isError: false, ...data },
    ...(open === undefined ? { seq: 2 } : { open }),
  };
}
const state = (made: ViewChunk, answered: ViewChunk | null, inFlight = true, asking = false): string =>
  stateOf(made, answered, answered?.data, inFlight, asking);

describe('a tool call as it is shown', () => {
  test('law 16: its state is what the records say', () => {
    const run = call('run', '{"command":"npm test"}');
    expect(state(call('run', '{"comm', true), null)).toBe('asked');
    expect(state(run, null, true, true)).toBe('ask');
    expect(state(run, null)).toBe('waiting');
    // Not running by the server's word of now: nothing claims that it is.
    expect(state(run, null, false)).toBe('absent');
    expect(state(run, result({}, true))).toBe('running');
    expect(state(run, result({ shell: { stdout: '', stderr: '', exitCode: 0 } }))).toBe('ok');
    expect(state(run, result({ shell: { stdout: '', stderr: '', exitCode: 1 } }))).toBe('failed');
    expect(state(run, result({ isError: true, outcome: 'denied' }))).toBe('denied');
    expect(state(run, result({ isError: true, outcome: 'not-run' }))).toBe('not-run');
    expect(state(run, result({ isError: true, outcome: 'interrupted' }))).toBe('interrupted');
  });
  test('a large result whose end is not here is neither passed nor failed', () => {
    const whole = JSON.stringify({ callId: 'x', content: [{ type: 'text', text: 'y'.repeat(9000) }], isError: true });
    const part = { blob: { sha256: 'a', size: whole.length }, preview: whole.slice(0, 4096) };
    expect(stateOf(call('read', '{}'), result({}), part, false, false)).toBe('partly');
    // No error is known of, and how the command ended is not here.
    const ran = JSON.stringify({ callId: 'x', content: [], isError: false, shell: { stdout: 'y'.repeat(9000), stderr: '', exitCode: 1 } });
    const begun = { blob: { sha256: 'a', size: ran.length }, preview: ran.slice(0, 4096) };
    expect(stateOf(call('run', '{}'), result({}), begun, false, false)).toBe('partly');
    expect(printedOf(resultOf(begun).data)).toEqual({ stdout: expect.stringMatching(/^y+$/), stderr: '' });
  });
  test('verbs by tool and state: a file that was refused was not written, a command that failed did run', () => {
    expect(verbOf('run', 'running')).toBe('Running');
    expect(verbOf('run', 'failed')).toBe('Ran');
    expect(verbOf('write', 'failed')).toBe('Write');
    expect(verbOf('list', 'ok')).toBe('Listed');
    expect(verbOf('edit', 'denied')).toBe('Said no');
  });
  test('the target shows while the arguments stream, also of data kept by reference', () => {
    expect(targetOf(callOf(call('write', '{"path":"notes.md","content":"# No', true)))).toBe('notes.md');
    expect(targetOf(callOf(call('search', '{"pattern":"a b","path":"src"}')))).toBe('a b in src');
    expect(targetOf(callOf(call('list', '{}')), 'garden'), 'the workspace is called by its name').toBe('garden');
    expect(targetOf(callOf(call('list', '{"path":"."}')), 'garden')).toBe('garden');
    expect(targetOf(callOf(call('list', '{"path":"src"}')), 'garden')).toBe('src');
    const whole = JSON.stringify({ callId: 'x', name: 'write', args: JSON.stringify({ path: 'big.txt', content: 'z'.repeat(9000) }) });
    const made = callOf({ ...call('write', ''), data: { blob: { sha256: 'a', size: 9 }, preview: whole.slice(0, 4096) } });
    expect([made.name, targetOf(made), made.cut]).toEqual(['write', 'big.txt', true]);
  });
  test('hits by file; a line of another shape is no hit list', () => {
    const files = hitsOf('src/a.ts:41:  x: 1\nsrc/a.ts:58:y\nb:1:z\n[more matches were left out]\n')!;
    expect(files.map(({ file, hits }) => [file, hits.map((hit) => hit.line)])).toEqual([
      ['src/a.ts', [41, 58]],
      ['b', [1]],
    ]);
    expect(hitsOf('No matches.')).toBeNull();
  });
  test('a read says which lines it shows', () => {
    expect(readLinesOf('a\nb\n[lines 30-31 of 140; go on with from: 32]', 30)).toEqual({ first: 30, lines: ['a', 'b'], total: 140 });
    expect(readLinesOf('a\nb\n', 1)).toEqual({ first: 1, lines: ['a', 'b'], total: null });
    expect(readLinesOf('a\n[lines 1-1 of 1]\n', 1)!.lines).toEqual(['a']);
  });
});
