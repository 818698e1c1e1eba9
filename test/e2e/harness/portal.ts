/** A captive portal at the address of a link that is refused: somebody who answers everything, and is not Cairn (R1). */
import http from 'node:http';
import type { LinkProxy } from './link-proxy.ts';

export type PortalKind = 'page' | 'redirect' | 'sign-on';
const ANSWERS: Record<PortalKind, { status: number; headers: Record<string, string>; body: string }> = {
  page: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html><body>Welcome to our Wi-Fi</body></html>' },
  redirect: { status: 302, headers: { location: '/welcome' }, body: '' },
  'sign-on': {
    status: 511,
    headers: { 'content-type': 'application/json' },
    body: '{"error":{"code":"too-large","message":"no","retryable":false}}',
  },
};

export class Portal {
  kind: PortalKind;
  /** What was asked of it, as `METHOD path`. */
  readonly asked: string[] = [];
  readonly #server: http.Server;
  readonly #link: LinkProxy;

  private constructor(link: LinkProxy, kind: PortalKind) {
    this.#link = link;
    this.kind = kind;
    const answer = (request: http.IncomingMessage): { status: number; headers: Record<string, string>; body: string } => {
      this.asked.push(`${request.method} ${request.url}`);
      return ANSWERS[this.kind];
    };
    this.#server = http.createServer((request, response) => {
      const { status, headers, body } = answer(request);
      response.writeHead(status, { ...headers, connection: 'close' }).end(body);
    });
    this.#server.on('upgrade', (request, socket) => {
      const { status } = answer(request);
      socket.end(`HTTP/1.1 ${status} Portal\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`);
    });
  }

  /** Takes the link's place. */
  static async before(link: LinkProxy, kind: PortalKind): Promise<Portal> {
    await link.refuse();
    const portal = new Portal(link, kind);
    await new Promise<void>((done) => portal.#server.listen(link.port, '127.0.0.1', done));
    return portal;
  }
  /** The user signed on to the network: the link is what it was. */
  async pass(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
    await this.#link.accept();
  }
}
