import { describe, expect, test } from 'vitest';
import { UNKNOWN_MODEL, type ModelFacts } from '../../server/agent/capabilities.ts';
import { maxTokens, requestBody } from '../../server/agent/request.ts';
import { buildWire, type WireOptions } from '../../server/agent/wire.ts';
import type { WireMessage } from '../../server/agent/wire-types.ts';
import { setUp } from '../wire/rig.ts';
import { TestSession } from '../wire/session.ts';

function started(): TestSession {
  const session = new TestSession();
  session.event('wire-header', { system: 's', tools: [{ name: 'list', description: 'l', input_schema: { type: 'object' } }] });
  session.prompt('go');
  return session;
}
function messages(session: TestSession, options: Partial<WireOptions> = {}): WireMessage[] {
  return buildWire(session.records, { profile: 'anthropic', source: 'src', thinking: true, ...options }).messages;
}
/** One line a block: enough to see the shape. */
function shape(list: readonly WireMessage[]): string[] {
  return list.map(
    ({ role, content }) =>
      `${role}: ${content.map((block) => String(block['text'] ?? block['thinking'] ?? block['tool_use_id'] ?? block['id'] ?? block.type)).join(' | ')}`,
  );
}
const signed = (text: string) => ({ text, signature: 'sig', source: 'src' });

describe('the cut', () => {
  test('results come first, in call order, then everything else by seq; the next step is the next message', () => {
    const session = started();
    session.chunk('text', 'assistant', { text: 'two calls' });
    session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args: '{}' });
    session.chunk('tool_call', 'assistant', { callId: 'c2', name: 'list', args: '{}' });
    session.note('notice', '[note]');
    session.result('c2', 'second');
    session.steer('and this');
    session.result('c1', 'first', { isError: true });
    session.step++;
    session.chunk('text', 'assistant', { text: 'done' });
    expect(shape(messages(session))).toEqual([
      'user: go',
      'assistant: two calls | c1 | c2',
      'user: c1 | c2 | [note] | and this',
      'assistant: done',
    ]);
    expect(messages(session)[2]!.content[0]).toEqual({ type: 'tool_result', tool_use_id: 'c1', content: 'first', is_error: true });
  });

  test('neighbours of one role are joined: a paused message and its end, an empty step and its note', () => {
    const session = started();
    session.chunk('text', 'assistant', { text: 'part' });
    session.step++;
    session.chunk('text', 'assistant', { text: 'rest' });
    session.step++;
    session.note('empty', '[go on]');
    session.prompt('next');
    expect(shape(messages(session))).toEqual(['user: go', 'assistant: part | rest', 'user: [go on] | next']);
  });

  test('a context-cut takes out exactly its rows; what came later stays', () => {
    const session = started();
    session.chunk('text', 'assistant', { text: 'fine' });
    session.prompt('bad words');
    const from = session.head;
    session.chunk('text', 'assistant', { text: 'bad answer' });
    session.event('context-cut', { from, to: session.head });
    session.prompt('good words');
    expect(shape(messages(session))).toEqual(['user: go', 'assistant: fine', 'user: good words']);
  });

  test('an attachment is named before the words it came with', () => {
    const session = started();
    session.chunk('prompt', 'user', {
      content: [
        { type: 'text', text: 'look' },
        { type: 'attachment', sha256: 'x', name: 'a.png', mime: 'image/png' },
      ],
    });
    expect(shape(messages(session))[0]).toBe('user: go | [Attached: a.png (image/png); its content is not shown to you] | look');
  });

  test('arguments that are no JSON object go back under a key that says so, empty ones as an empty object', () => {
    const session = started();
    const inputs = ['{"command":"rm -rf build/', '[1]', 'null', ' ', '{"a":{"b":1}}'];
    inputs.forEach((args, at) => session.chunk('tool_call', 'assistant', { callId: `c${at}`, name: 'list', args }));
    inputs.forEach((_args, at) => session.result(`c${at}`, 'x'));
    expect(messages(session)[1]!.content.map((block) => block['input'])).toEqual([
      { INVALID_JSON: '{"command":"rm -rf build/' },
      { INVALID_JSON: '[1]' },
      { INVALID_JSON: 'null' },
      {},
      { a: { b: 1 } },
    ]);
  });

  test('what is nested too deeply to be sent safely never becomes part of a request that could then never be sent', () => {
    const session = started();
    const deep = '['.repeat(20_000) + ']'.repeat(20_000);
    const args = `{"path":${deep}}`;
    session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args });
    session.chunk('raw', 'assistant', { block: { type: 'hologram', light: JSON.parse(deep) as unknown } });
    session.result('c1', 'x');
    const sent = messages(session);
    expect(sent[1]!.content.map((block) => [block.type, block['input']])).toEqual([['tool_use', { INVALID_JSON: args }]]);
    expect(() => JSON.stringify(sent)).not.toThrow();
  });

  test('plain servers get known fields only', () => {
    const session = started();
    session.chunk('text', 'assistant', { text: 'cited', citations: [{}] });
    session.chunk('raw', 'assistant', { block: { type: 'server_tool_use', id: 's1' } });
    session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args: '{}', caller: { type: 'direct' } });
    session.result('c1', 'x');
    expect(messages(session, { profile: 'plain' })[1]!.content.map((block) => Object.keys(block))).toEqual([
      ['type', 'text'],
      ['type', 'id', 'name', 'input'],
    ]);
    expect(messages(session)[1]!.content.map((block) => Object.keys(block))).toEqual([
      ['type', 'text', 'citations'],
      ['type', 'id', 'name', 'input', 'caller'],
    ]);
  });

  test('without a header there is no wire', () => {
    expect(() => messages(new TestSession())).toThrow('wire-header');
  });
});

