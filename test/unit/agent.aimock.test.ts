/** The adapter against a double that others wrote: where it and ours disagree, one of the two is wrong. */
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAnthropicAgent } from '../../server/agent/anthropic.ts';
import type { Agent } from '../../server/agent/port.ts';
import { TestSession, testEffects } from '../wire/session.ts';

const mock = new LLMock({ port: 0, logLevel: 'silent' });
let agent: Agent;

beforeAll(async () => {
  mock.on(
    { userMessage: 'list them', hasToolResult: false },
    { toolCalls: [{ name: 'list', arguments: '{"path":"src"}' }], reasoning: 'I should look.' },
  );
  mock.on({ userMessage: 'list them', hasToolResult: true }, { content: 'There is one file.' });
  mock.on(
    { userMessage: 'cut' },
    { content: 'one two three four five six seven eight nine ten' },
    { truncateAfterChunks: 6, chunkSize: 4, latency: 5 },
  );
  mock.on({ userMessage: 'busy' }, { error: { message: 'Overloaded', type: 'overloaded_error' }, status: 529 });
  await mock.start();
  agent = createAnthropicAgent(
    { baseURL: mock.url, apiKey: 'k', authToken: null, profile: 'anthropic', model: 'claude-x', label: 'aimock' },
    testEffects(),
  );
});
afterAll(() => mock.stop());

test('thinking, a tool, its result and the answer arrive as they do from our own double', async () => {
  const session = TestSession.of(agent);
  session.prompt('list them');
  await session.turn(agent, (name, args) => `${name} ${JSON.stringify(args)}`);
  expect(session.records.filter((record) => record.kind === 'chunk').map((record) => record.type)).toEqual([
    'prompt',
    'thinking',
    'tool_call',
    'usage',
    'tool_result',
    'text',
    'usage',
  ]);
  expect(session.said).toBe('There is one file.');
  expect(session.records.find((record) => record.type === 'tool_result')!.data).toMatchObject({
    content: [{ text: 'list {"path":"src"}' }],
  });
});

test('a truncated stream is a failed attempt that keeps its text', async () => {
  const session = TestSession.of(agent);
  session.prompt('cut');
  const attempted = await session.attempt(agent);
  expect(attempted.error).toMatchObject({ retryable: true });
  session.seal(attempted);
  expect('one two three four five six seven eight nine ten'.startsWith(session.said)).toBe(true);
  expect(session.said.length).toBeGreaterThan(0);
});

test('a 529 is retryable and tells its status', async () => {
  const session = TestSession.of(agent);
  session.prompt('busy');
  expect((await session.attempt(agent)).error).toMatchObject({ status: 529, retryable: true, code: 'overloaded' });
});
