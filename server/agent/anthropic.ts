/**
 * The model over the Anthropic wire: the one place that imports the SDK. It serves Anthropic, any server that speaks its
 * API, and the demo model, all by the same path.
 *
 * The SDK never retries here (one retry layer, and it is the runner's), never reads the environment or profiles on disk
 * (key and base URL are always given), and only raw events are used: its own accumulation is wrong at index gaps (WIRE 6).
 */
import { createHash } from 'node:crypto';
import Anthropic, { APIConnectionError, APIError, BadRequestError } from '@anthropic-ai/sdk';
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import type { UsageData } from '#shared/protocol/records.ts';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import { CallIds } from './call-ids.ts';
import { inChain, systemCode } from './causes.ts';
import { providerError, type Fault } from './failures.ts';
import { wireHeader } from './header.ts';
import { ModelShelf } from './models.ts';
import { ProviderError, type Agent, type StepAnswer, type StepRequest } from './port.ts';
import { requestBody } from './request.ts';
import { stopOf } from './stops.ts';
import { StreamReader } from './stream.ts';
import { SilenceError, watchedFetch } from './transport.ts';
import { isThinkingBlock, WireError, type Wire, type WireProfile } from './wire-types.ts';
import { buildWire } from './wire.ts';

export interface AgentEffects {
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
}
export interface Endpoint {
  /** Without `/v1`. */
  baseURL: string;
  /** At most one of the two; with neither, a server that asks for none is assumed. */
  apiKey: string | null;
  authToken: string | null;
  profile: WireProfile;
  /** Null: the first model that the server names. */
  model: string | null;
  label: string;
  /** Milliseconds without a byte after which the attempt is dead. Default 120 s, on the plain profile 15 min. */
  silenceMs?: number;
  /** Milliseconds an attempt may take in all, whatever signs of life it gives. Default 60 min. */
  totalMs?: number;
  /** What thinking is said to be signed by; default: a hash of the base URL. */
  source?: string;
}

type Emit = (event: StepEvent) => void;
interface Progress {
  reader: StreamReader | null;
}

const SILENCE: Record<WireProfile, number> = { anthropic: 120_000, plain: 15 * 60_000 };
/** Longer than any answer within the token limits takes: only a stream that lives on pings alone comes to it. */
const TOTAL = 60 * 60_000;

