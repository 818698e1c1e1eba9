/** The request's body for each profile (WIRE 4), from the wire and what is known of the model. Pure. */
import type { Effort } from '#shared/protocol/records.ts';
import { utf8Length } from '#shared/text.ts';
import { markedMessages, systemBlocks } from './cache.ts';
import type { ModelFacts } from './capabilities.ts';
import { isThinkingBlock, type Wire, type WireBlock, type WireProfile } from './wire-types.ts';

/** The body as it is sent. Sampling fields, `tool_choice`, prefill and threads are never part of it. */
export interface RequestBody {
  model: string;
  max_tokens: number;
  stream: true;
  system: string | WireBlock[];
  tools?: unknown[];
  messages: Wire['messages'];
  thinking?: Record<string, unknown>;
  output_config?: { effort: Effort };
}

export interface RequestFacts {
  profile: WireProfile;
  model: string;
  effort: Effort | null;
  facts: ModelFacts;
}

const DEFAULT_MAX_TOKENS = 8192;
const MOST_TOKENS = 64_000;
const LEAST_ROOM = 1024;
/** Bytes a token has at least, near enough to leave room for an answer. */
const BYTES_PER_TOKEN = 3;
const BUDGET: Record<Effort, number> = { low: 2048, medium: 8192, high: 16_384, xhigh: 24_576, max: 32_768 };

export function requestBody(wire: Wire, { profile, model, effort, facts }: RequestFacts): RequestBody {
  const tools = wire.tools.length === 0 ? {} : { tools: wire.tools };
  const max_tokens = maxTokens(wire, facts);
  if (profile === 'plain') return { model, max_tokens, stream: true, system: wire.system, ...tools, messages: wire.messages };
  const thinking = thinkingConfig(wire, facts, effort, max_tokens);
  return {
    model,
    max_tokens,
    stream: true,
    system: systemBlocks(wire.system),
    ...tools,
    messages: markedMessages(wire),
    ...(thinking === null ? {} : { thinking }),
    ...(effort !== null && facts.efforts.includes(effort) ? { output_config: { effort } } : {}),
  };
}

/** min(model's ?? 8192, 64000, window − estimated input − 1024 if known), and never less than some room to answer. */
export function maxTokens(wire: Pick<Wire, 'system' | 'tools' | 'messages'>, facts: ModelFacts): number {
  const most = Math.min(facts.maxTokens ?? DEFAULT_MAX_TOKENS, MOST_TOKENS);
  if (facts.window === null) return most;
  const input = Math.ceil(utf8Length(JSON.stringify([wire.system, wire.tools, wire.messages])) / BYTES_PER_TOKEN);
  return Math.min(most, Math.max(LEAST_ROOM, facts.window - input - 1024));
}

function thinkingConfig(wire: Wire, facts: ModelFacts, effort: Effort | null, room: number): Record<string, unknown> | null {
  if (facts.thinking === 'adaptive') return { type: 'adaptive', display: 'summarized' };
  if (facts.thinking === null || !loopThinks(wire)) return null;
  // The budget follows the model and the effort only: a budget that moves with the room left would break the cache.
  const budget = Math.min(BUDGET[effort ?? 'medium'], room - 1);
  return budget < 1024 ? null : { type: 'enabled', budget_tokens: budget, display: 'summarized' };
}

/** Models that think only when told to need thinking at the head of a running tool loop: without it, none until the loop ends. */
function loopThinks(wire: Wire): boolean {
  if (wire.messages.at(-1)?.content[0]?.type !== 'tool_result') return true;
  const first = wire.messages.at(-2)?.content[0];
  return first !== undefined && isThinkingBlock(first);
}
