/**
 * The provider's raw events → step events, usage and the stop (WIRE 6). Folded, the events give exactly the message.
 * Keyed by the provider's index, placed by the order of starts, so that gaps in the index make none in the message.
 */
import type { Report } from '#shared/ports.ts';
import type { UsageData } from '#shared/protocol/records.ts';
import { rawBlock, textBlock, thinkingBlock, toolBlock, type Emit, type Fields, type OpenBlock } from './blocks.ts';
import type { CallIds } from './call-ids.ts';

export interface StreamEnd {
  /** `message_stop` came, and every tool block had ended. */
  whole: boolean;
  stopReason: string | null;
  stopDetail: string | null;
  usage: UsageData;
  calls: number;
  openServerCalls: number;
}

export class StreamReader {
  /** `message_start` came: usage is owed. */
  started = false;
  readonly #emit: Emit;
  readonly #ids: CallIds;
  readonly #report: Report;
  readonly #open = new Map<number, OpenBlock>();
  readonly #serverCalls = new Set<unknown>();
  readonly #usage: UsageData;
  #next = 0;
  #calls = 0;
  #cutCalls = 0;
  #stopped = false;
  #stopReason: string | null = null;
  #stopDetail: string | null = null;

  constructor(parts: { model: string; ids: CallIds; emit: Emit; report: Report }) {
    this.#emit = parts.emit;
    this.#ids = parts.ids;
    this.#report = parts.report;
    this.#usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, model: parts.model };
  }

  push(event: Fields): void {
    switch (event['type']) {
      case 'message_start': {
        const message = fields(event['message']);
        this.started = true;
        if (typeof message['model'] === 'string' && message['model'] !== '') this.#usage.model = message['model'];
        return this.#count(fields(message['usage']));
      }
      case 'content_block_start':
        return this.#start(indexOf(event), fields(event['content_block']));
      case 'content_block_delta':
        return this.#delta(indexOf(event), fields(event['delta']));
      case 'content_block_stop':
        return this.#stop(indexOf(event));
      case 'message_delta':
        this.#ended(fields(event['delta']));
        return this.#count(fields(event['usage']));
      case 'message_stop':
        this.#stopped = true;
        return;
      default:
      // An event that a newer API sends: nothing here depends on it.
    }
  }

  /** No more events come. Blocks still open are closed where that is safe: a call whose end was not said stays open. */
  end(): StreamEnd {
    for (const block of this.#open.values()) this.#closeUnsaid(block, this.#stopped);
    this.#open.clear();
    return {
      whole: this.#stopped && this.#cutCalls === 0,
      stopReason: this.#stopReason,
      stopDetail: this.#stopDetail,
      usage: this.usage,
      calls: this.#calls,
      openServerCalls: this.#serverCalls.size,
    };
  }

  get usage(): UsageData {
    return { ...this.#usage };
  }

  #start(index: number, block: Fields): void {
    const before = this.#open.get(index);
    if (before !== undefined) {
      this.#report('agent.block-restarted', { index });
      this.#closeUnsaid(before, true);
    }
    const i = this.#next++;
    switch (block['type']) {
      case 'text':
        return void this.#open.set(index, textBlock(i, block, this.#emit));
      case 'thinking':
        return void this.#open.set(index, thinkingBlock(i, block, this.#emit));
      case 'tool_use':
        this.#calls++;
        return void this.#open.set(index, toolBlock(i, block, this.#ids.take(block['id']), this.#emit));
      default:
        if (block['type'] === 'server_tool_use') this.#serverCalls.add(block['id']);
        else this.#serverCalls.delete(block['tool_use_id']);
        this.#open.set(index, rawBlock(i, block, this.#emit));
    }
  }

  #delta(index: number, delta: Fields): void {
    const block = this.#open.get(index);
    if (block === undefined || !block.delta(delta))
      this.#report('agent.stray-delta', { index, kind: block?.kind ?? null, delta: delta['type'] });
  }

  #stop(index: number): void {
    const block = this.#open.get(index);
    if (block === undefined) return this.#report('agent.stray-stop', { index });
    this.#open.delete(index);
    block.stop();
  }

  /** A block whose stop never came. A call is only ever cut: nobody may run arguments whose end was not said (B27). */
  #closeUnsaid(block: OpenBlock, orderly: boolean): void {
    if (block.kind === 'tool') this.#cutCalls++;
    if (orderly && (block.kind === 'text' || block.kind === 'thinking')) block.stop();
    else block.cut();
  }

  #ended(delta: Fields): void {
    if (typeof delta['stop_reason'] === 'string') this.#stopReason = delta['stop_reason'];
    const details = fields(delta['stop_details']);
    const said = details['explanation'] ?? details['category'];
    if (typeof said === 'string' && said !== '') this.#stopDetail = said;
  }

  /** Counts are running totals: a later value replaces the one before, and null says nothing. */
  #count(usage: Fields): void {
    const take = (key: 'input' | 'output' | 'cacheRead' | 'cacheWrite', value: unknown): void => {
      if (typeof value === 'number') this.#usage[key] = value;
    };
    take('input', usage['input_tokens']);
    take('output', usage['output_tokens']);
    take('cacheRead', usage['cache_read_input_tokens']);
    take('cacheWrite', usage['cache_creation_input_tokens']);
  }
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

/** -1 when a faulty server left it out: such events still find each other. */
function indexOf(event: Fields): number {
  return typeof event['index'] === 'number' ? event['index'] : -1;
}
