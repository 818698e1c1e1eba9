/**
 * A request as lines, which is how law 11 and the thinking signatures compare: tools, system, then the role (on change)
 * and each block's JSON, without cache markers.
 */

export interface WireBlock {
  type: string;
  [field: string]: unknown;
}
export interface WireMessage {
  role: string;
  content: string | WireBlock[];
}
export interface WireBody {
  model?: string;
  max_tokens?: number;
  stream?: boolean;
  system?: string | WireBlock[];
  tools?: Record<string, unknown>[];
  messages: WireMessage[];
  thinking?: { type: string; budget_tokens?: number; [field: string]: unknown };
  output_config?: { effort?: string };
  [field: string]: unknown;
}

/** Blocks of a message, a string counted as its one text block. */
export function blocksOf(message: WireMessage): WireBlock[] {
  return typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;
}

const unmarked = (block: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(block).filter(([key]) => key !== 'cache_control'));

/** The head of a request: tools and system. */
export function headLines(body: WireBody): string[] {
  const tools = (body.tools ?? []).map((tool) => JSON.stringify(unmarked(tool)));
  const system =
    typeof body.system === 'string' ? [JSON.stringify(body.system)] : (body.system ?? []).map((b) => JSON.stringify(b['text']));
  return [...tools, ...system];
}

/** Every line of a request, byte for byte. Request n's must be a prefix of request n+1's. */
export function wireLines(body: WireBody): string[] {
  const lines = headLines(body);
  let role = '';
  for (const message of body.messages) {
    if (message.role !== role) lines.push((role = message.role));
    for (const block of blocksOf(message)) lines.push(JSON.stringify(unmarked(block)));
  }
  return lines;
}

/** JSON with sorted keys: what a signature covers, so that key order alone never breaks one. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** The line that a block adds to what later signatures cover; null for a blank text, which no request may hold. */
export function signedLine(block: WireBlock): string | null {
  if (block.type === 'text' && String(block['text']).trim() === '') return null;
  return canonical(unmarked(block));
}
