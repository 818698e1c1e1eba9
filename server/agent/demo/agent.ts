/** The demo model as an agent: its own server, reached through the same SDK path as every other model. */
import { createAnthropicAgent, type AgentEffects } from '../anthropic.ts';
import { wireHeader } from '../header.ts';
import type { Agent } from '../port.ts';
import { DEMO_MODEL, startDemoServer } from './server.ts';

/** Its port changes with every start; what it signed stays its own. */
const SOURCE = 'cairn-demo';
const LABEL = 'the built-in demo model';

/** `paceMs`: milliseconds between words. The server starts at once; the first request waits for it. */
export function createDemoAgent(options: { paceMs: number }, effects: AgentEffects): Agent {
  const started = startDemoServer({ ...effects, paceMs: options.paceMs }).then((server) => ({
    server,
    agent: createAnthropicAgent(
      { baseURL: server.url, apiKey: server.key, authToken: null, profile: 'anthropic', model: DEMO_MODEL, label: LABEL, source: SOURCE },
      effects,
    ),
  }));
  // Told once here; each request that needs it still fails with the same error.
  started.catch((error: unknown) => effects.report('demo.no-start', { error }));
  return {
    label: LABEL,
    demo: true,
    source: SOURCE,
    defaultModel: DEMO_MODEL,
    models: async () => (await started).agent.models(),
    header: (tools, { workspace }) => wireHeader(tools, workspace),
    // A session made with another model goes on with the demo: there is no other here.
    attempt: async (request, signal, emit) => (await started).agent.attempt({ ...request, model: DEMO_MODEL }, signal, emit),
    close: async () => (await started).server.close(),
  };
}
