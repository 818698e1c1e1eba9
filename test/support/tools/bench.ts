/** A toolbox on a real folder of its own, for tests: what was said is kept by stream, in order. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, mkdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutputStream } from '#shared/protocol/agent-events.ts';
import type { Timers } from '#shared/ports.ts';
import type { ToolEnd } from '../../../server/tools/port.ts';
import { createToolbox } from '../../../server/tools/toolbox.ts';

export const realTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

export interface Call {
  end: ToolEnd;
  /** Joined, by stream. */
  result: string;
  stdout: string;
  stderr: string;
  /** Every piece, as it came. */
  pieces: { stream: OutputStream; text: string }[];
  ms: number;
}
export interface CallOptions {
  session?: string;
  signal?: AbortSignal;
  onOutput?: (stream: OutputStream, text: string) => void;
}

/** Folders `ws` (the workspace) and `data` under `base`, all real paths. */
export async function createBench(env: Record<string, string | undefined> = process.env) {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'cairn-tools-')));
  const ws = join(base, 'ws');
  const data = join(base, 'data');
  await mkdir(ws);
  await mkdir(data);
  const reports: { event: string; facts: Record<string, unknown> | undefined }[] = [];
  const toolboxOf = (roots: readonly string[], dataDir: string) =>
    createToolbox({
      roots,
      dataDir,
      env,
      timers: realTimers,
      random: { unit: () => 0.5, bytes: (n) => randomBytes(n) },
      report: (event, facts) => reports.push({ event, facts }),
    });
  let toolbox = toolboxOf([ws], data);
  let calls = 0;
  return {
    base,
    ws,
    data,
    reports,
    get toolbox() {
      return toolbox;
    },
    /** Another toolbox, as after a restart, or with other roots. */
    renew(roots: readonly string[] = [ws], dataDir = data) {
      toolbox = toolboxOf(roots, dataDir);
    },
    async call(name: string, args: Record<string, unknown>, options: CallOptions = {}): Promise<Call> {
      const pieces: Call['pieces'] = [];
      const started = performance.now();
      let over = false;
      const end = await toolbox.find(name)!.run(args, {
        sessionId: options.session ?? 's1',
        workspace: ws,
        callId: `c${++calls}`,
        signal: options.signal ?? new AbortController().signal,
        output(stream, text) {
          if (over) throw new Error('output after the end of the call');
          pieces.push({ stream, text });
          options.onOutput?.(stream, text);
        },
      });
      over = true;
      const of = (stream: OutputStream): string =>
        pieces
          .filter((piece) => piece.stream === stream)
          .map((piece) => piece.text)
          .join('');
      return { end, result: of('result'), stdout: of('stdout'), stderr: of('stderr'), pieces, ms: performance.now() - started };
    },
    async dispose() {
      await toolbox.close();
      await rm(base, { recursive: true, force: true });
    },
  };
}
export type Bench = Awaited<ReturnType<typeof createBench>>;

/** Polls until the condition holds; fails after `ms`. */
export async function until(holds: () => boolean | Promise<boolean>, ms: number): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`not so within ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Whether a process lives; a zombie, which only waits to be counted by its parent, does not. */
export async function lives(pid: number): Promise<boolean> {
  const { readFile } = await import('node:fs/promises');
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat === null || !/\) Z /.test(stat);
}