export function createAnthropicAgent(endpoint: Endpoint, effects: AgentEffects): Agent {
  const silenceMs = endpoint.silenceMs ?? SILENCE[endpoint.profile];
  const totalMs = endpoint.totalMs ?? TOTAL;
  const client = new Anthropic({
    baseURL: endpoint.baseURL,
    ...(endpoint.authToken === null ? { apiKey: endpoint.apiKey ?? 'none' } : { authToken: endpoint.authToken }),
    webhookKey: null,
    maxRetries: 0,
    // Silence is watched in the transport, the whole in `attempt`; this only must not come before them.
    timeout: Math.max(silenceMs, totalMs) + 60_000,
    fetch: watchedFetch(effects.timers, silenceMs),
    openTelemetry: false,
    logLevel: 'off',
  });
  const source = endpoint.source ?? sourceOf(endpoint.baseURL);
  const shelf = new ModelShelf(client.models, endpoint, effects);

  /** Opens the stream. A 400 with thinking in the request is tried once more with none (WIRE 2, Repair). */
  async function open(request: StepRequest, model: string, signal: AbortSignal) {
    const facts = await shelf.facts(model, signal);
    const send = (wire: Wire) => {
      const body = requestBody(wire, { profile: endpoint.profile, model, effort: request.effort, facts });
      // The wire's blocks are the API's own JSON; what they may hold is this room's business, not the SDK's types'.
      return client.messages.create(body as unknown as Anthropic.MessageCreateParamsStreaming, { signal });
    };
    const wire = buildWire(request.records, { profile: endpoint.profile, source, thinking: true });
    try {
      return { stream: await send(wire), thinkingOff: false };
    } catch (first) {
      if (!(first instanceof BadRequestError) || !hasThinking(wire)) throw first;
      const bare = buildWire(request.records, { profile: endpoint.profile, source, thinking: false });
      try {
        return { stream: await send(bare), thinkingOff: true };
      } catch (second) {
        effects.report('agent.repair-failed', { error: second });
        throw first;
      }
    }
  }

  /** One attempt. `progress` lets an abort say what the stream had counted by then. */
  async function run(request: StepRequest, signal: AbortSignal, emit: Emit, progress: Progress): Promise<StepAnswer> {
    const model = await shelf.resolve(request.model, signal);
    const { stream, thinkingOff } = await open(request, model, signal);
    const reader = new StreamReader({ model, ids: new CallIds(request.records, effects.random), emit, report: effects.report });
    progress.reader = reader;
    const events = stream[Symbol.asyncIterator]();
    for (;;) {
      const next = await events.next().catch((error: unknown) => {
        reader.end();
        throw error;
      });
      if (next.done === true) break;
      reader.push(next.value as unknown as Record<string, unknown>);
    }
    const end = reader.end();
    if (!end.whole || end.stopReason === null) {
      throw new ProviderError('cut-stream', `${endpoint.label} ended its answer before it was complete`, {
        retryable: true,
        usage: usageOf(progress),
      });
    }
    return { stop: stopOf(end), detail: detailOf(end), usage: end.usage, thinkingOff };
  }

  return {
    label: endpoint.label,
    demo: false,
    source,
    get defaultModel() {
      return shelf.defaultModel;
    },
    models: () => shelf.list(),
    header: (tools, { workspace }) => wireHeader(tools, workspace),
    async attempt(request, signal, emit) {
      const controller = new AbortController();
      const progress: Progress = { reader: null };
      let fault: { error: unknown } | null = null;
      // After the end nothing more is anybody's; and what the listener throws is its own fault, not the provider's.
      const emitOpen: Emit = (event) => {
        if (controller.signal.aborted) return;
        try {
          emit(event);
        } catch (error) {
          fault = { error };
          throw error;
        }
      };
      let giveUp: (code: string, message: string, retryable: boolean) => void = () => controller.abort();
      const given = new Promise<never>((_resolve, reject) => {
        giveUp = (code, message, retryable) => {
          controller.abort();
          reject(new ProviderError(code, message, { retryable, usage: usageOf(progress) }));
        };
      });
      const onAbort = (): void => giveUp('aborted', 'the attempt was stopped', false);
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
      const disarm = effects.timers.after(totalMs, () =>
        giveUp('too-long', `${endpoint.label} did not end its answer within ${Math.round(totalMs / 60_000)} min`, true),
      );
      try {
        return await Promise.race([given, run(request, controller.signal, emitOpen, progress)]);
      } catch (error) {
        throw fault === null ? asProviderError(error, endpoint.label, effects.clock.now(), usageOf(progress)) : error;
      } finally {
        disarm();
        signal.removeEventListener('abort', onAbort);
        controller.abort();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Names a base URL without telling it: the same for every spelling of its end. */
export function sourceOf(baseURL: string): string {
  return createHash('sha256').update(baseURL.replace(/\/+$/, '')).digest('hex').slice(0, 16);
}

/** Counted once a message has started; before that nothing is owed. */
function usageOf({ reader }: Progress): UsageData | null {
  return reader?.started === true ? reader.usage : null;
}

function hasThinking(wire: Wire): boolean {
  return wire.messages.some((message) => message.content.some(isThinkingBlock));
}

function detailOf(end: { stopReason: string | null; stopDetail: string | null }): string | null {
  return end.stopDetail ?? (stopOf({ stopReason: end.stopReason, calls: 0, openServerCalls: 0 }) === 'unknown' ? end.stopReason : null);
}

function asProviderError(error: unknown, label: string, now: number, usage: UsageData | null): Error {
  if (error instanceof ProviderError) return error;
  if (error instanceof WireError) return new ProviderError('wire', error.message, { retryable: false, cause: error });
  const silence = inChain(error, (value): value is SilenceError => value instanceof SilenceError);
  if (silence !== null) return new ProviderError('silence', `${label}: ${silence.message}`, { retryable: true, usage, cause: error });
  return providerError(faultOf(error, label), now, usage);
}

function faultOf(error: unknown, label: string): Fault {
  if (!(error instanceof APIError) || error instanceof APIConnectionError) {
    const code = systemCode(error);
    const message = `the connection to ${label} failed${code === null ? '' : ` (${code})`}`;
    return { kind: 'connection', status: null, type: null, errorCode: null, message, header: () => null, cause: error };
  }
  const status = error.status ?? null;
  return {
    kind: status === null ? 'stream' : 'answer',
    status,
    // A server that says only that something failed in its stream means an error of its own.
    type: error.type ?? (status === null ? 'api_error' : null),
    errorCode: error.errorCode,
    message: `${label}: ${error.apiMessage ?? error.message}`,
    header: (name) => error.headers?.get(name) ?? null,
    cause: error,
  };
}
