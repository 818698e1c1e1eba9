/**
 * The model, as the runner sees it: one attempt of one provider request at a time. Retrying, sealing and tools are the
 * runner's; the wire's bytes and the provider's quirks are the agent's.
 */
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import type { Effort, LogRecord, UsageData } from '#shared/protocol/records.ts';
import type { ModelInfo } from '#shared/protocol/summaries.ts';
import type { ToolSpec } from '#shared/tool-spec.ts';

export interface StepRequest {
  /** All records of the session with their data in full, oldest first, up to the safe boundary; holds a `wire-header`. */
  records: readonly LogRecord[];
  model: string;
  effort: Effort | null;
  attempt: number;
}

export type StopReason = 'end_turn' | 'tool_use' | 'max_tokens' | 'pause_turn' | 'refusal' | 'window_exceeded' | 'unknown';

export interface StepAnswer {
  stop: StopReason;
  /** What a refusal or an unknown stop said. */
  detail: string | null;
  usage: UsageData;
  /** A rejected thinking block was left out and the request then worked: append `thinking-off {to: head}` (WIRE 2). */
  thinkingOff: boolean;
}

/** An attempt that failed. `sawOutput`: some block had begun, so what was shown is sealed as interrupted. */
export class ProviderError extends Error {
  readonly code: string;
  readonly status: number | null;
  readonly retryable: boolean;
  /** Milliseconds the provider asked for, all of which are obeyed. */
  readonly retryAfter: number | null;
  readonly usage: UsageData | null;
  constructor(
    code: string,
    message: string,
    facts: { status?: number | null; retryable: boolean; retryAfter?: number | null; usage?: UsageData | null; cause?: unknown },
  ) {
    super(message, { cause: facts.cause });
    this.name = 'ProviderError';
    this.code = code;
    this.status = facts.status ?? null;
    this.retryable = facts.retryable;
    this.retryAfter = facts.retryAfter ?? null;
    this.usage = facts.usage ?? null;
  }
}

export interface Agent {
  /** Where it talks to, in one plain phrase: "Anthropic", a base URL, "the built-in demo model". */
  readonly label: string;
  readonly demo: boolean;
  /** Hash of the base URL: thinking signed by another source is not replayed. */
  readonly source: string;
  readonly defaultModel: string;
  models(): Promise<ModelInfo[]>;
  /** The frozen head of a session's wire: written once as a `wire-header` event before its first request. */
  header(tools: readonly ToolSpec[], facts: { workspace: string }): { system: string; tools: unknown[] };
  /**
   * One request. Events come through `emit` in order, without `step-start`, which is the runner's. Ends with the answer, or
   * throws `ProviderError`; after `signal` aborts it throws within a tick, whatever the provider does.
   */
  attempt(request: StepRequest, signal: AbortSignal, emit: (event: StepEvent) => void): Promise<StepAnswer>;
  close(): Promise<void>;
}
