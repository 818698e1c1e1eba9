/**
 * Ids of tool calls. The provider's own is kept when the API would take it back and the session has not seen it; local
 * servers repeat ids or leave them out, and then the call gets one of ours, fixed at the block's start (WIRE 1).
 */
import { isChunk, type LogRecord } from '#shared/protocol/records.ts';
import type { Random } from '#shared/ports.ts';

const PATTERN = /^[a-zA-Z0-9_-]{1,128}$/;

export class CallIds {
  readonly #seen = new Set<string>();
  readonly #random: Random;

  constructor(records: readonly LogRecord[], random: Random) {
    this.#random = random;
    for (const record of records) if (record.kind === 'chunk' && isChunk(record, 'tool_call')) this.#seen.add(record.data.callId);
  }

  take(offered: unknown): string {
    const id = typeof offered === 'string' && PATTERN.test(offered) && !this.#seen.has(offered) ? offered : this.#own();
    this.#seen.add(id);
    return id;
  }

  #own(): string {
    return `call_${Array.from(this.#random.bytes(12), (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  }
}
