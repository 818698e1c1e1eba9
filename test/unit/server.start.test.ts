/** `npm start`, on a small tree of its own with a build that only writes down that it ran. */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const project = resolve(import.meta.dirname, '../..');
let root: string;
let outside: string;

const SQLITE = 'module.exports = class { close() {} };';
/** Stands in for npm: writes what the real build writes, slowly enough for another start to come in between. */
const NPM = `
const fs = require('fs');
fs.appendFileSync(process.env.BUILDS, process.argv.slice(2).join(' ') + '\\n');
setTimeout(() => {
  if (fs.existsSync('broken')) { console.error('it is broken'); process.exit(1); }
  fs.mkdirSync('dist/server', { recursive: true });
  fs.mkdirSync('dist/app', { recursive: true });
  fs.writeFileSync('dist/app/index.html', '');
  fs.writeFileSync('dist/server/main.js', 'process.on("SIGTERM", () => process.exit(7)); console.log("serving " + process.argv.slice(2)); if (process.argv[2] === "stay") setInterval(() => {}, 1000);');
}, 300);
`;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'cairn-start-'));
  outside = await mkdtemp(join(tmpdir(), 'cairn-start-npm-'));
  for (const folder of ['server', 'app', 'shared', 'node_modules/better-sqlite3', 'node_modules/vite']) {
    await mkdir(join(root, folder), { recursive: true });
  }
  for (const file of ['server/start.mjs', 'server/options.mjs', 'package.json']) await cp(join(project, file), join(root, file));
  await writeFile(join(root, 'node_modules/better-sqlite3/index.js'), SQLITE);
  await writeFile(join(root, 'app/main.ts'), '1');
  await writeFile(join(outside, 'npm.js'), NPM);
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
  await rm(outside, { recursive: true, force: true });
});

