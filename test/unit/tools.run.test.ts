import { execFileSync, spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { createBench, lives, until, type Bench } from '../support/tools/bench.ts';

let bench: Bench;
beforeEach(async () => {
  bench = await createBench({ ...process.env, CAIRN_TOKEN: 'the-token', ANTHROPIC_API_KEY: 'the-key', ANTHROPIC_X: 'other', PORT: '1' });
});
afterEach(() => bench.dispose());

/** A "dev server" in the background, with a worker of its own that ignores TERM; their pids are written to files. */
const DEV_SERVER = `sh -c 'trap "" TERM; echo $$ > worker.pid; while :; do sleep 0.1; done' & echo $! > server.pid`;
const pidsOf = async (...names: string[]): Promise<number[]> => {
  await until(async () => {
    const texts = await Promise.all(names.map((name) => readFile(join(bench.ws, name), 'utf8').catch(() => '')));
    return texts.every((text) => text.trim() !== '');
  }, 15_000);
  return Promise.all(names.map(async (name) => Number(await readFile(join(bench.ws, name), 'utf8'))));
};
const allGone = async (pids: number[]): Promise<boolean> => !(await Promise.all(pids.map(lives))).some(Boolean);

describe('run', () => {
  it('streams stdout and stderr apart, and shows the model both and the exit code', async () => {
    const { end, stdout, stderr, result } = await bench.call('run', { command: 'echo out; sleep 0.1; echo err >&2; sleep 0.1; exit 3' });
    expect(end).toEqual({ isError: true, exitCode: 3 });
    expect([stdout, stderr, result]).toEqual(['out\n', 'err\n', 'out\nerr\n[exit code 3]']);
    expect((await bench.call('run', { command: 'pwd' })).result).toBe(`${bench.ws}\n[exit code 0]`);
    expect((await bench.call('run', { command: 'true' })).result).toBe('[exit code 0]');
    expect((await bench.call('run', { command: 'kill -SEGV $$' })).end).toEqual({ isError: true, exitCode: null });
  });

  it('passes output on while the command runs', async () => {
    const controller = new AbortController();
    const call = bench.call(
      'run',
      { command: 'echo early; sleep 20' },
      { signal: controller.signal, onOutput: (_stream, text) => text.includes('early') && controller.abort() },
    );
    expect((await call).end.outcome).toBe('interrupted');
  });

  it('no secret of ours is in its environment, nor our own port', async () => {
    const { stdout } = await bench.call('run', { command: 'env; echo done' });
    expect(stdout).toContain('PATH=');
    expect(stdout).toMatch(/done\n$/);
    expect(stdout).not.toMatch(/CAIRN_|ANTHROPIC_|the-token|the-key|^PORT=/m);
  });

  it('output is whole UTF-8 without NUL, wherever the pieces are cut', async () => {
    await writeFile(join(bench.ws, 'say.sh'), `printf '\\360\\237'; sleep 0.1; printf '\\230\\200a\\000b'; sleep 0.1; printf '\\377\\303'`);
    const { stdout, result } = await bench.call('run', { command: 'sh say.sh' });
    expect(stdout).toBe('😀ab\ufffd\ufffd');
    expect(result).toBe('😀ab\ufffd\ufffd\n[exit code 0]');
  });

  it('a byte at a time costs few pieces', async () => {
    const { pieces, stdout } = await bench.call('run', { command: 'for i in $(seq 1 2000); do printf x; done' });
    expect(stdout).toBe('x'.repeat(2000));
    expect(pieces.length).toBeLessThan(200);
  });

  it('long output keeps head and tail, within the limit over all streams, and what came is what is sealed', async () => {
    const command = `node -e "for (let i = 0; i < 20000; i++) { console.log('out é ' + i); console.error('err ' + i) }"`;
    const { end, stdout, stderr, result, pieces } = await bench.call('run', { command });
    expect(end).toMatchObject({ isError: false, exitCode: 0, truncated: true });
    expect(result).toMatch(/^(out é|err) 0\n/);
    expect(result).toMatch(/\n\[… \d+ bytes left out …\]\n/);
    expect(result).toMatch(/19999\n\[exit code 0\]$/);
    expect(stdout).toMatch(/out é 19999\n$/);
    expect(stderr).toMatch(/err 19999\n$/);
    expect(stdout + stderr + result).not.toContain('\ufffd');
    expect(pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece.text), 0)).toBeLessThanOrEqual(LIMITS.toolOutputBytes);
    const left = Number(/\[… (\d+) bytes left out …\]/.exec(stdout)![1]);
    const whole = Array.from({ length: 20_000 }, (_, i) => `out é ${i}\n`).join('');
    expect(Buffer.byteLength(stdout.replace(/\n\[… \d+ bytes left out …\]\n/, '')) + left).toBe(Buffer.byteLength(whole));
  });
});

