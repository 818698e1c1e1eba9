/** One demo answer as Anthropic stream events, at a human pace. */
import { createHmac } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Timers } from '#shared/ports.ts';
import type { DemoAnswer } from './answer.ts';

export interface DemoStream {
  response: ServerResponse;
  timers: Timers;
  /** Milliseconds between two words; 0: as fast as it goes. */
  paceMs: number;
  model: string;
  /** Names the answer: the same request gets the same ids. */
  tag: string;
  inputTokens: number;
}

export async function streamAnswer(answer: DemoAnswer, stream: DemoStream): Promise<void> {
  const { response, tag } = stream;
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  let index = 0;
  let words = 0;
  const send = (type: string, data: Record<string, unknown>): void => {
    response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  };
  const block = async (start: Record<string, unknown>, pieces: readonly string[], delta: (piece: string) => Record<string, unknown>) => {
    send('content_block_start', { index, content_block: start });
    for (const piece of pieces) {
      if (response.destroyed) return;
      send('content_block_delta', { index, delta: delta(piece) });
      words++;
      await pause(stream);
    }
  };
  send('message_start', {
    message: {
      id: `msg_${tag}`,
      type: 'message',
      role: 'assistant',
      model: stream.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: stream.inputTokens, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
    },
  });
  if (answer.thinking !== '') {
    await block({ type: 'thinking', thinking: '', signature: '' }, wordsOf(answer.thinking), (thinking) => ({
      type: 'thinking_delta',
      thinking,
    }));
    send('content_block_delta', { index, delta: { type: 'signature_delta', signature: signatureOf(answer.thinking) } });
    send('content_block_stop', { index: index++ });
  }
  await block({ type: 'text', text: '' }, wordsOf(answer.text), (text) => ({ type: 'text_delta', text }));
  send('content_block_stop', { index: index++ });
  if (answer.call !== null) {
    const args = JSON.stringify(answer.call.input);
    const pieces = args.match(/[\s\S]{1,12}/g) ?? [];
    await block({ type: 'tool_use', id: `toolu_${tag}`, name: answer.call.name, input: {} }, pieces, (partial_json) => ({
      type: 'input_json_delta',
      partial_json,
    }));
    send('content_block_stop', { index: index++ });
  }
  const stop_reason = answer.call === null ? 'end_turn' : 'tool_use';
  send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: words } });
  send('message_stop', {});
  response.end();
}

/** A word with the space around it, so that the pieces joined are the text. */
function wordsOf(text: string): string[] {
  return text.match(/\s*\S+\s*/g) ?? [];
}

/** Deterministic and no secret: it only has to come back as it went out. */
function signatureOf(thinking: string): string {
  return createHmac('sha256', 'cairn-demo').update(thinking).digest('base64');
}

function pause({ timers, paceMs, response }: DemoStream): Promise<void> {
  if (paceMs <= 0 && !response.writableNeedDrain) return Promise.resolve();
  return new Promise((resolve) => {
    timers.after(paceMs, resolve);
  });
}
