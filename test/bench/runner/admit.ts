/** Sessions made and their first prompts admitted, over HTTP, against the bare limit: as many requests and commits with no rule between. */
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from '../../e2e/harness/server.ts';
import { count, ratioFigure, type Bench } from '../kit/figure.ts';
import type { Stage } from '../kit/stage.ts';
import { compare, inTurns } from '../kit/stats.ts';
import { atOnce, makeSession, send, uuid } from './room.ts';

const ROUNDS = 7;
const SESSIONS = 150;
const WIDTH = 8;
const WORDS = 'Read the notes, and say in one line what is still to be done before the first frost.';

async function bareServer(stage: Stage): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-bare-'));
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bench/runner/bare.ts', folder], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  stage.ends(async () => {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  });
  const port = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line: Buffer) => resolve(/port (\d+)/.exec(String(line))?.[1] ?? ''));
    child.once('exit', () => reject(new Error('the bare server ended at once')));
  });
  return `http://127.0.0.1:${port}`;
}

export const admitBench: Bench = {
  ids: ['admit'],
  async measure(stage) {
    const { server } = await stage.serverRoom();
    const bare = await bareServer(stage);
    const bareSession = async (): Promise<void> => {
      for (const body of [
        { workspace: server.workspace, mode: 'auto' },
        { content: [{ type: 'text', text: WORDS }], delivery: 'steer' },
      ]) {
        const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
        const response = await fetch(`${bare}/${uuid()}`, init);
        await response.json();
        if (response.status !== 201) throw new Error(`the bare server answered ${response.status}`);
      }
    };
    const session = async (): Promise<void> => send(server, await makeSession(server), WORDS, false);
    const rate = async (one: () => Promise<void>): Promise<number> => {
      const started = performance.now();
      await atOnce(SESSIONS, WIDTH, one);
      return SESSIONS / ((performance.now() - started) / 1_000);
    };
    const compared = compare(await inTurns({ rounds: ROUNDS, warmUp: 2, a: () => rate(session), b: () => rate(bareSession) }));
    return [
      ratioFigure('admit', compared, [
        `${count(compared.a)} sessions a second, each made and its first prompt admitted (2 requests, 2 commits), bare ${count(compared.b)}; ${WIDTH} at once`,
      ]),
    ];
  },
};