interface Ended {
  code: number | null;
  stdout: string;
  stderr: string;
}
function start(args: string[] = [], onStdout?: (text: string, kill: (signal: NodeJS.Signals) => void) => void, env = {}): Promise<Ended> {
  return new Promise((done) => {
    const child = spawn(process.execPath, ['server/start.mjs', ...args], {
      cwd: root,
      env: { ...process.env, npm_execpath: join(outside, 'npm.js'), BUILDS: join(outside, 'builds'), ...env },
    });
    let stdout = '';
    let stderr = '';
    child.stderr.on('data', (piece) => (stderr += String(piece)));
    child.stdout.on('data', (piece) => {
      stdout += String(piece);
      onStdout?.(stdout, (signal) => child.kill(signal));
    });
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}
const builds = async (): Promise<number> => {
  const log = await readFile(join(outside, 'builds'), 'utf8').catch(() => '');
  return log.split('\n').filter((line) => line === 'run --silent build').length;
};

describe('npm start', () => {
  it('builds once, says so in one line, and then starts at once, with its arguments', async () => {
    expect(await start(['--port', '1'])).toEqual({ code: 0, stdout: 'Building…\nserving --port,1\n', stderr: '' });
    expect(await start()).toEqual({ code: 0, stdout: 'serving \n', stderr: '' });
    expect(await builds()).toBe(1);
  });

  it.each([
    ['a source', 'app/main.ts', '2'],
    ['a new source', 'shared/new.ts', ''],
    ['the lock file', 'package-lock.json', '{}'],
    ['the build configuration', 'vite.config.ts', ''],
    ['what was built, by hand', 'dist/server/main.js', 'console.log("other")'],
  ])('builds again when %s changed', async (_what, file, text) => {
    await start(['--build']);
    await writeFile(join(root, file), text);
    expect((await start(['--build'])).stdout).toBe('Building…\n');
    expect((await start(['--build'])).stdout).toBe('');
    expect(await builds()).toBe(2);
  });

  it('two starts at once build once, and both serve', async () => {
    const both = await Promise.all([start(['a']), start(['b'])]);
    expect(both.map((ended) => ended.code)).toEqual([0, 0]);
    expect(both.map((ended) => ended.stdout).join('')).toMatch(/serving a\n/);
    expect(both.map((ended) => ended.stdout).join('')).toMatch(/serving b\n/);
    expect(await builds()).toBe(1);
  });

  it('the lock of a start that is gone is taken over, and none is left behind', async () => {
    await mkdir(join(root, 'dist/.start'), { recursive: true });
    await writeFile(join(root, 'dist/.start/building'), '999999999');
    expect((await start(['--build'])).code).toBe(0);
    expect(await readdir(join(root, 'dist/.start'))).toEqual(['stamp']);
  });

  it('a build that fails shows why, ends with a failure, and is tried again', async () => {
    await writeFile(join(root, 'broken'), '');
    expect(await start()).toEqual({ code: 1, stdout: 'Building…\n', stderr: 'it is broken\nThe build failed.\n' });
    await rm(join(root, 'broken'));
    expect((await start()).code).toBe(0);
  });

  it('signals reach the server, which runs in this very process', async () => {
    const ended = await start(['stay'], (stdout, kill) => stdout.includes('serving') && kill('SIGTERM'));
    expect(ended.code).toBe(7);
  });

  it('stopping it while it builds leaves no lock', async () => {
    const ended = await start([], (stdout, kill) => stdout.includes('Building') && kill('SIGTERM'));
    expect(ended.code).toBe(1);
    expect(ended.stderr).toBe('Stopped while building.\n');
    expect(await readdir(join(root, 'dist/.start'))).toEqual([]);
  });

  it('--help answers without building', async () => {
    const { code, stdout } = await start(['--help']);
    expect(code).toBe(0);
    expect(stdout).toContain('CAIRN_WORKSPACE_ROOTS');
    expect(await builds()).toBe(0);
  });
});

describe('R5: what a machine lacks is told in one plain line', () => {
  /** What was said, once it is known to be one line on stderr and a failure. */
  const refusal = async (env = {}): Promise<string> => {
    const ended = await start([], undefined, env);
    const plain = ended.code === 1 && ended.stderr.trim().split('\n').length === 1 && ended.stdout.replace('Building…\n', '') === '';
    return plain ? ended.stderr : `not plain: ${JSON.stringify(ended)}`;
  };

  it.each(['18.20.0', '20.18.9', '21.7.0', '22.11.0', '23.0.0'])('Node %s', async (version) => {
    const fake = join(outside, 'node.cjs');
    await writeFile(fake, `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`);
    expect(await refusal({ NODE_OPTIONS: `--require=${fake}` })).toMatch(new RegExp(`^Cairn needs Node .*this is Node ${version}`));
  });
  it('no dependencies', async () => {
    await rm(join(root, 'node_modules'), { recursive: true });
    expect(await refusal()).toMatch(/^(?!not plain).*npm ci/);
  });
  it('no build tools', async () => {
    await rm(join(root, 'node_modules/vite'), { recursive: true });
    expect(await refusal()).toMatch(/^(?!not plain).*build tools.*npm ci/);
  });
  it('a native module made for another Node', async () => {
    const message = 'The module was compiled against a different Node.js version using\\nNODE_MODULE_VERSION 127.';
    await writeFile(
      join(root, 'node_modules/better-sqlite3/index.js'),
      `module.exports = class { constructor() { throw new Error('${message}') } };`,
    );
    expect(await refusal()).toMatch(/^(?!not plain).*built for another Node.*npm rebuild better-sqlite3/);
  });
  it('a native module that is not there', async () => {
    await writeFile(join(root, 'node_modules/better-sqlite3/index.js'), `throw new Error('Could not locate the bindings file.\\n tried')`);
    expect(await refusal()).toMatch(/^(?!not plain).*cannot be loaded.*Could not locate the bindings file\.\)$/m);
  });
});
