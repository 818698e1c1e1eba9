/** One chunk → the block it is on the wire (WIRE 1, the table). Pure; null: the chunk is no part of the wire. */
import { isDeeperThan } from '#shared/plain.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { isBlank } from '#shared/text.ts';
import type { ContentPart } from '#shared/protocol/content.ts';
import type { ChunkDataByType } from '#shared/protocol/records.ts';
import type { WireBlock, WireProfile } from './wire-types.ts';

export function textBlock(data: ChunkDataByType['text'], profile: WireProfile): WireBlock | null {
  if (isBlank(data.text)) return null;
  const block: WireBlock = { type: 'text', text: data.text.toWellFormed() };
  if (profile === 'anthropic' && data.citations !== undefined && data.citations.length > 0) block['citations'] = wellFormed(data.citations);
  return block;
}

/** Signed thinking goes back verbatim, empty text too; unsigned is for the reader only. */
export function thinkingBlock(data: ChunkDataByType['thinking'], source: string): WireBlock | null {
  if (data.signature === undefined || data.signature === '' || data.source !== source) return null;
  // Text that cannot be sent as it was signed cannot be sent at all.
  if (!data.text.isWellFormed()) return null;
  return { type: 'thinking', thinking: data.text, signature: data.signature };
}

export function callBlock(data: ChunkDataByType['tool_call'], profile: WireProfile): WireBlock {
  const block: WireBlock = { type: 'tool_use', id: data.callId, name: wireName(data.name), input: inputOf(data.args) };
  if (profile === 'anthropic' && data.caller !== undefined) block['caller'] = wellFormed(data.caller);
  return block;
}

export function resultBlock(data: ChunkDataByType['tool_result']): WireBlock {
  const text = data.content.map((part) => part.text).join('\n');
  const block: WireBlock = { type: 'tool_result', tool_use_id: data.callId, content: isBlank(text) ? '(no output)' : text.toWellFormed() };
  if (data.isError) block['is_error'] = true;
  return block;
}

/** A prompt's blocks: its attachments first, then its words. */
export function promptBlocks(content: readonly ContentPart[]): WireBlock[] {
  const attached = content.flatMap((part) =>
    part.type === 'attachment'
      ? [{ type: 'text', text: `[Attached: ${part.name.toWellFormed()} (${part.mime}); its content is not shown to you]` }]
      : [],
  );
  const words = content.flatMap((part) =>
    part.type === 'text' && !isBlank(part.text) ? [{ type: 'text', text: part.text.toWellFormed() }] : [],
  );
  return [...attached, ...words];
}

/** A block that Cairn does not model, as it came. Plain servers never send one that others would take. */
export function rawBlock(data: ChunkDataByType['raw'], profile: WireProfile): WireBlock | null {
  if (profile === 'plain' || data.replay === false || !isBlock(data.block) || isDeeperThan(data.block, LIMITS.nestedLevels)) return null;
  return wellFormed(data.block) as WireBlock;
}

function isBlock(value: unknown): value is WireBlock {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** A model may make up a tool's name; on the wire it must still match the pattern, or every later request is a 400. */
function wireName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64);
  return clean === '' ? 'unknown' : clean;
}

/** The argument text as an object: exactly what it parses to, or the text itself under a key that says what is wrong. */
function inputOf(args: string): Record<string, unknown> {
  if (isBlank(args)) return {};
  try {
    const value = JSON.parse(args) as unknown;
    if (typeof value === 'object' && value !== null && !Array.isArray(value) && !isDeeperThan(value, LIMITS.nestedLevels))
      return wellFormed(value) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return { INVALID_JSON: args.toWellFormed() };
}

/** A lone surrogate can hide in an escape (`"\ud83d"`): the API refuses it in either form. */
function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (Array.isArray(value)) return value.map(wellFormed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key.toWellFormed(), wellFormed(inner)]));
}
