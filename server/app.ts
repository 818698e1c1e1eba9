/**
 * Puts the server's rooms together behind one request handler and one upgrade handler. Constructs nothing that touches the
 * world: what it needs is handed in by `main.ts`, or by a test.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import express from 'express';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import { newId } from '#shared/ids.ts';
import { API } from '#shared/protocol/routes.ts';
import type { Agent } from './agent/port.ts';
import { type Allowed, allowedDoors, type Bound } from './auth/allowed.ts';
import { Attempts } from './auth/attempts.ts';
import { Door } from './auth/door.ts';
import { apiRouter } from './http/api.ts';
import { dataHeaders, pageHeaders } from './http/headers.ts';
import type { HttpParts } from './http/parts.ts';
import { shellHandler } from './http/shell.ts';
import { type Handshake, overWs, upgradeHandler } from './http/upgrade.ts';
import type { Runner } from './runner/port.ts';
import type { Store } from './store/port.ts';
import { createHub } from './sync/hub.ts';
import type { Toolbox } from './tools/port.ts';

/** Wrong tokens an address may send before it has to wait. */
const SIGN_IN_LIMIT = { failures: 20, within: 60_000 };

export interface AppParts {
  store: Store;
  runner: Runner;
  agent: Agent;
  toolbox: Toolbox;
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
  /** The owner's token. */
  token: string;
  version: string;
  tls: boolean;
  /** Further exact origins that may speak to us. */
  origins: readonly string[];
  /** The built app, or null. */
  shell: string | null;
  /** Where the server is bound. Asked for when the first request is there. */
  bound(): Bound;
  /** Absent: as `ws` does it. */
  handshake?: Handshake;
  /** Missed records up to which a subscription replays them. Absent: as many as serve people best. */
  replayRecords?: number;
}

export interface App {
  request(request: IncomingMessage, response: ServerResponse): void;
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** The origin that people open, once bound. */
  canonical(): string;
  /** Recovery has been through: requests that came earlier waited for it. */
  open(): void;
  /** Sends every socket away. */
  close(): void;
}

export async function createApp(parts: AppParts): Promise<App> {
  const { store, runner, clock, random, timers, report, token } = parts;
  let open!: () => void;
  const ready = new Promise<void>((resolve) => (open = resolve));
  let doors: Allowed | null = null;
  const allowed = (): Allowed => (doors ??= allowedDoors(parts.bound(), parts.tls, parts.origins));
  const port = (): number => parts.bound().port;
  const door = new Door({ store, clock, report, token, allowed, port });
  const hub = createHub({
    store,
    live: runner,
    clock,
    timers,
    report,
    version: await store.version(),
    boot: { id: newId(clock, random), at: clock.now() },
    replayRecords: parts.replayRecords,
  });
  const http: HttpParts = {
    ...parts,
    door,
    attempts: new Attempts(clock, SIGN_IN_LIMIT),
    port,
    closeDevice: (id) => hub.closeDevice(id),
  };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.enable('strict routing');
  app.use(API, dataHeaders(), (_request, _response, next) => ready.then(() => next()));
  app.use(API, apiRouter(http));
  app.use(pageHeaders(), shellHandler({ dir: parts.shell, allowed }));

  return {
    request: (request, response) => void app(request, response),
    upgrade: upgradeHandler({ door, hub, epoch: store.epoch, report, ready, handshake: parts.handshake ?? overWs() }),
    open,
    canonical: () => allowed().canonical,
    close: () => hub.close(),
  };
}
