import { afterEach, expect, test } from 'vitest';
import { createAgent, type AgentConfig } from '../../server/agent/create.ts';
import { sourceOf } from '../../server/agent/anthropic.ts';
import type { Agent } from '../../server/agent/port.ts';
import { setUp } from '../wire/rig.ts';
import { TestSession, testEffects } from '../wire/session.ts';

const NONE: AgentConfig = { apiKey: null, authToken: null, baseUrl: null, model: null, wire: 'plain' };
const made: Agent[] = [];
afterEach(() => Promise.all(made.splice(0).map((agent) => agent.close())));
const make = (config: Partial<AgentConfig>): Agent => {
  const agent = createAgent({ ...NONE, ...config }, testEffects());
  made.push(agent);
  return agent;
};

test('nothing set, or set to nothing: the demo model', () => {
  expect(make({})).toMatchObject({ demo: true, label: 'the built-in demo model' });
  expect(make({ apiKey: '', authToken: ' ', baseUrl: '' }).demo).toBe(true);
});

test('a key or a token: Anthropic, with its base URL whatever the environment says', () => {
  for (const agent of [make({ apiKey: 'k' }), make({ authToken: 't' }), make({ apiKey: 'k', authToken: 't' })]) {
    expect(agent).toMatchObject({ demo: false, label: 'Anthropic', source: sourceOf('https://api.anthropic.com') });
    expect(agent.defaultModel).not.toBe('');
  }
});

test('a base URL: that server, named by its model and place; thinking is bound to it, however its end is written', () => {
  expect(make({ baseUrl: 'http://localhost:11434', model: 'qwen' })).toMatchObject({
    demo: false,
    label: 'qwen at http://localhost:11434',
    defaultModel: 'qwen',
    source: sourceOf('http://localhost:11434/'),
  });
  expect(make({ baseUrl: 'http://localhost:11434' }).label).toBe('http://localhost:11434');
});

test('a base URL with neither key nor token still works, with a token too, and only what was given is sent', async () => {
  const { double } = await setUp({ profile: 'plain' });
  for (const config of [{}, { authToken: 'tok' }, { apiKey: 'key' }]) {
    const agent = make({ baseUrl: double.url, ...config });
    const session = TestSession.of(agent);
    session.prompt('hello');
    expect((await session.attempt(agent)).answer?.stop).toBe('end_turn');
  }
  expect(double.log.map((entry) => entry.headers.authorization)).toEqual(['Bearer none', 'Bearer tok', 'Bearer key']);
});

test('the models of the server are what the picker shows; a server without a list leaves the configured one', async () => {
  const { agent } = await setUp();
  expect(await agent.models()).toEqual([{ id: 'claude-double-1', name: 'Double (adaptive)', efforts: ['low', 'medium', 'high'] }]);
  const without = await setUp({ models: null });
  expect(await without.agent.models()).toEqual([{ id: 'claude-double-1', name: 'claude-double-1', efforts: [] }]);
  expect(without.effects.reports.map((report) => report.event)).toEqual(['agent.no-model-list']);
});
