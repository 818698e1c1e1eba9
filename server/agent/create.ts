/** Which model serves: Anthropic with a key or token, another server by its base URL, else the built-in demo (DESIGN 7). */
import { createAnthropicAgent, type AgentEffects } from './anthropic.ts';
import { createDemoAgent } from './demo/agent.ts';
import { PREFERRED_MODEL } from './models.ts';
import type { Agent } from './port.ts';
import type { WireProfile } from './wire-types.ts';

export type { AgentEffects } from './anthropic.ts';

/** Null or empty counts as unset. */
export interface AgentConfig {
  apiKey: string | null;
  authToken: string | null;
  /** Without a trailing `/v1`. */
  baseUrl: string | null;
  /** Model for sessions that name none. */
  model: string | null;
  wire: WireProfile;
  /** Milliseconds between the words of the demo model. Default 18. */
  demoPaceMs?: number;
  /** Milliseconds without a byte after which an attempt is dead; default by profile. */
  silenceMs?: number;
  /** Milliseconds an attempt may take in all. Default 60 min. */
  totalMs?: number;
}

export const ANTHROPIC_URL = 'https://api.anthropic.com';

/** Never waits for the network: a server that is down shows at the first request. */
export function createAgent(config: AgentConfig, effects: AgentEffects): Agent {
  const apiKey = given(config.apiKey);
  // The SDK takes one credential; of two, the key is the more explicit one.
  const authToken = apiKey === null ? given(config.authToken) : null;
  const baseURL = given(config.baseUrl);
  const model = given(config.model);
  const limits = {
    ...(config.silenceMs === undefined ? {} : { silenceMs: config.silenceMs }),
    ...(config.totalMs === undefined ? {} : { totalMs: config.totalMs }),
  };
  if (baseURL !== null) {
    return createAnthropicAgent(
      { baseURL, apiKey, authToken, profile: config.wire, model, label: labelOf(baseURL, model), ...limits },
      effects,
    );
  }
  if (apiKey === null && authToken === null) return createDemoAgent({ paceMs: config.demoPaceMs ?? 18 }, effects);
  return createAnthropicAgent(
    {
      baseURL: ANTHROPIC_URL,
      apiKey,
      authToken,
      profile: 'anthropic',
      model: model ?? PREFERRED_MODEL,
      label: 'Anthropic',
      ...limits,
    },
    effects,
  );
}

function given(value: string | null): string | null {
  const text = value?.trim() ?? '';
  return text === '' ? null : text;
}

/** What serves, in words for a person: the model, if one was named, and where. */
function labelOf(baseURL: string, model: string | null): string {
  return model === null ? baseURL : `${model} at ${baseURL}`;
}