describe('B44: nothing that it started outlives a command', () => {
  const wait = `${DEV_SERVER}; sleep 60`;
  it.each([
    ['stop', { command: wait }, { isError: true, exitCode: null, outcome: 'interrupted' }, /^\[stopped before/],
    ['limit', { command: wait, timeout: 1 }, { isError: true, exitCode: null }, /^\[not done after 1 s/],
    ['normal end', { command: `${DEV_SERVER}; sleep 0.3; echo ok` }, { isError: false, exitCode: 0 }, /^ok\n\[exit code 0\]$/],
    ['close', { command: wait }, { isError: true, exitCode: null }, /^\[ended by SIGTERM\]$/],
  ])('%s: the background server and its worker are gone within 5 s', async (how, args, end, words) => {
    const controller = new AbortController();
    const call = bench.call('run', args, { signal: controller.signal });
    const pids = await pidsOf('server.pid', 'worker.pid');
    const from = performance.now();
    if (how === 'stop') controller.abort();
    if (how === 'close') await bench.toolbox.close();
    const done = await call;
    // The limit's own second comes first.
    expect(performance.now() - from).toBeLessThan(how === 'limit' ? 6000 : 5000);
    expect(await allGone(pids)).toBe(true);
    expect(done.end).toEqual(end);
    expect(done.result).toMatch(words);
  });

  it('the server itself is killed: they are gone within 5 s all the same', async () => {
    const script = resolve(import.meta.dirname, '../support/tools/run-one.ts');
    const server = spawn(process.execPath, ['--import', 'tsx', script, bench.ws, wait], { stdio: 'ignore' });
    const pids = await pidsOf('server.pid', 'worker.pid');
    server.kill('SIGKILL');
    await until(() => allGone(pids), 5000);
    expect(await allGone(pids)).toBe(true);
  });

  it('no guard is left behind by a command that ended', async () => {
    await bench.call('run', { command: 'echo $$ > leader.pid' });
    const [leader] = await pidsOf('leader.pid');
    const guards = (): string =>
      execFileSync('sh', ['-c', `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '; true`], { encoding: 'utf8' });
    await until(() => !guards().includes(`cairn-guard ${leader} `), 2000);
    expect(guards()).not.toContain(`cairn-guard ${leader} `);
  });

  const detached = `setsid sh -c 'trap "" TERM; echo $$ > free.pid; setsid sleep 40 & echo $! > deep.pid; sleep 30' &`;
  it.each([
    ['stop', `${detached} sleep 60`, { isError: true, exitCode: null, outcome: 'interrupted' }],
    ['normal end', `${detached} sleep 0.3; echo done`, { isError: false, exitCode: 0 }],
  ])('%s: what left the group by setsid is gone within 5 s, and what that started', async (how, command, end) => {
    const controller = new AbortController();
    const call = bench.call('run', { command }, { signal: controller.signal });
    const pids = await pidsOf('free.pid', 'deep.pid');
    const from = performance.now();
    if (how === 'stop') controller.abort();
    expect((await call).end).toEqual(end);
    expect(performance.now() - from).toBeLessThan(5000);
    expect(await allGone(pids)).toBe(true);
  });

  it('one that cleared its environment too is found by its parent, while that lives', async () => {
    const controller = new AbortController();
    const command = `env -i setsid sh -c 'echo $$ > free.pid; sleep 30' & sleep 60`;
    const call = bench.call('run', { command }, { signal: controller.signal });
    const pids = await pidsOf('free.pid');
    controller.abort();
    await call;
    expect(await allGone(pids)).toBe(true);
  });

  it('the server itself is killed: what left the group is gone within 5 s all the same', async () => {
    const script = resolve(import.meta.dirname, '../support/tools/run-one.ts');
    const server = spawn(process.execPath, ['--import', 'tsx', script, bench.ws, `${detached} sleep 60`], { stdio: 'ignore' });
    const pids = await pidsOf('free.pid', 'deep.pid');
    server.kill('SIGKILL');
    await until(() => allGone(pids), 5000);
    expect(await allGone(pids)).toBe(true);
  });

  it('what another command started, and what was there before, is left alone', async () => {
    const stranger = spawn('sleep', ['30'], { stdio: 'ignore' });
    const controller = new AbortController();
    const other = bench.call('run', { command: `setsid sh -c 'echo $$ > other.pid; sleep 30' & sleep 60` }, { signal: controller.signal });
    const [pid] = await pidsOf('other.pid');
    await bench.call('run', { command: 'setsid sleep 30 & sleep 0.2' });
    expect([await lives(pid!), await lives(stranger.pid!)]).toEqual([true, true]);
    controller.abort();
    await other;
    expect([await lives(pid!), await lives(stranger.pid!)]).toEqual([false, true]);
    stranger.kill('SIGKILL');
  });

  it('a detached child that holds the pipes and never stops printing does not hold the call', async () => {
    const { end, result, ms } = await bench.call('run', { command: `setsid sh -c 'echo $$ > free.pid; yes' & sleep 0.3; echo done >&2` });
    expect(await allGone(await pidsOf('free.pid'))).toBe(true);
    expect(end.exitCode).toBe(0);
    expect(result).toMatch(/\[exit code 0\]$/);
    expect(ms).toBeLessThan(4000);
  });

  it('the group is never the server’s own', async () => {
    const { stdout } = await bench.call('run', { command: 'ps -o pgid= -p $$ || cut -d" " -f5 /proc/$$/stat' });
    const own = execFileSync('cut', ['-d', ' ', '-f5', `/proc/${process.pid}/stat`], { encoding: 'utf8' });
    expect(Number(stdout)).toBeGreaterThan(1);
    expect(Number(stdout)).not.toBe(Number(own));
  });
});

describe('B51: nobody is at the keyboard', () => {
  it.each([
    ['cat', 'cat; echo "read nothing"', /^read nothing\n\[exit code 0\]$/],
    ['a terminal of its own', 'read x < /dev/tty', /\/dev\/tty.*\n\[exit code 1\]$/s],
    ['a password', 'sudo -k true', /\[exit code \d+\]$/],
    [
      'an editor',
      'git init -q . && git -c user.name=a -c user.email=a@b.test commit --allow-empty',
      /editor cannot be opened[\s\S]*\[exit code 1\]$/,
    ],
    ['a pager', 'git init -q . && git help -a > /dev/null; echo ok', /ok\n\[exit code 0\]$/],
  ])('%s: ends in under 2 s with words that say why', async (_name, command, words) => {
    const { result, ms } = await bench.call('run', { command });
    expect(result).toMatch(words);
    expect(ms).toBeLessThan(2000);
  });

  it('stop works on one that waits all the same', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const { end, ms } = await bench.call('run', { command: 'mkfifo p && cat p' }, { signal: controller.signal });
    expect(end.outcome).toBe('interrupted');
    expect(ms).toBeLessThan(2000);
  });
});
