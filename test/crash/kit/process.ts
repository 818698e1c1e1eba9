/** One server process after another on one data folder: started with a plan of where to die, asked over HTTP, killed. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv } from '../../e2e/harness/server.ts';
import { LiveClient } from '../../support/live-client.ts';
import { root } from './build.ts';

const TOKEN = 'crash-test-token';
const START_WITHIN = 60_000;
const ANSWER_WITHIN = 30_000;

/** Null: the server died first, or met a fault of its own: nobody knows whether it was done. */
export type Answer<T = unknown> = { status: number; body: T } | null;

export class CrashServer {
  readonly folder = mkdtempSync(join(tmpdir(), 'cairn-crash-'));
  readonly #program: string;
  readonly #env: Record<string, string>;
  #child: ChildProcessWithoutNullStreams | null = null;
  #port = 0;
  #said = '';
  #killed = false;
  /** What it told on stderr since the last start. */
  errors = '';
  /** Milliseconds of each start that came to be. */
  readonly starts: number[] = [];

  constructor(program: string, env: Record<string, string>) {
    this.#program = program;
    this.#env = env;
    mkdirSync(this.workspace, { recursive: true });
  }

  get dataFolder(): string {
    return join(this.folder, 'data');
  }
  get workspace(): string {
    return join(this.folder, 'garden');
  }
  get alive(): boolean {
    const child = this.#child;
    return child !== null && child.exitCode === null && child.signalCode === null;
  }
  /** The point at which it killed itself, or null. */
  get diedAt(): string | null {
    return /died at (\S+)/.exec(this.#said)?.[1] ?? null;
  }

  /** How often its disk has failed as planned. */
  get failures(): number {
    return this.#said.split('failed at').length - 1;
  }

  /** Starts on what the one before left. Resolves when it serves (true) or has died, at its plan or by `kill` (false). */
  async start(plan: string): Promise<boolean> {
    const begun = Date.now();
    this.#said = '';
    this.#killed = false;
    this.errors = '';
    const child = spawn(process.execPath, [this.#program], {
      cwd: root,
      env: cleanEnv({
        PORT: '0',
        CAIRN_DATA_DIR: this.dataFolder,
        CAIRN_WORKSPACE_ROOTS: this.folder,
        CAIRN_TOKEN: TOKEN,
        HOME: this.folder,
        CAIRN_CRASH_AT: plan,
        ...this.#env,
      }),
    });
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => (this.#said += data.toString()));
    child.stderr.on('data', (data: Buffer) => (this.errors += data.toString()));
    const closed = once(child, 'close');
    for (const end = Date.now() + START_WITHIN; ;) {
      const port = /ready on (\d+)/.exec(this.#said)?.[1];
      if (port !== undefined && this.alive) {
        this.#port = Number(port);
        this.starts.push(Date.now() - begun);
        return true;
      }
      if (!this.alive) {
        await closed;
        if (this.diedAt === null && !this.#killed) throw new Error(`the server ended at its start: ${this.errors}`);
        return false;
      }
      if (Date.now() > end) throw new Error(`the server did not start: ${this.errors}`);
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5))]);
    }
  }

  /** Resolves when it has died by itself. */
  async ended(): Promise<void> {
    const child = this.#child;
    if (child !== null && !child.stdout.closed) await once(child, 'close');
  }
  async kill(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    const closed = child.stdout.closed ? Promise.resolve() : once(child, 'close');
    this.#killed = true;
    child.kill('SIGKILL');
    await closed;
  }
  async dispose(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }

  async call<T>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    try {
      const answer = await fetch(`http://127.0.0.1:${this.#port}/api${path}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(ANSWER_WITHIN),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const said = (await answer.json()) as T;
      return answer.status === 500 && this.failures > 0 ? null : { status: answer.status, body: said };
    } catch (error) {
      const late = !(error instanceof Error) || error.name === 'TimeoutError';
      if (late) throw new Error(`${method} ${path} was never answered`, { cause: error });
      await this.#dying(`${method} ${path}`, error);
      return null;
    }
  }
  /** A socket that is open and greeted; null: the server died first. */
  async look(): Promise<LiveClient | null> {
    const client = new LiveClient(`ws://127.0.0.1:${this.#port}/api/live`, { authorization: `Bearer ${TOKEN}` });
    const error = await client.greet().then(
      () => (client.of('welcome').length > 0 ? null : new Error(`closed with ${client.closed}`)),
      (failed: unknown) => failed,
    );
    if (error === null) return client;
    client.close();
    await this.#dying('the socket', error);
    return null;
  }
  /** A link that breaks is right when the process is dying, which a moment later it has done. */
  async #dying(what: string, cause: unknown): Promise<void> {
    for (const end = Date.now() + 5_000; this.alive;) {
      if (Date.now() > end) throw new Error(`${what} failed on a server that lives: ${this.errors}`, { cause });
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}
