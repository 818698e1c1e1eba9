/** What is known of the server's models: asked when needed, kept for a while, and never in the way of an attempt. */
import type { ModelInfo } from '#shared/protocol/summaries.ts';
import type { Clock, Report } from '#shared/ports.ts';
import { factsOf, UNKNOWN_MODEL, type ModelDescription, type ModelFacts } from './capabilities.ts';
import type { WireProfile } from './wire-types.ts';

interface Described extends ModelDescription {
  id: string;
  display_name?: string;
}
interface LookupOptions {
  signal?: AbortSignal;
  timeout: number;
}
/** The two calls of the SDK that are used. */
export interface ModelSource {
  list(params: null, options: LookupOptions): AsyncIterable<Described>;
  retrieve(id: string, params: null, options: LookupOptions): PromiseLike<Described>;
}

/** Stands for "whatever the server has" until its list is known. */
export const ANY_MODEL = 'default';
/** Asked of Anthropic when nobody chose; what it can do is still read from the server. */
export const PREFERRED_MODEL = 'claude-opus-5-5';

const LOOKUP_MS = 10_000;
const KEEP_MS = 10 * 60_000;
const KEEP_FAILURE_MS = 60_000;
const MOST_MODELS = 200;

export class ModelShelf {
  readonly #source: ModelSource;
  readonly #effects: { clock: Clock; report: Report };
  readonly #profile: WireProfile;
  readonly #facts = new Map<string, { until: number; facts: ModelFacts }>();
  #list: { until: number; models: ModelInfo[] } | null = null;
  #chosen: string | null;

  constructor(source: ModelSource, about: { profile: WireProfile; model: string | null }, effects: { clock: Clock; report: Report }) {
    this.#source = source;
    this.#effects = effects;
    this.#profile = about.profile;
    this.#chosen = about.model;
  }

  get defaultModel(): string {
    return this.#chosen ?? ANY_MODEL;
  }

  /** For the picker. A server that has no list is left with the model that is configured. */
  async list(): Promise<ModelInfo[]> {
    if (this.#list !== null && this.#list.until > this.#effects.clock.now()) return this.#list.models;
    const own: ModelInfo[] = [{ id: this.defaultModel, name: this.defaultModel, efforts: [] }];
    try {
      const models = await this.#fetch(undefined);
      if (models.length === 0) return own;
      return this.#chosen === null || models.some((model) => model.id === this.#chosen) ? models : [...own, ...models];
    } catch (error) {
      this.#effects.report('agent.no-model-list', { error });
      return own;
    }
  }

  /** The id to ask for: `ANY_MODEL` becomes the first that the server names. Throws what the lookup throws. */
  async resolve(model: string, signal: AbortSignal): Promise<string> {
    if (model !== ANY_MODEL) return model;
    if (this.#chosen === null) await this.#fetch(signal);
    return this.defaultModel;
  }

  /** What the model can do; a server that does not say is taken at its least. */
  async facts(model: string, signal: AbortSignal): Promise<ModelFacts> {
    if (this.#profile === 'plain') return UNKNOWN_MODEL;
    const known = this.#facts.get(model);
    if (known !== undefined && known.until > this.#effects.clock.now()) return known.facts;
    try {
      const facts = factsOf(await this.#source.retrieve(model, null, { signal, timeout: LOOKUP_MS }));
      this.#facts.set(model, { until: this.#effects.clock.now() + KEEP_MS, facts });
      return facts;
    } catch (error) {
      if (signal.aborted) throw error;
      this.#effects.report('agent.no-model-facts', { model, error });
      // What was known still holds better than nothing: a passing fault must not change how a session thinks.
      const facts = known?.facts ?? UNKNOWN_MODEL;
      this.#facts.set(model, { until: this.#effects.clock.now() + KEEP_FAILURE_MS, facts });
      return facts;
    }
  }

  async #fetch(signal: AbortSignal | undefined): Promise<ModelInfo[]> {
    const models: ModelInfo[] = [];
    for await (const model of this.#source.list(null, { timeout: LOOKUP_MS, ...(signal === undefined ? {} : { signal }) })) {
      models.push({ id: model.id, name: model.display_name ?? model.id, efforts: factsOf(model).efforts });
      if (models.length >= MOST_MODELS) break;
    }
    this.#list = { until: this.#effects.clock.now() + KEEP_MS, models };
    this.#chosen ??= models[0]?.id ?? null;
    return models;
  }
}
