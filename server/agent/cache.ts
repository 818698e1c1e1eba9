/**
 * Cache markers (WIRE 3): the system's last block, the last block of the previous request, the last of this one. A
 * marker looks back only 20 blocks; the second makes a step of any size hit what the step before wrote. Never on
 * thinking, which takes none.
 */
import { isThinkingBlock, type Wire, type WireBlock, type WireMessage, type WirePlace } from './wire-types.ts';

const MARKER = { type: 'ephemeral' } as const;

export function systemBlocks(system: string): WireBlock[] {
  return [{ type: 'text', text: system, cache_control: MARKER }];
}

/** The wire's messages with their two markers. */
export function markedMessages(wire: Wire): WireMessage[] {
  const last = wire.messages.length - 1;
  const places = [wire.previousEnd, last < 0 ? null : { message: last, block: wire.messages[last]!.content.length - 1 }];
  const marked = [...wire.messages];
  for (const place of places) {
    const at = place === null ? null : markable(wire.messages, place);
    if (at === null) continue;
    const message = marked[at.message]!;
    marked[at.message] = {
      role: message.role,
      content: message.content.map((block, n) => (n === at.block ? { ...block, cache_control: MARKER } : block)),
    };
  }
  return marked;
}

/** The place itself, or the nearest before it that takes a marker. */
function markable(messages: readonly WireMessage[], place: WirePlace): WirePlace | null {
  for (let message = place.message; message >= 0; message--) {
    const { content } = messages[message]!;
    const from = message === place.message ? place.block : content.length - 1;
    for (let block = from; block >= 0; block--) if (!isThinkingBlock(content[block]!)) return { message, block };
  }
  return null;
}
