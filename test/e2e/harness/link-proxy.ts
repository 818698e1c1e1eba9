/**
 * A TCP proxy between browser and server. Chromium's own offline switch leaves open sockets flowing, so a link is cut for
 * real here: frozen (nothing passes, nothing is closed), cut (every connection reset) or refused (nobody listens).
 */
import net from 'node:net';

export class LinkProxy {
  readonly port: number;
  readonly #target: number;
  readonly #pairs = new Set<[net.Socket, net.Socket]>();
  #server: net.Server;
  #frozen = false;
  #held = false;
  /** Connections made so far: tells a reconnect from a survivor. */
  accepted = 0;
  /** Carried so far, from and to the browser, headers and handshakes included. */
  readonly bytes = { up: 0, down: 0 };

  private constructor(server: net.Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (client) => this.#join(client));
  }

  static async start(target: number): Promise<LinkProxy> {
    const server = net.createServer();
    await listen(server, 0);
    return new LinkProxy(server, (server.address() as net.AddressInfo).port, target);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Nothing passes either way, and no end is told: what a phone asleep or a dead router looks like. New connections too. */
  freeze(): void {
    this.#frozen = true;
    this.freezeOpen();
  }
  /** Only the connections open now die silently; new ones pass: a sleep that is over. */
  freezeOpen(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.pause();
  }
  /** Requests still reach the server; no answer comes back. */
  holdAnswers(): void {
    this.#held = true;
    for (const [, upstream] of this.#pairs) upstream.pause();
  }
  /** Ends `freeze` and `holdAnswers`. */
  thaw(): void {
    this.#frozen = false;
    this.#held = false;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }
  /** Resets every connection; new ones are taken. */
  cut(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.resetAndDestroy();
    this.#pairs.clear();
  }
  /** Cuts, and refuses new connections until `accept`. */
  async refuse(): Promise<void> {
    const closed = new Promise<void>((done) => this.#server.close(() => done()));
    this.cut();
    await closed;
  }
  async accept(): Promise<void> {
    const server = net.createServer((client) => this.#join(client));
    await listen(server, this.port);
    this.#server = server;
  }
  async close(): Promise<void> {
    if (this.#server.listening) await this.refuse();
  }

  #join(client: net.Socket): void {
    this.accepted += 1;
    const upstream = net.connect({ host: '127.0.0.1', port: this.#target });
    const pair: [net.Socket, net.Socket] = [client, upstream];
    this.#pairs.add(pair);
    client.on('data', (data: Buffer) => (this.bytes.up += data.length));
    upstream.on('data', (data: Buffer) => (this.bytes.down += data.length));
    client.pipe(upstream);
    upstream.pipe(client);
    for (const socket of pair) {
      if (this.#frozen || (this.#held && socket === upstream)) socket.pause();
      // The other side went away: expected here, and told by the close that follows.
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        for (const end of pair) end.destroy();
      });
    }
  }
}

function listen(server: net.Server, port: number): Promise<void> {
  return new Promise((done, fail) => {
    server.once('error', fail);
    server.listen(port, '127.0.0.1', () => done());
  });
}

export async function freePort(): Promise<number> {
  const server = net.createServer();
  await listen(server, 0);
  const { port } = server.address() as net.AddressInfo;
  await new Promise<void>((done) => server.close(() => done()));
  return port;
}
