/** The server's end of a WebSocket that is carried by the simulated network: what `FeedSocket` needs of `ws`, and no more. */
import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';

export interface Wire {
  /** The handshake is done: this is the end to speak to. */
  opened(end: ServerEnd): void;
  /** A frame for the client; `gone` is called when it has left this process. */
  down(text: string, gone: () => void): void;
  ping(): void;
  /** No frame follows. */
  closed(code: number): void;
}

function sessionOf(text: string): string {
  return (JSON.parse(text) as { sessionId: string }).sessionId;
}

export class ServerEnd extends EventEmitter {
  bufferedAmount = 0;
  #open = true;
  /** Sessions whose subscription is on its way: asked for, and not caught up. */
  readonly #coming = new Set<string>();
  readonly #wire: Omit<Wire, 'opened'>;
  constructor(wire: Omit<Wire, 'opened'>) {
    super();
    this.#wire = wire;
  }
  /** As the server's rooms take it. */
  get asWs(): WebSocket {
    return this as unknown as WebSocket;
  }
  send(data: Buffer | string, _options: unknown, sent?: () => void): void {
    if (!this.#open) return sent?.();
    const text = String(data);
    if (this.#coming.size > 0 && /^\{"type":"(caught-up|gap|reset)"/.test(text)) this.#coming.delete(sessionOf(text));
    this.bufferedAmount += text.length;
    this.#wire.down(text, () => {
      this.bufferedAmount -= text.length;
      sent?.();
    });
  }
  ping(): void {
    if (this.#open) this.#wire.ping();
  }
  close(code: number): void {
    this.#end(code);
  }
  terminate(): void {
    this.#end(1006);
  }
  isComing(sessionId: string): boolean {
    return this.#coming.has(sessionId);
  }
  /** From the client. */
  hear(text: string): void {
    if (!this.#open) return;
    if (text.startsWith('{"type":"subscribe"')) this.#coming.add(sessionOf(text));
    this.emit('message', Buffer.from(text), false);
  }
  heardPong(): void {
    if (this.#open) this.emit('pong');
  }
  /** The connection is gone. */
  lost(): void {
    if (!this.#open) return;
    this.#open = false;
    this.emit('close', 1006);
  }
  #end(code: number): void {
    if (!this.#open) return;
    this.#open = false;
    this.#wire.closed(code);
    this.emit('close', code);
  }
}
