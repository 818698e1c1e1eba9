/**
 * The open blocks of a streaming message: provider deltas → step events. Each kind says which deltas it takes; one that it
 * does not take is a stray of a faulty server and changes nothing.
 */
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import { clean, CleanText } from './clean-text.ts';

export type Emit = (event: StepEvent) => void;
export type Fields = Record<string, unknown>;

export interface OpenBlock {
  readonly kind: 'text' | 'thinking' | 'tool' | 'raw';
  /** False: a delta of a kind that this block does not take. */
  delta(delta: Fields): boolean;
  stop(): void;
  /** Cut with no stop: what is held back is passed on, and nothing is ended. */
  cut(): void;
}

const str = (value: unknown): string => (typeof value === 'string' ? value : '');

export function textBlock(i: number, start: Fields, emit: Emit): OpenBlock {
  const text = new CleanText();
  const citations: unknown[] = Array.isArray(start['citations']) ? [...(start['citations'] as unknown[])] : [];
  let shown = false;
  const say = (piece: string): void => {
    if (piece === '') return;
    shown = true;
    emit({ type: 'text-delta', i, text: piece });
  };
  say(text.push(str(start['text'])));
  return {
    kind: 'text',
    delta(delta) {
      if (delta['type'] === 'citations_delta') citations.push(delta['citation']);
      else if (delta['type'] === 'text_delta') say(text.push(str(delta['text'])));
      else return false;
      return true;
    },
    stop() {
      say(text.end());
      // A block with nothing in it is no chunk: it could never be sent back.
      if (shown || citations.length > 0) emit({ type: 'text-end', i, ...(citations.length > 0 ? { citations } : {}) });
    },
    cut: () => say(text.end()),
  };
}

export function thinkingBlock(i: number, start: Fields, emit: Emit): OpenBlock {
  const text = new CleanText();
  let signature = str(start['signature']);
  let shown = false;
  const say = (piece: string): void => {
    if (piece === '') return;
    shown = true;
    emit({ type: 'thinking-delta', i, text: piece });
  };
  say(text.push(str(start['thinking'])));
  return {
    kind: 'thinking',
    delta(delta) {
      // A signature comes whole: a second one replaces the first.
      if (delta['type'] === 'signature_delta') signature = str(delta['signature']);
      else if (delta['type'] === 'thinking_delta') say(text.push(str(delta['thinking'])));
      else return false;
      return true;
    },
    stop() {
      say(text.end());
      // Signed thinking is kept with no words too: it must go back as it came.
      if (shown || signature !== '') emit({ type: 'thinking-end', i, ...(signature === '' ? {} : { signature }) });
    },
    cut: () => say(text.end()),
  };
}

export function toolBlock(i: number, start: Fields, callId: string, emit: Emit): OpenBlock {
  const text = new CleanText();
  let any = false;
  const say = (piece: string): void => {
    if (piece === '') return;
    any = true;
    emit({ type: 'tool-call-args', i, text: piece });
  };
  emit({ type: 'tool-call-start', i, callId, name: clean(str(start['name'])), ...callerOf(start) });
  return {
    kind: 'tool',
    delta(delta) {
      if (delta['type'] !== 'input_json_delta') return false;
      say(text.push(str(delta['partial_json'])));
      return true;
    },
    stop() {
      say(text.end());
      // Some servers send the input whole at the start, and a call without arguments streams none.
      if (!any) say(JSON.stringify(isObject(start['input']) ? start['input'] : {}));
      emit({ type: 'tool-call-end', i });
    },
    cut: () => say(text.end()),
  };
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function callerOf(start: Fields): { caller?: unknown } {
  return start['caller'] === undefined || start['caller'] === null ? {} : { caller: start['caller'] };
}

/** A block that Cairn does not model: kept whole, and sent back only when every delta of it was understood. */
export function rawBlock(i: number, start: Fields, emit: Emit): OpenBlock {
  let json = '';
  let replay = true;
  return {
    kind: 'raw',
    delta(delta) {
      if (delta['type'] === 'input_json_delta') json += str(delta['partial_json']);
      else replay = false;
      return true;
    },
    stop() {
      const block = { ...start };
      if (json !== '') {
        try {
          block['input'] = JSON.parse(json) as unknown;
        } catch (error) {
          if (!(error instanceof SyntaxError)) throw error;
          replay = false;
        }
      }
      emit({ type: 'raw', i, block, ...(replay ? {} : { replay: false }) });
    },
    cut: () => undefined,
  };
}
