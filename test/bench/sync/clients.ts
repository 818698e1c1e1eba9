/** 500 subscribed clients that have nothing to do: what the server holds for each and how much it computes, against bare `ws`. */
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { LiveClient } from '../../support/live-client.ts';
import { root } from '../../e2e/harness/server.ts';
import { count, ms, type Bench } from '../kit/figure.ts';
import { heldBy, INSPECTED, usedBy, type Inspected } from '../kit/inspected.ts';
import type { Stage } from '../kit/stage.ts';
import { makeSession } from '../runner/room.ts';

const CLIENTS = 500;
const SESSIONS = 50;
/** As the app does while nothing is said. */
const PING = 20_000;
const IDLE = 60_000;
const AT_ONCE = 25;

interface Side {
  readonly inspected: Inspected;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly sessions: readonly string[];
}

async function bareSide(stage: Stage): Promise<Side> {
  const child = spawn(process.execPath, ['--inspect=127.0.0.1:0', '--import', 'tsx', 'test/bench/sync/bare-clients.ts'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stage.ends(async () => void child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += String(data)));
  for (const late = Date.now() + 20_000; !/port \d+/.test(output); await wait(50))
    if (Date.now() > late || child.exitCode !== null) throw new Error(`the bare server did not start: ${output}`);
  const port = /port (\d+)/.exec(output)![1]!;
  return { inspected: { output, pid: child.pid! }, url: `ws://127.0.0.1:${port}`, headers: {}, sessions: ['none'] };
}
async function cairnSide(stage: Stage): Promise<Side> {
  const { server } = await stage.serverRoom(INSPECTED);
  const sessions: string[] = [];
  while (sessions.length < SESSIONS) sessions.push(await makeSession(server));
  const headers = { authorization: `Bearer ${server.token}`, origin: server.url };
  return { inspected: server, url: `${server.url.replace('http', 'ws')}/api/live`, headers, sessions };
}

/** Bytes that each client costs, and milliseconds of the processor that all of them take in a minute. */
async function costs(stage: Stage, { inspected, url, headers, sessions }: Side): Promise<{ bytes: number; busy: number }> {
  const clients: LiveClient[] = [];
  const join = async (): Promise<void> => {
    const client = await new LiveClient(url, headers).greet();
    client.subscribe(sessions[clients.length % sessions.length]!);
    clients.push(client);
    await client.until(() => client.of('caught-up').length > 0);
  };
  const all = async (amount: number): Promise<void> => {
    for (let left = amount; left > 0; left -= AT_ONCE) await Promise.all(Array.from({ length: Math.min(AT_ONCE, left) }, join));
  };
  stage.ends(async () => clients.forEach((client) => client.close()));
  // Code that has run once is there: only what clients cost comes on top.
  await all(AT_ONCE);
  const few = await heldBy(inspected);
  await all(CLIENTS - AT_ONCE);
  const many = await heldBy(inspected);
  const before = await usedBy(inspected);
  const pings = setInterval(() => clients.forEach((client) => client.say({ type: 'ping' })), PING);
  await wait(IDLE);
  clearInterval(pings);
  const busy = (await usedBy(inspected)) - before;
  for (const client of clients) client.close();
  return { bytes: (many.resident - few.resident) / (CLIENTS - AT_ONCE), busy };
}

export const clientsBench: Bench = {
  ids: ['clients-memory', 'clients-cpu'],
  async measure(stage) {
    const cairn = await costs(stage, await cairnSide(stage));
    const bare = await costs(stage, await bareSide(stage));
    const kb = (bytes: number): string => `${(bytes / 1024).toFixed(1)} KB`;
    return [
      {
        id: 'clients-memory',
        value: cairn.bytes / 1024,
        spread: null,
        raw: [`resident memory for each of ${count(CLIENTS)} subscribed clients: ${kb(cairn.bytes)}, bare ws ${kb(bare.bytes)}`],
      },
      {
        id: 'clients-cpu',
        value: (cairn.busy / IDLE) * 100,
        spread: null,
        raw: [`processor time in a minute of ${count(CLIENTS)} idle clients: ${ms(cairn.busy)}, bare ws ${ms(bare.busy)}`],
      },
    ];
  },
};
