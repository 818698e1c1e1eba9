/** A client of WebDriver BiDi: commands with their answers, and what the browser tells unasked. */
import { WebSocket } from 'ws';

interface Answer {
  id?: number | null;
  type: 'success' | 'error' | 'event';
  result?: unknown;
  error?: string;
  message?: string;
  method?: string;
  params?: unknown;
}

export class Bidi {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  readonly #onEvent: (method: string, params: unknown) => void;
  #last = 0;

  private constructor(socket: WebSocket, onEvent: (method: string, params: unknown) => void) {
    this.#socket = socket;
    this.#onEvent = onEvent;
    socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as Answer));
    socket.on('close', () => {
      for (const done of this.#waiting.values()) done({ type: 'error', error: 'closed', message: 'the browser is gone' });
    });
  }

  static async open(url: string, onEvent: (method: string, params: unknown) => void): Promise<Bidi> {
    const socket = new WebSocket(url);
    await new Promise<void>((done, fail) => {
      socket.once('open', done);
      socket.once('error', fail);
    });
    return new Bidi(socket, onEvent);
  }

  async call<T>(method: string, params: object = {}): Promise<T> {
    const id = (this.#last += 1);
    const answer = await new Promise<Answer>((done) => {
      this.#waiting.set(id, done);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    this.#waiting.delete(id);
    if (answer.type === 'error') throw new Error(`${method}: ${answer.error}: ${answer.message}`);
    return answer.result as T;
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear(answer: Answer): void {
    if (answer.type === 'event') this.#onEvent(answer.method ?? '', answer.params);
    else if (typeof answer.id === 'number') this.#waiting.get(answer.id)?.(answer);
  }
}
