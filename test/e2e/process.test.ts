/** Starting it wrong: one plain line that says what to do, and a non-zero exit. No stack, no silence, nothing half-started. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { freePort } from './harness/link-proxy.ts';
import { CairnServer, cleanEnv, run, type Ended } from './harness/server.ts';

let folder: string;
let ends: (() => Promise<unknown>)[];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-process-'));
  ends = [() => rm(folder, { recursive: true, force: true })];
});
afterEach(async () => {
  for (const end of ends.toReversed()) await end();
});

const start = (env: Record<string, string>, args: string[] = []): Promise<Ended> =>
  run(process.execPath, ['server/start.mjs', ...args], cleanEnv({ HOME: folder, CAIRN_DATA_DIR: join(folder, 'data'), ...env }));

/** One line on stderr, no stack, matching `words`. */
function expectOnePlainLine(ended: Ended, words: RegExp): void {
  expect(ended.code).not.toBe(0);
  expect(ended.code).not.toBeNull();
  const lines = ended.stderr.trim().split('\n');
  expect(lines, ended.stderr).toHaveLength(1);
  expect(lines[0]).toMatch(words);
  expect(ended.stdout + ended.stderr).not.toMatch(/\n\s+at |Error:/);
}

describe('a start that cannot work says so in one line', () => {
  it('the port is taken', async () => {
    const holder = net.createServer();
    const port = await freePort();
    await new Promise<void>((done) => holder.listen(port, '127.0.0.1', () => done()));
    ends.push(() => new Promise((done) => holder.close(done)));
    expectOnePlainLine(await start({ PORT: String(port) }), new RegExp(String(port)));
  });

  it('the data folder cannot be written', async () => {
    // A file in the way is refused to root too, unlike a folder without write permission.
    const inTheWay = join(folder, 'file');
    await writeFile(inTheWay, '');
    const ended = await start({ PORT: String(await freePort()), CAIRN_DATA_DIR: join(inTheWay, 'data') });
    expectOnePlainLine(ended, /data/i);
    expect(ended.stderr).toContain(inTheWay);
  });

  it('the database is none, or of a newer Cairn', async () => {
    const database = join(folder, 'data', 'cairn.db');
    await mkdir(join(folder, 'data'));
    await writeFile(database, 'not a database');
    const damaged = await start({ PORT: String(await freePort()) });
    expectOnePlainLine(damaged, /damaged/);
    expect(damaged.stderr).toContain(database);
    expect(damaged.stderr).toContain(join(folder, 'data', 'backups'));

    await rm(database);
    const newer = new Database(database);
    newer.pragma('user_version = 9999');
    newer.close();
    expectOnePlainLine(await start({ PORT: String(await freePort()) }), /newer version of Cairn.*update Cairn/);
  });

  it('I36: a second server on one data folder', async () => {
    const first = await CairnServer.create();
    ends.push(() => first.dispose());
    await first.start();
    const ended = await start({ PORT: String(await freePort()), CAIRN_DATA_DIR: first.dataFolder });
    expectOnePlainLine(ended, /already|another|in use/i);
    expect(await first.healthy()).toBe(true);
    await first.kill9();
    await first.start();
    expect(await first.healthy(), 'after kill -9 the folder is free again').toBe(true);
  });

  it('R5: a Node that it was not made for', async () => {
    const fake = join(folder, 'old-node.cjs');
    await writeFile(
      fake,
      "Object.defineProperty(process, 'version', { value: 'v18.19.0' });\n" +
        "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.19.0' } });\n",
    );
    expectOnePlainLine(await start({ NODE_OPTIONS: `--require=${fake}` }), /18\.19\.0/);
  });

  it.each([
    ['a port that is none', { PORT: 'many' }, []],
    ['a flag that it does not know', {}, ['--colour=red']],
    ['a certificate without its key', { CAIRN_TLS_CERT: '/nowhere/cert.pem' }, []],
  ])('%s', async (_what, env, args) => {
    expectOnePlainLine(await start(env as Record<string, string>, args), /\S/);
  });
});

describe('a start that works', () => {
  it('--help lists every flag and variable, and starts nothing', async () => {
    const ended = await start({}, ['--help']);
    expect(ended.code).toBe(0);
    for (const word of [
      'PORT',
      'HOST',
      'CAIRN_DATA_DIR',
      'CAIRN_WORKSPACE_ROOTS',
      'CAIRN_TOKEN',
      'CAIRN_ORIGINS',
      'CAIRN_MODEL',
      'CAIRN_WIRE',
    ]) {
      expect(ended.stdout).toContain(word);
    }
    for (const word of ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_BASE_URL']) expect(ended.stdout).toContain(word);
    for (const flag of ['--port', '--host', '--data-dir', '--origins', '--tls-cert', '--tls-key', '--help'])
      expect(ended.stdout).toContain(flag);
  });

  it.each([
    ['the built-in demo model', {}, /demo/i],
    ['Anthropic', { ANTHROPIC_API_KEY: 'sk-none' }, /Anthropic/],
    ['another base URL', { ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }, /http:\/\/127\.0\.0\.1:9/],
  ])('prints one sign-in link, and that it uses %s', async (_what, env, words) => {
    const server = await CairnServer.create({ env: env as Record<string, string> });
    ends.push(() => server.dispose());
    await server.start();
    expect(server.output.match(/\/#t=/g)).toHaveLength(1);
    expect(server.output.split('\n').filter((line) => words.test(line))).toHaveLength(1);
    expect(server.token.length).toBeGreaterThanOrEqual(8);
  });

  it('ends on SIGTERM, and keeps its token over a restart', async () => {
    const server = await CairnServer.create();
    ends.push(() => server.dispose());
    const token = (await server.start()).token;
    await server.stop();
    expect(await server.healthy()).toBe(false);
    expect((await server.start()).token).toBe(token);
  });

  it('is asked until it is gone: whoever is still answered is answered rightly', async () => {
    const server = await CairnServer.create();
    ends.push(() => server.dispose());
    await server.start();
    let gone = false;
    const seen = new Set<number>();
    const ask = async (): Promise<void> => {
      while (!gone) {
        const answer = await server.api('GET', '/api/sessions?limit=1').catch(() => null);
        if (answer === null) await new Promise((done) => setTimeout(done, 5));
        else seen.add(answer.status);
      }
    };
    const asking = Array.from({ length: 8 }, ask);
    await expect.poll(() => seen.size).toBeGreaterThan(0);
    await server.stop();
    gone = true;
    await Promise.all(asking);
    expect([...seen].filter((status) => status !== 200 && status !== 503)).toEqual([]);
  });
});
