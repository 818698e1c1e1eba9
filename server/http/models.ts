/** `GET /models`: what can be chosen, what is used when nothing was, and what kind of model serves. */
import type { ModelInfo } from '#shared/protocol/summaries.ts';
import { ProviderError } from '../agent/port.ts';
import type { HttpParts } from './parts.ts';
import { ok, type Resource } from './resource.ts';

export function modelResource(parts: HttpParts): Resource {
  return {
    path: '/models',
    methods: {
      GET: async () => {
        const { agent, store } = parts;
        const settings = await store.settings();
        const chosen = settings.model ?? agent.defaultModel;
        return ok({ models: await modelsOf(parts, chosen), default: chosen, provider: { label: agent.label, demo: agent.demo } });
      },
    },
  };
}

/** A provider that cannot list its models right now can still run the one in use, so that one is offered. */
async function modelsOf({ agent, report }: HttpParts, chosen: string): Promise<ModelInfo[]> {
  try {
    return await agent.models();
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    report('models-unlisted', { code: error.code, status: error.status });
    return [{ id: chosen, name: chosen, efforts: [] }];
  }
}
