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

/** Asks once for each process of the server: what it serves with is fixed when it starts. */
export class ModelWatch {
  readonly #http: Http;
  readonly #told: (facts: ModelFacts) => void;
  /** The process that has said it. */
  #said: string | null = null;

  constructor(http: Http, told: (facts: ModelFacts) => void) {
    this.#http = http;
    this.#told = told;
  }
  /** `boot`: the process that greeted; absent: an older server does not say which it is. */
  async greeted(boot: string | undefined): Promise<void> {
    if (boot !== undefined && boot === this.#said) return;
    const answer = await this.#http.ask('GET', ROUTES.models());
    const facts = answer.kind === 'ok' ? modelFacts(answer.value as ModelsAnswer) : null;
    if (facts === null) return;
    this.#said = boot ?? null;
    this.#told(facts);
  }
}

function modelFacts({ models, default: standard, provider }: ModelsAnswer): ModelFacts | null {
  if (provider === undefined) return null;
  const name = models?.find(({ id }) => id === standard)?.name;
  return { ...provider, name: name ?? provider.label };
}