describe('B37 (wire part): which thinking goes out', () => {
  test('signed, from this source, with another block after it; empty text too', () => {
    const session = started();
    session.chunk('thinking', 'assistant', signed(''));
    session.chunk('thinking', 'assistant', { text: 'unsigned' });
    session.chunk('thinking', 'assistant', { text: 'foreign', signature: 'sig', source: 'other' });
    session.chunk('text', 'assistant', { text: 'said' });
    session.chunk('thinking', 'assistant', signed('last'));
    expect(messages(session)[1]!.content).toEqual([
      { type: 'thinking', thinking: '', signature: 'sig' },
      { type: 'text', text: 'said' },
    ]);
  });

  test.each([
    ['a repair', (session: TestSession) => session.event('thinking-off', { to: session.head })],
    ['another head', (session: TestSession) => session.event('wire-header', { system: 'new', tools: [] })],
  ])('%s drops what was thought before it, and nothing after it', (_name, change) => {
    const session = started();
    session.chunk('thinking', 'assistant', signed('before'));
    session.chunk('raw', 'assistant', { block: { type: 'redacted_thinking', data: 'r' } });
    session.chunk('text', 'assistant', { text: 'one' });
    change(session);
    session.prompt('more');
    session.chunk('thinking', 'assistant', signed('after'));
    session.chunk('text', 'assistant', { text: 'two' });
    expect(shape(messages(session))).toEqual(['user: go', 'assistant: one', 'user: more', 'assistant: after | two']);
  });
});

describe('the request', () => {
  const facts = (about: Partial<ModelFacts>): ModelFacts => ({ ...UNKNOWN_MODEL, ...about });
  const small = { system: '', tools: [], messages: [] };

  test.each([
    [{}, 8192],
    [{ maxTokens: 32_000 }, 32_000],
    [{ maxTokens: 128_000 }, 64_000],
    [{ maxTokens: 32_000, window: 20_000 }, 20_000 - 4 - 1024],
    [{ maxTokens: 32_000, window: 100 }, 1024],
    [{ maxTokens: 500, window: 100 }, 500],
  ])('max_tokens with %j is %i', (about, expected) => {
    expect(maxTokens(small, facts(about))).toBe(expected);
  });

  test('a model that thinks by budget does not think in a tool loop that was opened without thinking', () => {
    const body = (session: TestSession) =>
      requestBody(buildWire(session.records, { profile: 'anthropic', source: 'src', thinking: true }), {
        profile: 'anthropic',
        model: 'm',
        effort: 'low',
        facts: facts({ thinking: 'enabled', maxTokens: 32_000 }),
      });
    const session = started();
    expect(body(session).thinking).toEqual({ type: 'enabled', budget_tokens: 2048, display: 'summarized' });
    session.chunk('tool_call', 'assistant', { callId: 'c1', name: 'list', args: '{}' });
    session.result('c1', 'x');
    expect(body(session).thinking).toBeUndefined();
    session.step++;
    session.chunk('text', 'assistant', { text: 'done' });
    session.prompt('next');
    expect(body(session).thinking).toBeDefined();
  });
});

describe('B36: after any interruption, "go on" is accepted by the API', () => {
  test.each(['(a) while arguments stream', '(b) while tool 1 of 2 runs', '(c) at the question', '(d) by a killed server'])(
    'Stop %s',
    async (when) => {
      const { agent, session, breaches } = await setUp({
        script: async (request, reply) => {
          if (request.n > 0) return reply.text('going on');
          await reply.thinking('two things');
          await reply.text('I run both.');
          await reply.tool('run', { command: 'one' });
          await reply.tool('run', { command: 'two' }, when.startsWith('(a)') ? { cut: 8 } : {});
          if (when.startsWith('(a)')) await reply.silence();
        },
      });
      session.prompt('go');
      const stop = new AbortController();
      const attempted = await session.attempt(agent, {
        signal: stop.signal,
        onEvent: (event) =>
          when.startsWith('(a)') && event.type === 'tool-call-args' && event.i === 3 && event.text.includes('a') && stop.abort(),
      });
      const calls = session.seal(attempted);
      expect(calls).toHaveLength(when.startsWith('(a)') ? 1 : 2);
      if (when.startsWith('(b)')) session.result(calls.shift()!, 'real output');
      for (const call of calls.toReversed()) session.result(call, 'Interrupted.', { isError: true, outcome: 'interrupted' });
      session.note('interrupted', '[The user stopped you here.]');
      session.prompt('go on');
      expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
      expect(breaches()).toEqual([]);
    },
  );
});
