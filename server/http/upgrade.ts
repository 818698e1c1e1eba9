/** The WebSocket's way in: the same door as every path, before the handshake. A refusal is a plain HTTP answer. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Report } from '#shared/ports.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import type { Door } from '../auth/door.ts';
import type { Hub } from '../sync/hub.ts';
import { knockOf } from './knock.ts';
import { refusalOf } from './refusal.ts';

/** Makes a WebSocket of an upgrade that came through the door. */
export type Handshake = (request: IncomingMessage, socket: Duplex, head: Buffer, then: (ws: WebSocket) => void) => void;

export interface UpgradeParts {
  door: Door;
  hub: Hub;
  epoch: string;
  report: Report;
  /** Resolves once requests may be served. */
  ready: Promise<void>;
  handshake: Handshake;
}

export function overWs(): Handshake {
  // Deltas are small and many: compressing each costs more memory and time than it saves on a home network.
  const server = new WebSocketServer({ noServer: true, maxPayload: LIMITS.frameBytes, perMessageDeflate: false });
  return (request, socket, head, then) => server.handleUpgrade(request, socket, head, then);
}

export function upgradeHandler(parts: UpgradeParts): (request: IncomingMessage, socket: Duplex, head: Buffer) => void {
  return (request, socket, head) => {
    const lost = (error: Error): void => {
      parts.report('upgrade-lost', { error });
      socket.destroy();
    };
    socket.on('error', lost);
    const path = (request.url ?? '').split('?')[0];
    admit(parts, request, path)
      .then((caller) => {
        socket.off('error', lost);
        if (socket.destroyed) return;
        parts.handshake(request, socket, head, (ws) => parts.hub.attach(ws, caller.deviceId));
      })
      .catch((error: unknown) => refuse(parts, socket, error));
  };
}

async function admit({ door, ready }: UpgradeParts, request: IncomingMessage, path: string | undefined) {
  await ready;
  const caller = await door.admit(knockOf(request, true), 'token');
  if (path !== ROUTES.live()) throw new CodedError('not-found', 'There is no WebSocket at that path.');
  return caller;
}

function refuse({ report, epoch }: UpgradeParts, socket: Duplex, error: unknown): void {
  const { status, json } = refusalOf(error, report, 'upgrade');
  const body = JSON.stringify(json);
  const head = [
    `HTTP/1.1 ${status} Refused`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${EPOCH_HEADER}: ${epoch}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
