/**
 * The server as `server/main.ts` starts it, on ports that may kill it: at `CAIRN_CRASH_AT` (`name#n`) it dies with SIGKILL.
 * It listens on a free port, tells it on stdout, and ends with the test that started it.
 */
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import type { Random } from '#shared/ports.ts';
import { type Effects, openPorts, serve } from '../../../server/compose.ts';
import { parseConfig } from '../../../server/config.ts';
import { passing, randomWithPoints, withPoints } from './failpoints.ts';

const pass = passing(process.env['CAIRN_CRASH_AT'] ?? '');
const random: Random = { unit: () => Math.random(), bytes: (n) => randomBytes(n) };
const effects: Effects = {
  clock: { now: () => Date.now() },
  random,
  timers: {
    after(ms, callback) {
      const timer = setTimeout(callback, ms);
      return () => clearTimeout(timer);
    },
  },
  report: (event, facts) =>
    process.stderr.write(
      `${event} ${JSON.stringify(facts ?? {}, (_key, value: unknown) => (value instanceof Error ? value.stack : value))}\n`,
    ),
  env: process.env,
};

const config = parseConfig({ env: process.env, argv: [], home: homedir(), cwd: process.cwd() });
const server = createServer();
const ports = withPoints(await openPorts(config, { ...effects, random: randomWithPoints(random, pass) }), pass);
const { address } = await serve(ports, effects, {
  server,
  listen: () => new Promise((resolve) => server.listen(config.port, config.host, resolve)),
  token: config.token ?? '',
  version: 'crash',
  tls: false,
  origins: [],
  shell: null,
});
process.stdin.resume().on('end', () => process.exit(0));
process.stdout.write(`ready on ${address.port}\n`);
