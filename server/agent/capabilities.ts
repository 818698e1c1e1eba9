/**
 * What a model can do, read from what the server says of it (`GET /v1/models/:id`); nothing is known by name.
 * `null` anywhere means that the server did not say.
 */
import { EFFORTS, type Effort } from '#shared/protocol/records.ts';

export interface ModelFacts {
  maxTokens: number | null;
  window: number | null;
  /** How it may be told to think; null: not at all, or not known. */
  thinking: 'adaptive' | 'enabled' | null;
  efforts: Effort[];
}
export const UNKNOWN_MODEL: ModelFacts = { maxTokens: null, window: null, thinking: null, efforts: [] };

interface Support {
  supported: boolean;
}
/** The part of the API's model description that is used here; everything may be missing on another server. */
export interface ModelDescription {
  max_tokens?: number | null;
  max_input_tokens?: number | null;
  capabilities?: {
    thinking?: { supported: boolean; types?: { adaptive?: Support; enabled?: Support } } | null;
    effort?: ({ supported: boolean } & Partial<Record<Effort, Support | null>>) | null;
  } | null;
}

export function factsOf(model: ModelDescription): ModelFacts {
  const { thinking, effort } = model.capabilities ?? {};
  const types = thinking?.supported === true ? thinking.types : undefined;
  return {
    maxTokens: model.max_tokens ?? null,
    window: model.max_input_tokens ?? null,
    thinking: types?.adaptive?.supported === true ? 'adaptive' : types?.enabled?.supported === true ? 'enabled' : null,
    efforts: effort?.supported === true ? EFFORTS.filter((level) => effort[level]?.supported === true) : [],
  };
}
