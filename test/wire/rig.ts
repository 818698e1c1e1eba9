/** An agent on a double, with a session ready for its first prompt: closed again after each test. */
import { afterEach } from 'vitest';
import { createAnthropicAgent, type Endpoint } from '../../server/agent/anthropic.ts';
import type { Agent } from '../../server/agent/port.ts';
import { startDouble, type Double, type DoubleOptions } from './double.ts';
import { TestSession, testEffects, type TestEffects } from './session.ts';

export interface Rig {
  agent: Agent;
  session: TestSession;
  double: Double;
  effects: TestEffects;
  /** Everything the double refused, over all requests. */
  breaches(): string[];
}

const open = new Set<Double>();
afterEach(async () => {
  await Promise.all([...open].map((double) => double.close()));
  open.clear();
});

export async function setUp(
  options: DoubleOptions = {},
  endpoint: Partial<Endpoint> = {},
  own: Partial<Pick<TestEffects, 'timers'>> = {},
): Promise<Rig> {
  const double = await startDouble(options);
  open.add(double);
  const effects = { ...testEffects(), ...own };
  const agent = createAnthropicAgent(
    {
      baseURL: double.url,
      apiKey: 'sk-test',
      authToken: null,
      profile: options.profile ?? 'anthropic',
      model: 'claude-double-1',
      label: 'the double',
      ...endpoint,
    },
    effects,
  );
  return { agent, session: TestSession.of(agent), double, effects, breaches: () => double.log.flatMap((entry) => entry.breaches) };
}
