/**
 * The server's start: the only place that constructs things and names the real clock, chance, network and disk. Whatever
 * stops a start is one plain line on stderr and a non-zero exit.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import { isLoopback } from './auth/allowed.ts';
import { loadToken, signInLink, type TokenFile } from './auth/token.ts';
import { type Effects, openPorts, serve } from './compose.ts';
import { type Config, helpText, parseConfig } from './config.ts';
import { stayAwakeOf } from './stay-awake.ts';
import { childEnv } from './tools/child-env.ts';

/** What is under way when the server is told to end gets this long, in milliseconds. */
const LAST_REQUESTS = 2_000;

const clock: Clock = { now: () => Date.now() };
const random: Random = { unit: () => Math.random(), bytes: (n) => randomBytes(n) };
const timers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};
const report: Report = (event, facts) => {
  const told = JSON.stringify(facts ?? {}, (_key, value: unknown) => (value instanceof Error ? (value.stack ?? value.message) : value));
  process.stderr.write(`${new Date(clock.now()).toISOString()} ${event} ${told}\n`);
};

/** A start that cannot go on, said in one line for a person. */
class StartError extends Error {}

async function start(): Promise<void> {
  const config = parseConfig({ env: process.env, argv: process.argv.slice(2), home: homedir(), cwd: process.cwd() });
  if (config.help) return void process.stdout.write(helpText());
  const root = findRoot(import.meta.dirname);
  const tls = readTls(config);

  const stayAwake = config.keepAwake ? stayAwakeOf(process.platform, childEnv(process.env)) : null;
  const effects: Effects = { clock, random, timers, report, env: process.env, ...(stayAwake === null ? {} : { stayAwake }) };
  const ports = await openPorts(config, effects);
  const { agent } = ports;
  const token = loadToken(config.token, tokenFile(config.dataDir), random);
  const server = serverOf(tls);
  const shell = join(root, 'dist', 'app');
  const { app, address, end } = await serve(ports, effects, {
    server,
    listen: () => listen(server, config),
    token,
    version: versionOf(root),
    tls: tls !== null,
    origins: config.origins,
    shell: existsSync(join(shell, 'index.html')) ? shell : null,
  });

  const [host, origin] = [address.address, config.origins[0]];
  const everywhere = host === '0.0.0.0' || host === '::';
  // A certificate is for the name that other devices open, which is a configured origin's.
  const named = origin !== undefined && (tls !== null || !(isLoopback(host) || everywhere));
  const base = named ? origin : app.canonical();
  process.stdout.write(`Cairn is ready. Sign in: ${signInLink(base, token)}\n`);
  process.stdout.write(`Model: ${agent.demo ? `${agent.label}. --help says how to connect a real one.` : agent.label}\n`);
  if (!isLoopback(host) && origin === undefined)
    process.stdout.write('Only this machine is let in so far: CAIRN_ORIGINS names the origin that other devices will open.\n');

  let ending = false;
  const stop = async (): Promise<void> => {
    if (ending) process.exit(1);
    ending = true;
    await end(() => closeServer(server));
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop().catch(fail));
}

/** The package's folder, from the source as well as from the bundle in `dist/server`. */
function findRoot(from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) return folder;
    if (dirname(folder) === folder) throw new StartError('package.json is missing: run Cairn from its own folder.');
  }
}

function versionOf(root: string): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

function readTls({ tls }: Config): { cert: Buffer; key: Buffer } | null {
  if (tls === null) return null;
  try {
    return { cert: readFileSync(tls.cert), key: readFileSync(tls.key) };
  } catch (error) {
    throw new StartError(`The TLS files cannot be read: ${reasonOf(error)}`);
  }
}

function serverOf(tls: { cert: Buffer; key: Buffer } | null): Server {
  if (tls === null) return createServer();
  try {
    return createTlsServer(tls);
  } catch (error) {
    throw new StartError(`The TLS certificate and key cannot be used: ${reasonOf(error)}`);
  }
}

function tokenFile(dataDir: string): TokenFile {
  const path = join(dataDir, 'token');
  return {
    read: () => (existsSync(path) ? readFileSync(path, 'utf8') : null),
    // The store has made the folder.
    write: (text) => writeFileSync(path, text, { mode: 0o600 }),
  };
}

async function listen(server: Server, { port, host }: Config): Promise<void> {
  const failed = await new Promise<NodeJS.ErrnoException | null>((resolve) => {
    server.once('error', resolve);
    server.listen(port, host, () => resolve(null));
  });
  if (failed === null) return;
  if (failed.code === 'EADDRINUSE') throw new StartError(`Port ${port} on ${host} is already in use. Choose another with --port or PORT.`);
  if (failed.code === 'EACCES') throw new StartError(`Port ${port} may not be used by this user. Choose another with --port or PORT.`);
  throw new StartError(`Cannot listen on ${host} port ${port}: ${reasonOf(failed)}`);
}

/** No new requests; those under way may end, but not for ever: a peer that is gone must not hold the end up. */
async function closeServer(server: Server): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = timers.after(LAST_REQUESTS, resolve);
    server.close(() => {
      cancel();
      resolve();
    });
    server.closeIdleConnections();
  });
  server.closeAllConnections();
}

function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}

function fail(error: unknown): void {
  process.stderr.write(`cairn: ${reasonOf(error)}\n`);
  process.exit(1);
}

start().catch(fail);
