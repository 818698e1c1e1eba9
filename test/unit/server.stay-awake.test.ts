/** Keeping the machine awake, with a stand-in for the system's program on PATH. */
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { stayAwakeOf } from '../../server/stay-awake.ts';
import { lives, until } from '../support/tools/bench.ts';

/** A folder with `systemd-inhibit`: it writes down its pid and what it was asked, then runs the command, as the real one does. */
async function withProgram(script = 'shift 4; exec "$@"') {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-awake-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'systemd-inhibit');
  await writeFile(file, `#!/bin/sh\necho "$@" > ${folder}/asked\necho $$ > ${folder}/pid\n${script}\n`);
  await chmod(file, 0o755);
  const written = async (name: string): Promise<string> => {
    await until(async () => (await readFile(join(folder, name), 'utf8').catch(() => '')) !== '', 5000);
    return readFile(join(folder, name), 'utf8');
  };
  return { folder, path: `${folder}:/usr/bin:/bin`, asked: () => written('asked'), pid: async () => Number(await written('pid')) };
}

test('the system’s program runs until it is ended, and asks only for what is needed', async () => {
  const at = await withProgram();
  let ended = 0;
  const end = stayAwakeOf('linux', { PATH: at.path })!(() => (ended += 1));
  const pid = await at.pid();
  expect(await lives(pid)).toBe(true);
  expect(await at.asked()).toMatch(/^--what=idle:sleep --who=Cairn --why=.* --mode=block \/bin\/sh -c read -r word\n$/);
  end();
  await until(async () => !(await lives(pid)), 5000);
  expect(ended).toBe(0);
});

test('it dies with the server, also when that is killed', async () => {
  const at = await withProgram();
  const child = resolve(import.meta.dirname, '../support/stay-child.ts');
  const server = spawn(process.execPath, ['--import', 'tsx', child], { env: { ...process.env, PATH: at.path }, stdio: 'ignore' });
  const pid = await at.pid();
  expect(await lives(pid)).toBe(true);
  server.kill('SIGKILL');
  await until(async () => !(await lives(pid)), 5000);
  expect(await lives(pid)).toBe(false);
});

test.each([
  ['it is not there', null],
  ['it is refused', 'exit 1'],
])('%s: that is said, and nothing else happens', async (_why, script) => {
  const at = script === null ? { path: '/nowhere' } : await withProgram(script);
  let ended = 0;
  stayAwakeOf('linux', { PATH: at.path })!(() => (ended += 1));
  await until(() => ended > 0, 5000);
  await new Promise((done) => setTimeout(done, 50));
  expect(ended).toBe(1);
});

test('each system is asked in its own way; one that offers nothing is not asked', () => {
  for (const system of ['linux', 'darwin', 'win32'] as const) expect(stayAwakeOf(system, {})).not.toBeNull();
  expect(stayAwakeOf('freebsd', {})).toBeNull();
});
