/** The hand that writes one answer of the double: SSE events, or a failure, in the order a test asks for. */
import type { ServerResponse } from 'node:http';
import { signedLine, type WireBlock } from './lines.ts';
import { sign } from './rules.ts';

export interface Pace {
  /** Deltas the content is cut into; default one a word (text, thinking) or 7 characters (arguments). */
  deltas?: number;
  /** Milliseconds between deltas. */
  wait?: number;
}

export interface ReplyFacts {
  model: string;
  secret: string;
  covered: string[];
  lastRole: string;
  issue(signature: string, before: string | null): void;
  newId(prefix: string): string;
}

export class Reply {
  /** The client went away before the answer was done. */
  aborted = false;
  done = false;
  stopReason: string | null = null;
  readonly #response: ServerResponse;
  readonly #facts: ReplyFacts;
  #index = 0;
  #output = 0;
  #calls = 0;
  #lines: string[];
  #signature: string | null = null;

  constructor(response: ServerResponse, facts: ReplyFacts) {
    this.#response = response;
    this.#facts = facts;
    this.#lines = [...facts.covered, ...(facts.lastRole === 'assistant' ? [] : ['assistant'])];
    response.on('close', () => {
      if (!this.done) this.aborted = true;
    });
  }

  /** An HTTP error instead of an answer. */
  fail(status: number, type: string, message: string, headers: Record<string, string> = {}): void {
    this.done = true;
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.#response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: this.#facts.newId('req') }));
  }

  /** Any event, verbatim; the first one opens the stream. */
  send(type: string, data: Record<string, unknown>): void {
    if (this.aborted || this.done) return;
    if (!this.#response.headersSent) this.#response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    this.#response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
  }

  /** `message_start`; sent by the first block when a script does not. */
  start(usage: Record<string, number | null> = {}): void {
    if (this.#response.headersSent) return;
    this.send('message_start', {
      message: {
        id: this.#facts.newId('msg'),
        type: 'message',
        role: 'assistant',
        model: this.#facts.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 10, output_tokens: 1, cache_creation_input_tokens: 20, cache_read_input_tokens: 100, ...usage },
      },
    });
  }

  async text(text: string, pace: Pace = {}): Promise<void> {
    const at = this.open({ type: 'text', text: '' });
    await this.#deltas(cutWords(text, pace.deltas), pace, (piece) => this.delta(at, { type: 'text_delta', text: piece }));
    this.close(at);
    this.#note({ type: 'text', text });
  }

  /** Signed unless said otherwise; the signature is bound to everything before it. */
  async thinking(thinking: string, options: Pace & { signed?: boolean } = {}): Promise<void> {
    const at = this.open({ type: 'thinking', thinking: '', signature: '' });
    await this.#deltas(cutWords(thinking, options.deltas), options, (piece) => this.delta(at, { type: 'thinking_delta', thinking: piece }));
    if (options.signed !== false) {
      const signature = sign(this.#facts.secret, this.#lines, thinking);
      this.#facts.issue(signature, this.#signature);
      this.#signature = signature;
      this.delta(at, { type: 'signature_delta', signature });
      this.#note({ type: 'thinking', thinking, signature });
    }
    this.close(at);
  }

  redacted(data: string): void {
    this.close(this.open({ type: 'redacted_thinking', data }));
    this.#note({ type: 'redacted_thinking', data });
  }

  /** `input` as an object, or the exact argument text. `cut`: the block ends never, after that many characters. */
  async tool(name: string, input: Record<string, unknown> | string, options: Pace & { id?: string; cut?: number } = {}): Promise<void> {
    const id = options.id ?? this.#facts.newId('toolu');
    const at = this.open({ type: 'tool_use', id, name, input: {} });
    const json = typeof input === 'string' ? input : JSON.stringify(input);
    const shown = options.cut === undefined ? json : json.slice(0, options.cut);
    await this.#deltas(cutEvery(shown, options.deltas), options, (piece) =>
      this.delta(at, { type: 'input_json_delta', partial_json: piece }),
    );
    this.#calls++;
    if (options.cut !== undefined) return;
    this.close(at);
    this.#note({ type: 'tool_use', id, name, input: typeof input === 'string' ? safeObject(input) : input });
  }

  /** Opens a block at the next index and answers it. */
  open(block: WireBlock, index = this.#index): number {
    this.start();
    this.#index = index + 1;
    this.send('content_block_start', { index, content_block: block });
    return index;
  }
  delta(index: number, delta: Record<string, unknown>): void {
    this.#output++;
    this.send('content_block_delta', { index, delta });
  }
  close(index: number): void {
    this.send('content_block_stop', { index });
  }
  ping(): void {
    this.start();
    this.send('ping', {});
  }

  /** An `error` event inside the 200 stream. */
  error(type = 'overloaded_error', message = 'Overloaded'): void {
    this.start();
    this.send('error', { error: { type, message } });
    this.finish();
  }

  /** Ends the message. `delta`: further fields of `message_delta.delta`, such as `stop_details`. */
  end(stopReason: string | null = this.#calls > 0 ? 'tool_use' : 'end_turn', delta: Record<string, unknown> = {}): void {
    this.start();
    this.stopReason = stopReason;
    this.send('message_delta', {
      delta: { stop_reason: stopReason, stop_sequence: null, ...delta },
      usage: { output_tokens: this.#output + 1, input_tokens: null, cache_creation_input_tokens: null, cache_read_input_tokens: null },
    });
    this.send('message_stop', {});
    this.finish();
  }

  /** Ends the connection in good order, with no `message_stop`. */
  finish(): void {
    this.done = true;
    if (!this.#response.writableEnded) this.#response.end();
  }
  /** Cuts the connection. */
  drop(): void {
    this.done = true;
    this.#response.destroy();
  }
  /** Never another byte; resolves when the client goes away. */
  silence(): Promise<void> {
    this.start();
    return new Promise((resolve) => {
      if (this.#response.closed) resolve();
      else this.#response.once('close', resolve);
    });
  }
  wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(resolve, ms);
    });
  }

  #note(block: WireBlock): void {
    const line = signedLine(block);
    if (line !== null) this.#lines.push(line);
  }
  async #deltas(pieces: string[], pace: Pace, send: (piece: string) => void): Promise<void> {
    for (const [at, piece] of pieces.entries()) {
      if (this.aborted) return;
      send(piece);
      if (pace.wait !== undefined) await this.wait(pace.wait);
      else if (at % 64 === 63) await this.wait(0);
    }
  }
}

function cutWords(text: string, deltas: number | undefined): string[] {
  return deltas === undefined ? (text.match(/\s*\S+\s*/g) ?? (text === '' ? [] : [text])) : cutEvery(text, deltas);
}
function cutEvery(text: string, deltas: number | undefined): string[] {
  const size = deltas === undefined ? 7 : Math.max(1, Math.ceil(text.length / deltas));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
function safeObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json === '' ? '{}' : json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // not JSON: replayed under the key below
  }
  return { INVALID_JSON: json };
}
