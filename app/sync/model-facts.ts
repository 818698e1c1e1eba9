/** Which model answers when a session names none, and who serves it: out of `GET /models`. Pure. */
import type { ModelInfo } from '#shared/protocol/summaries.ts';

export interface ModelsAnswer {
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

/** Null: the server does not say who answers. */
export function modelFacts({ models, default: standard, provider }: ModelsAnswer): ModelFacts | null {
  if (provider === undefined) return null;
  const name = models?.find(({ id }) => id === standard)?.name;
  return { ...provider, name: name ?? provider.label };
}
