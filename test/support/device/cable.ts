/**
 * The network between one tab and a real server: real fetch, real WebSocket, and a hand on the cable. What a test does to it is
 * what real links do: no answer, an answer that is lost after the server acted, a portal that answers for everybody, a
 * socket that says it is open and carries nothing.
 */
import { WebSocket } from 'ws';
import type { Fetch, FetchInit, OpenSocket } from '../../../app/sync/ports.ts';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import type { HttpStand } from '../http-stand.ts';

export interface Call {
  method: string;
  path: string;
  body: string | undefined;
}
/**
 * `pass`, or what happens to a request: `lost`: the server acts, its answer does not arrive; `twice`: the server gets it two times;
 * `hang`: never any answer.
 */
export type Fate = 'pass' | 'no-answer' | 'lost' | 'twice' | 'hang' | { status: number; text: string; headers?: Record<string, string> };

export class Cable {
  readonly calls: Call[] = [];
  stand: HttpStand;
  /** Asked for every request. */
  fate: (call: Call) => Fate = () => 'pass';
  /** Awaited between the server's answer to a request and its arrival here. */
  hold: (call: Call) => Promise<void> = () => Promise.resolve();
  /** No request and no socket gets through. */
  down = false;
  /** Upgrades are refused while requests pass. */
  noSockets = false;
  /** Upgrades go on, and are refused by the server, as for one that is not signed in. */
  signedOut = false;
  readonly #sockets = new Set<WebSocket>();
  #frozen = false;
  /** Frames down, as they arrived. */
  readonly frames: string[] = [];

  constructor(stand: HttpStand) {
    this.stand = stand;
  }

  /** A failure in the server's own words, for a test that speaks in its place. */
  envelope(status: number, code: string, retryable: boolean): Fate {
    return {
      status,
      headers: { [EPOCH_HEADER]: this.stand.store.epoch },
      text: JSON.stringify({ error: { code, message: `scripted ${code}`, retryable } }),
    };
  }

  /** Cuts everything that is open, and keeps it cut. */
  cut(): void {
    this.down = true;
    this.drop();
  }
  mend(): void {
    this.down = false;
    this.#frozen = false;
  }
  /** Ends the sockets that are open; new ones may be made. */
  drop(): void {
    for (const socket of this.#sockets) socket.terminate();
  }
  /** Sockets stay open and carry nothing in either direction; new ones work. */
  freeze(): void {
    this.#frozen = true;
    for (const socket of this.#sockets) socket.pause();
    this.#sockets.clear();
    this.#frozen = false;
  }

  readonly fetch: Fetch = async (path, init) => {
    const call = { method: init.method, path, body: init.body };
    this.calls.push(call);
    const fate = this.down ? 'no-answer' : this.fate(call);
    if (fate === 'no-answer') throw new TypeError('fetch failed');
    if (fate === 'hang') return hang(init.signal);
    if (typeof fate === 'object') {
      const headers = new Map(Object.entries(fate.headers ?? {}));
      return { status: fate.status, headers: { get: (name) => headers.get(name) ?? null }, text: async () => fate.text };
    }
    const [response] = await Promise.all([this.#real(path, init), fate === 'twice' ? this.#real(path, init) : null]);
    await this.hold(call);
    if (fate === 'lost' || this.down) throw new TypeError('the connection was lost');
    return response;
  };
  async #real(path: string, init: FetchInit) {
    const auth = this.signedOut ? {} : this.stand.bearer;
    const { method, body, signal } = init;
    const response = await fetch(this.stand.origin + path, {
      method,
      headers: { ...init.headers, ...auth, origin: this.stand.origin },
      signal,
      ...(body === undefined ? {} : { body }),
    });
    return { status: response.status, headers: response.headers, text: () => response.text() };
  }

  readonly socket: OpenSocket = (listener) => {
    if (this.down || this.noSockets) {
      const timer = setTimeout(() => listener.closed(1006), 1);
      return { send: () => undefined, close: () => clearTimeout(timer) };
    }
    const headers = this.signedOut ? {} : this.stand.bearer;
    const raw = new WebSocket(`ws://${this.stand.host}/api/live`, { headers: { ...headers, origin: this.stand.origin } });
    this.#sockets.add(raw);
    raw.on('open', () => listener.opened());
    raw.on('error', () => undefined);
    raw.on('message', (data) => {
      if (this.#frozen) return;
      const text = String(data);
      this.frames.push(text);
      listener.message(text);
    });
    raw.on('close', (code) => {
      this.#sockets.delete(raw);
      listener.closed(code);
    });
    return { send: (text) => raw.readyState === WebSocket.OPEN && raw.send(text), close: () => raw.terminate() };
  };
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')), { once: true });
  });
}
