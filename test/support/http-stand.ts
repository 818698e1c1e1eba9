/**
 * The server's HTTP side as it runs: a real listening server and real sockets over the real SQLite store, with a runner,
 * a model and a toolbox that only note what they are told.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '#shared/ids.ts';
import type { Clock, Random, Timers } from '#shared/ports.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { LiveSnapshot } from '#shared/protocol/summaries.ts';
import type { Agent } from '../../server/agent/port.ts';
import { type App, type AppParts, createApp } from '../../server/app.ts';
import { decisions } from '../../server/inbox/decisions.ts';
import type { LiveFrame, Runner } from '../../server/runner/port.ts';
import type { Claim, Store } from '../../server/store/port.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import type { Toolbox } from '../../server/tools/port.ts';

export const TOKEN = 'a-token-that-only-the-owner-has-0123456789';
export const random: Random = { unit: () => Math.random(), bytes: (n) => randomBytes(n) };
export const clock: Clock = { now: () => Date.now() };
export const uuid = (): string => newId(clock, random);

/** Notes what it is told; streams what a test says. */
export class NotedRunner implements Runner {
  readonly told: string[] = [];
  readonly snapshots = new Map<string, LiveSnapshot>();
  readonly #listeners = new Set<(frame: LiveFrame) => void>();
  wake(sessionId: string): void {
    this.told.push(`wake ${sessionId}`);
  }
  abort(sessionId: string, turnId: string | null): void {
    this.told.push(`abort ${sessionId} ${turnId}`);
  }
  decided(sessionId: string, approvalId: string, decision: string): void {
    this.told.push(`decided ${sessionId} ${approvalId} ${decision}`);
  }
  recover = (): Promise<void> => Promise.resolve();
  idle = (): Promise<void> => Promise.resolve();
  close = (): Promise<void> => Promise.resolve();
  snapshot(sessionId: string): LiveSnapshot | null {
    return this.snapshots.get(sessionId) ?? null;
  }
  onFrame(listener: (frame: LiveFrame) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }
  stream(frame: LiveFrame): void {
    for (const listener of this.#listeners) listener(frame);
  }
}

const notedAgent = (): Agent => ({
  label: 'a noted model',
  demo: true,
  source: 'noted',
  defaultModel: 'noted-1',
  models: () => Promise.resolve([{ id: 'noted-1', name: 'Noted', efforts: [] }]),
  header: () => ({ system: '', tools: [] }),
  attempt: () => Promise.reject(new Error('no turn runs here')),
  close: () => Promise.resolve(),
});

function toolboxOver(root: string): Toolbox {
  return {
    tools: [],
    find: () => undefined,
    workspace: (path) =>
      path === root || path.startsWith(`${root}/`)
        ? Promise.resolve(path)
        : Promise.reject(new CodedError('bad-workspace', 'outside of the roots')),
    folders: (path) => Promise.resolve({ path, parent: null, folders: [{ name: 'work', path: join(root, 'work') }] }),
    close: () => Promise.resolve(),
  };
}

export interface Answered {
  status: number;
  headers: http.IncomingHttpHeaders;
  text: string;
  /** Parsed JSON, or undefined. */
  json: unknown;
}
export interface Asked {
  method?: string;
  path: string;
  headers?: http.OutgoingHttpHeaders | string[];
  body?: string | Buffer;
}

export class HttpStand {
  readonly store: Store;
  readonly runner: NotedRunner;
  readonly agent: Agent;
  readonly app: App;
  readonly folder: string;
  readonly workspace: string;
  readonly reports: string[];
  readonly #server: http.Server;
  constructor(parts: {
    store: Store;
    runner: NotedRunner;
    agent: Agent;
    app: App;
    folder: string;
    workspace: string;
    reports: string[];
    server: http.Server;
  }) {
    this.store = parts.store;
    this.runner = parts.runner;
    this.agent = parts.agent;
    this.app = parts.app;
    this.folder = parts.folder;
    this.workspace = parts.workspace;
    this.reports = parts.reports;
    this.#server = parts.server;
  }
  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }
  get host(): string {
    return `127.0.0.1:${this.port}`;
  }
  get origin(): string {
    return `http://${this.host}`;
  }
  get bearer(): Record<string, string> {
    return { authorization: `Bearer ${TOKEN}` };
  }

