import { describe, expect, test } from 'vitest';
import { doubleModel } from '../wire/double.ts';
import { setUp } from '../wire/rig.ts';

describe('a message that arrives whole', () => {
  test('folds to exactly what was streamed: thinking and signature, text, calls, and usage that is never added up', async () => {
    const { agent, session, breaches } = await setUp({
      script: async (_request, reply) => {
        reply.start({ input_tokens: 7, cache_read_input_tokens: 300 });
        await reply.thinking('Let me see 🪨 what is there.');
        await reply.text('I look first.\n\nThen I write.');
        reply.ping();
        await reply.tool('list', {});
        await reply.tool('read', { path: 'a b/ü🪨.txt' }, { deltas: 20 });
      },
    });
    session.prompt('hello');
    const { answer, live } = await session.attempt(agent);
    expect(answer).toMatchObject({
      stop: 'tool_use',
      thinkingOff: false,
      usage: { input: 7, cacheRead: 300, cacheWrite: 20, model: 'claude-double-1' },
    });
    expect(live.chunks.map((chunk) => [chunk.id, chunk.type, chunk.open])).toEqual([
      ['turn-1.0.m.0', 'thinking', false],
      ['turn-1.0.m.1', 'text', false],
      ['turn-1.0.m.2', 'tool_call', false],
      ['turn-1.0.m.3', 'tool_call', false],
    ]);
    expect(live.chunks[0]!.data).toMatchObject({ text: 'Let me see 🪨 what is there.', source: agent.source });
    expect(live.chunks[1]!.data).toEqual({ text: 'I look first.\n\nThen I write.' });
    expect(live.chunks[2]!.data).toMatchObject({ name: 'list', args: '{}' });
    expect(live.chunks[3]!.data).toMatchObject({ name: 'read', args: '{"path":"a b/ü🪨.txt"}' });
    expect(breaches()).toEqual([]);
  });

  test('a request is what the API asks for: sorted tools, three cache markers, thinking and effort as the model allows', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: (request, reply) => (request.n === 0 ? reply.tool('list', {}) : reply.text('done')),
    });
    session.prompt('hello');
    const [call] = session.seal(await session.attempt(agent, { effort: 'high' }));
    session.result(call!, 'a.txt');
    session.step++;
    session.seal(await session.attempt(agent, { effort: 'high' }));
    const [first, second] = double.log.map((entry) => entry.body);
    expect(first).toMatchObject({
      max_tokens: 32_000,
      stream: true,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
    expect(first!.tools!.map((tool) => tool['name'])).toEqual(['edit', 'list', 'read', 'run', 'search', 'write']);
    expect(double.log[0]!.raw.split('"cache_control"').length - 1).toBe(2);
    expect(double.log[1]!.raw.split('"cache_control"').length - 1).toBe(3);
    expect(second!.messages[0]!.content).toMatchObject([{ type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } }]);
    expect(double.log[0]!.headers['authorization']).toBe('Bearer sk-test');
    expect(double.log[0]!.headers['anthropic-beta']).toBeUndefined();
    expect(breaches()).toEqual([]);
  });

  test('an effort that the model does not take is not sent, and a model that thinks by budget gets one', async () => {
    const { agent, session, double, breaches } = await setUp({ models: [doubleModel('enabled')] });
    session.prompt('hello');
    session.seal(await session.attempt(agent, { effort: 'max' }));
    expect(double.log[0]!.body.thinking).toMatchObject({ type: 'enabled' });
    expect(double.log[0]!.body.output_config).toBeUndefined();
    expect(breaches()).toEqual([]);
  });

  test('a server that says nothing of its models still gets a request it can take', async () => {
    const { agent, session, double } = await setUp({ models: null });
    session.prompt('hello');
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
    expect(double.log[0]!.body.max_tokens).toBe(8192);
    expect(double.log[0]!.body.thinking).toBeUndefined();
  });

  test('the plain profile sends plain fields only, and the first model that the server names when none is chosen', async () => {
    const { agent, session, double, breaches } = await setUp(
      { profile: 'plain', script: (request, reply) => (request.n === 0 ? reply.tool('list', {}) : reply.text('ok')) },
      { model: null },
    );
    expect(agent.defaultModel).toBe('default');
    session.prompt('hello');
    await session.turn(agent, () => 'a.txt');
    expect(agent.defaultModel).toBe('claude-double-1');
    expect(double.log.map((entry) => Object.keys(entry.body))).toEqual(
      Array.from({ length: 2 }, () => ['model', 'max_tokens', 'stream', 'system', 'tools', 'messages']),
    );
    expect(breaches()).toEqual([]);
  });

  test.each([
    ['end_turn', 'end_turn'],
    ['stop_sequence', 'end_turn'],
    ['max_tokens', 'max_tokens'],
    ['pause_turn', 'pause_turn'],
    ['model_context_window_exceeded', 'window_exceeded'],
    ['tool_use', 'end_turn'],
    ['something_new', 'unknown'],
  ])('stop reason %s with no calls means %s', async (reason, stop) => {
    const { agent, session } = await setUp({
      script: async (_request, reply) => {
        await reply.text('so far');
        reply.end(reason);
      },
    });
    session.prompt('hello');
    const { answer } = await session.attempt(agent);
    expect(answer).toMatchObject({ stop, detail: stop === 'unknown' ? 'something_new' : null });
  });

  test('a refusal says what was refused, and its rows never go out again', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.text('Gladly.');
        await reply.text('I cannot');
        reply.end('refusal', { stop_details: { type: 'refusal', category: 'bio', explanation: 'Not that.' } });
      },
    });
    session.prompt('something bad');
    const refused = await session.attempt(agent);
    expect(refused.answer).toMatchObject({ stop: 'refusal', detail: 'Not that.' });
    session.seal(refused);
    session.chunk('error', 'system', { code: 'refusal', message: 'Not that.' });
    session.prompt('something good');
    await session.attempt(agent);
    expect(double.log[1]!.body.messages).toHaveLength(1);
    expect(breaches()).toEqual([]);
  });

  test('a paused message goes back as it is, with no user block, and goes on', async () => {
    const { agent, session, double, breaches } = await setUp({
      script: async (request, reply) => {
        if (request.n > 0) return reply.text('Found it.');
        await reply.text('Searching');
        const at = reply.open({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} });
        reply.delta(at, { type: 'input_json_delta', partial_json: '{"query":"cairn"}' });
        reply.close(at);
        reply.end('pause_turn');
      },
    });
    session.prompt('search');
    const paused = await session.attempt(agent);
    expect(paused.answer?.stop).toBe('pause_turn');
    expect(paused.live.chunks[1]!.data).toEqual({
      block: { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'cairn' } },
    });
    session.seal(paused);
    session.step++;
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
    expect(double.log[1]!.body.messages.at(-1)!.role).toBe('assistant');
    expect(breaches()).toEqual([]);
  });
});
