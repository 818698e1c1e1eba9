/** The request's parts as plain data: what the provider's JSON holds, without the SDK's types. */

/** `anthropic`: everything the API knows. `plain`: only what every server that speaks this API takes (WIRE 4). */
export type WireProfile = 'anthropic' | 'plain';

export interface WireBlock {
  type: string;
  [field: string]: unknown;
}
export interface WireMessage {
  role: 'user' | 'assistant';
  content: WireBlock[];
}
/** A block's place: message and block index. */
export interface WirePlace {
  message: number;
  block: number;
}
export interface Wire {
  system: string;
  tools: unknown[];
  messages: WireMessage[];
  /** Last block of the request before this one; null when this is the first. */
  previousEnd: WirePlace | null;
}

/** Records that cannot be made into a valid request. Never the provider's fault, so never retried. */
export class WireError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WireError';
  }
}

export function isThinkingBlock(block: WireBlock): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking';
}
