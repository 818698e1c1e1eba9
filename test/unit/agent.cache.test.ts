import { expect, test } from 'vitest';
import { createAnthropicAgent } from '../../server/agent/anthropic.ts';
import { wireLines } from '../wire/double.ts';
import { testEffects } from '../wire/session.ts';
import { setUp } from '../wire/rig.ts';

test('B41: the wire of turns 1-5 only grows, over a minute boundary and restarts of the agent', async () => {
  const { agent, session, double, breaches } = await setUp({
    script: async (request, reply) => {
      await reply.thinking(`t${request.n}`);
      if (request.results.length === 0) return reply.tool('run', { command: `echo ${request.n}` });
      await reply.text(`done ${request.n}`);
    },
  });
  const header = agent.header([], { workspace: '/w' });
  expect(header.system).not.toMatch(/\d{4}-\d{2}-\d{2}|20\d\d/);
  for (let turn = 0; turn < 5; turn++) {
    const again = createAnthropicAgent(
      { baseURL: double.url, apiKey: 'sk-test', authToken: null, profile: 'anthropic', model: 'claude-double-1', label: 'again' },
      testEffects(),
    );
    session.prompt(`turn ${turn}`);
    session.note('context', `<context>It is minute ${turn}.</context>`);
    await session.turn(again, () => `out ${turn}`);
  }
  const lines = double.log.map((entry) => wireLines(entry.body));
  for (let n = 1; n < lines.length; n++) expect(lines[n]!.slice(0, lines[n - 1]!.length)).toEqual(lines[n - 1]);
  expect(lines).toHaveLength(10);
  expect(breaches()).toEqual([]);
});
