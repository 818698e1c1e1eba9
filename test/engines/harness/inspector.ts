/**
 * A client of WebKit's remote inspector (`WEBKIT_INSPECTOR_HTTP_SERVER`). The page's own domains stand behind a target: a message
 * to it is wrapped in `Target.sendMessageToTarget`, and its answers come wrapped the same way. A page that another process takes
 * over is a new target, first provisional.
 */
import { WebSocket } from 'ws';

const READY_WITHIN = 20_000;

interface Message {
  id?: number;
  result?: unknown;
  error?: { message: string };
  method?: string;
  params?: Record<string, unknown> & { targetInfo?: { targetId: string; isProvisional?: boolean } };
}

/** The page that was asked is no more; another takes its place. */
export class GoneTarget extends Error {}

export class Inspector {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #target: string | null = null;
  #last = 0;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.on('message', (data) => this.#hear(JSON.parse(String(data)) as Message));
  }

  /** Waits for the browser's first page. */
  static async open(address: string): Promise<Inspector> {
    const until = Date.now() + READY_WITHIN;
    const later = (): Promise<unknown> => new Promise((done) => setTimeout(done, 50));
    for (;;) {
      const list = await fetch(`http://${address}/`).then(
        (response) => response.text(),
        () => '',
      );
      const page = /\/socket\/\d+\/\d+\/WebPage/.exec(list)?.[0];
      if (page !== undefined) {
        const inspector = new Inspector(new WebSocket(`ws://${address}${page}`));
        while (inspector.#target === null && Date.now() < until) await later();
        if (inspector.#target !== null) return inspector;
      }
      if (Date.now() > until) throw new Error('WebKit shows no page to its inspector');
      await later();
    }
  }

  async call<T>(method: string, params: object = {}): Promise<T> {
    const id = (this.#last += 1);
    const answer = await new Promise<Message>((done, fail) => {
      this.#waiting.set(id, done);
      const message = JSON.stringify({ id, method, params });
      const wrapped = { id: (this.#last += 1), method: 'Target.sendMessageToTarget', params: { targetId: this.#target, message } };
      // A target that is gone says so in the answer to the wrapping.
      this.#waiting.set(wrapped.id, (told) => {
        this.#waiting.delete(wrapped.id);
        if (told.error === undefined) return;
        this.#waiting.delete(id);
        fail(new GoneTarget(told.error.message));
      });
      this.#socket.send(JSON.stringify(wrapped));
    });
    this.#waiting.delete(id);
    if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result as T;
  }

  /** The value of an expression, awaited when it is a promise. */
  async evaluate(expression: string): Promise<unknown> {
    type Told = { result: { objectId?: string; value?: unknown; className?: string }; wasThrown?: boolean };
    const first = await this.call<Told>('Runtime.evaluate', { expression, returnByValue: false });
    if (first.result.className !== 'Promise') return first.result.value;
    const { objectId } = first.result;
    const settled = await this.call<Told>('Runtime.awaitPromise', { promiseObjectId: objectId, returnByValue: true });
    return settled.result.value;
  }

  close(): void {
    this.#socket.terminate();
  }

  #hear(message: Message): void {
    const { method, params } = message;
    if (method === 'Target.targetCreated' && params?.targetInfo?.isProvisional !== true)
      this.#target = params?.targetInfo?.targetId ?? null;
    if (method === 'Target.didCommitProvisionalTarget') this.#target = String(params?.['newTargetId']);
    if (method === 'Target.dispatchMessageFromTarget') this.#hear(JSON.parse(String(params?.['message'])) as Message);
    if (message.id !== undefined) this.#waiting.get(message.id)?.(message);
  }
}