  /** One request with exactly these headers, besides what HTTP itself needs. */
  raw({ method = 'GET', path, headers = {}, body }: Asked): Promise<Answered> {
    return new Promise((resolve, reject) => {
      // Node sends a DELETE's body without saying how long it is, which no server can read.
      const chunked = 'transfer-encoding' in headers;
      const length = body === undefined || chunked ? [] : ['content-length', String(Buffer.byteLength(body))];
      const all = [
        ...(Array.isArray(headers) ? headers : Object.entries(headers).flatMap(([name, value]) => [name, String(value)])),
        ...length,
      ];
      const own = all.some((name, at) => at % 2 === 0 && name.toLowerCase() === 'host') ? all : ['host', this.host, ...all];
      const request = http.request({ host: '127.0.0.1', port: this.port, path, method, headers: own, agent: false }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const text = Buffer.concat(pieces).toString('utf8');
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) });
        });
        response.on('error', reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }
  /** As a script with the owner's token. */
  call(method: string, path: string, json?: unknown): Promise<Answered> {
    const headers = json === undefined ? this.bearer : { ...this.bearer, 'content-type': 'application/json' };
    return this.raw({ method, path: `/api${path}`, headers, ...(json === undefined ? {} : { body: JSON.stringify(json) }) });
  }
  /** Signs a browser in; answers its cookie and device id. */
  async device(name = 'a browser'): Promise<{ cookie: string; id: string }> {
    const headers = { origin: this.origin, 'content-type': 'application/json' };
    const answer = await this.raw({ method: 'POST', path: '/api/device', headers, body: JSON.stringify({ token: TOKEN, name }) });
    const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
    return { cookie, id: (answer.json as { device: { id: string } }).device.id };
  }
  async session(): Promise<string> {
    const id = uuid();
    await this.call('PUT', `/sessions/${id}`, { workspace: this.workspace });
    return id;
  }
  /** Admits an input straight at the store: one `admitted` event, one receipt. */
  async admit(sessionId: string, words = 'hello'): Promise<string> {
    const inputId = uuid();
    await this.store.admit({
      sessionId,
      inputId,
      content: [{ type: 'text', text: words }],
      delivery: 'queue',
      payloadHash: inputId,
      composedAt: clock.now(),
      seenSeq: null,
      aimedTurnId: undefined,
      resume: false,
      now: clock.now(),
    });
    return inputId;
  }
  /** Two changes of the session that leave nothing pending. */
  async admitCancelled(sessionId: string): Promise<void> {
    await this.store.cancelInput(sessionId, await this.admit(sessionId), { id: null, now: clock.now() });
  }
  /** Opens a turn on what is pending, for sealing under. */
  async turn(sessionId: string): Promise<{ claim: Claim; turnId: string }> {
    const turnId = uuid();
    await this.admitSteer(sessionId);
    const opened = await this.store.openTurn(sessionId, 'a test', turnId, clock.now(), () => []);
    if (opened === null) throw new Error('nothing opened a turn');
    return { claim: opened.claim, turnId };
  }
  /** Seals one text chunk a word. */
  async seal(claim: Claim, turnId: string, step: number, words: readonly string[]): Promise<LogRecord[]> {
    const rows = words.map((text, i) => ({
      kind: 'chunk' as const,
      id: `${turnId}.${step}.m.${i}`,
      turnId,
      step,
      role: 'assistant' as const,
      type: 'text',
      data: { text },
    }));
    return this.store.seal(claim, rows, clock.now());
  }
  async logOf(sessionId: string): Promise<LogRecord[]> {
    const records: LogRecord[] = [];
    for (;;) {
      const page = await this.store.log(sessionId, records.length, 1000, 1 << 24);
      records.push(...page.records);
      if (records.length >= page.head) return records;
    }
  }
  async close(): Promise<void> {
    this.app.close();
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await this.store.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private async admitSteer(sessionId: string): Promise<void> {
    const inputId = uuid();
    await this.store.admit({
      sessionId,
      inputId,
      content: [{ type: 'text', text: 'go' }],
      delivery: 'steer',
      payloadHash: inputId,
      composedAt: clock.now(),
      seenSeq: null,
      aimedTurnId: undefined,
      resume: null,
      now: clock.now(),
    });
  }
}

/** `over`: parts that a test replaces. `open: false`: as it is before recovery is through. */
export async function openStand(over: Partial<AppParts> = {}, { open = true }: { open?: boolean } = {}): Promise<HttpStand> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-http-'));
  const workspace = join(folder, 'work');
  mkdirSync(workspace);
  const reports: string[] = [];
  const report = (event: string): void => void reports.push(event);
  const timers: Timers = {
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  };
  const store = await openSqliteStore({ folder: join(folder, 'data'), clock, random, report, decisions });
  const runner = new NotedRunner();
  const agent = notedAgent();
  const server = http.createServer();
  const app = await createApp({
    store,
    runner,
    agent,
    toolbox: toolboxOver(folder),
    clock,
    random,
    timers,
    report,
    token: TOKEN,
    version: '0.0.0-test',
    tls: false,
    origins: [],
    shell: null,
    bound: () => server.address() as AddressInfo,
    ...over,
  });
  server.on('request', app.request);
  server.on('upgrade', app.upgrade);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  if (open) app.open();
  return new HttpStand({ store, runner, agent, app, folder, workspace, reports, server });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
