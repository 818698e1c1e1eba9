/** The real built server, started as `npm start` starts it, in a process group, data folder and workspace of its own. */
import { randomBytes } from 'node:crypto';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { newId } from '#shared/ids.ts';
import { freePort } from './link-proxy.ts';

export const root = resolve(import.meta.dirname, '../../..');
const startWithin = 60_000;
const clock = { now: () => Date.now() };
const random = { unit: () => Math.random(), bytes: (n: number) => randomBytes(n) };

/** The environment without anything that would point a test at a real provider, or at the developer's own data. */
export function cleanEnv(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(CAIRN_|ANTHROPIC_|PORT$|HOST$|XDG_|VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name),
  );
  return { ...Object.fromEntries(kept), ...extra };
}

export interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** As a device makes one. */
export const newSessionId = (): string => newId(clock, random);

/** The session id in a window's address. */
export function sessionIn(address: string): string {
  const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(address)?.[0];
  if (id === undefined) throw new Error(`no session in ${address}`);
  return id;
}

/** Runs a command to its end. */
export function run(command: string, args: string[], env: NodeJS.ProcessEnv, within = 30_000): Promise<Ended> {
  return new Promise((done, fail) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: within, killSignal: 'SIGKILL' });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (data: Buffer) => (stdout += data.toString()));
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    child.on('error', fail);
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

export interface ServerOptions {
  env?: Record<string, string>;
  /** Given: kept after `dispose`. */
  folder?: string;
  port?: number;
  /** What Node runs; default the project's own start. */
  program?: string[];
}

export class CairnServer {
  readonly folder: string;
  readonly port: number;
  readonly #env: Record<string, string>;
  readonly #keep: boolean;
  readonly #program: string[];
  #child: ChildProcess | null = null;
  #output = '';
  #exited: Promise<void> = Promise.resolve();

  private constructor(folder: string, port: number, options: ServerOptions) {
    this.folder = folder;
    this.port = port;
    this.#env = options.env ?? {};
    this.#keep = options.folder !== undefined;
    this.#program = options.program ?? ['server/start.mjs'];
  }

  static async create(options: ServerOptions = {}): Promise<CairnServer> {
    const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'cairn-e2e-')));
    const server = new CairnServer(folder, options.port ?? (await freePort()), options);
    await mkdir(server.workspace, { recursive: true });
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }
  /** Of the server's own process. */
  get pid(): number {
    if (this.#child?.pid === undefined) throw new Error('the server does not run');
    return this.#child.pid;
  }
  get dataFolder(): string {
    return join(this.folder, 'data');
  }
  /** The one allowed root. */
  get roots(): string {
    return join(this.folder, 'places');
  }
  get workspace(): string {
    return join(this.roots, 'garden');
  }
  /** Everything printed since the last start. */
  get output(): string {
    return this.#output;
  }
  get env(): NodeJS.ProcessEnv {
    return cleanEnv({
      PORT: String(this.port),
      CAIRN_DATA_DIR: this.dataFolder,
      CAIRN_WORKSPACE_ROOTS: this.roots,
      HOME: this.folder,
      ...this.#env,
    });
  }
  /** The token out of the printed sign-in link. */
  get token(): string {
    const match = /\/#t=([^\s"'<>]+)/.exec(this.#output);
    if (match?.[1] === undefined) throw new Error(`no sign-in link was printed:\n${this.#output}`);
    return match[1];
  }

  /** Starts, or starts again on the same data and port. Resolves once it answers and has printed its link. */
  async start(): Promise<this> {
    this.#output = '';
    const child = spawn(process.execPath, this.#program, {
      cwd: root,
      env: this.env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#exited = new Promise((done) => child.once('exit', () => done()));
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (this.#output += data.toString()));
    const deadline = Date.now() + startWithin;
    for (;;) {
      if (child.exitCode !== null || child.signalCode !== null) throw new Error(`the server ended at once:\n${this.#output}`);
      if (this.#output.includes('/#t=') && (await this.healthy())) return this;
      if (Date.now() > deadline) throw new Error(`the server did not start:\n${this.#output}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  }
  async healthy(): Promise<boolean> {
    return fetch(`${this.url}/api/health`).then(
      (response) => response.ok,
      () => false,
    );
  }

  /** Asks it to end, as Ctrl+C does. */
  async stop(): Promise<void> {
    this.#signal('SIGTERM');
    const forced = setTimeout(() => this.#signal('SIGKILL'), 10_000);
    await this.#exited;
    clearTimeout(forced);
    this.#child = null;
  }
  /** No warning, no farewell: the whole group at once. */
  async kill9(): Promise<void> {
    this.#signal('SIGKILL');
    await this.#exited;
    this.#child = null;
    // The launcher may be gone a moment before the process that holds the port.
    while (await this.healthy()) await new Promise((done) => setTimeout(done, 20));
  }
  async dispose(): Promise<void> {
    if (this.#child !== null) await this.kill9();
    if (!this.#keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }

  #signal(name: NodeJS.Signals): void {
    const child = this.#child;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  /** A file of the workspace. */
  read(name: string): Promise<string> {
    return readFile(join(this.workspace, name), 'utf8');
  }
  /** The turns of the session that a window's address shows. */
  async turns(address: string): Promise<unknown[]> {
    const { body } = await this.api<{ turns: unknown[] }>('GET', `/api/sessions/${sessionIn(address)}/turns`);
    return body.turns;
  }
  /** A prompt as another device would send it. */
  async prompt(address: string, text: string): Promise<void> {
    const path = `/api/sessions/${sessionIn(address)}/inputs/${newId(clock, random)}`;
    const { status, body } = await this.api('PUT', path, { content: [{ type: 'text', text }], delivery: 'steer', composedAt: Date.now() });
    if (status !== 201) throw new Error(`the prompt was not admitted: ${JSON.stringify(body)}`);
  }
  async rename(address: string, title: string): Promise<void> {
    const { status, body } = await this.api('PATCH', `/api/sessions/${sessionIn(address)}`, { title });
    if (status !== 200) throw new Error(`the session was not renamed: ${JSON.stringify(body)}`);
  }
  /** One authorised call of the contract, as a script would make it. */
  async api<T = unknown>(method: string, path: string, body?: unknown): Promise<{ status: number; body: T }> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.token}` };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(this.url + path, { method, headers, body: body === undefined ? null : JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as T };
  }
}
