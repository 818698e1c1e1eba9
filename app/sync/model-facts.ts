/** Which model answers when a session names none, and who serves it: out of `GET /models`. */
import { ROUTES } from '#shared/protocol/routes.ts';
import type { ModelInfo } from '#shared/protocol/summaries.ts';
import type { Http } from './http.ts';

interface ModelsAnswer {
  models?: readonly ModelInfo[];
  default?: string;
  provider?: { label: string; demo: boolean };
}
/** `name`: what the model that nobody chose is called; the provider's label while that is not known. */
export interface ModelFacts {
  label: string;
  demo: boolean;
  name: string;
}

/** Null: no answer, or one that does not say who serves. */
export async function askModelFacts(http: Http): Promise<ModelFacts | null> {
  const answer = await http.ask('GET', ROUTES.models());
  return answer.kind === 'ok' ? modelFacts(answer.value as ModelsAnswer) : null;
}

function modelFacts({ models, default: standard, provider }: ModelsAnswer): ModelFacts | null {
  if (provider === undefined) return null;
  const name = models?.find(({ id }) => id === standard)?.name;
  return { ...provider, name: name ?? provider.label };
}
