/**
 * A child process in a session and process group of its own: no controlling terminal, standard input at its end (B51),
 * and a way to end everything it started (B44): what stayed in the group, and on Linux also what left it.
 *
 * The group's id is the leader's pid. While any process is in the group, the system gives that number to nobody else; once
 * the leader is gone, a process that bears it is a stranger, and the group is left alone.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { Random, Report, Timers } from '#shared/ports.ts';
import { MARK, traceOf } from './escaped.ts';
import { codeOf } from './fault.ts';
import { startGuard } from './guard.ts';
import { onlyZombies } from './zombies.ts';

export interface LeaderEnd {
  /** Null: ended by a signal. */
  code: number | null;
  signal: string | null;
}
export interface ProcessGroup {
  /** The group's id; null: it could not be started. */
  readonly id: number | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when the leader is gone, whatever its children do; rejects when it could not be started. */
  readonly ended: Promise<LeaderEnd>;
  /**
   * TERM to all of it, KILL after `TERM_GRACE_MS`. Resolves when nothing is left, at the latest after about `END_LIMIT_MS`.
   * Whoever started a group calls this last, also when the leader ended by itself: it may have left children.
   */
  end(): Promise<void>;
}
export interface GroupRequest {
  file: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  /** It may start others: those that leave the group are ended too, and all of it even when the server dies without a chance to. */
  guarded: boolean;
}
export type GroupStarter = (request: GroupRequest) => ProcessGroup;

const TERM_GRACE_MS = 1500;
const END_LIMIT_MS = 3500;
const POLL_MS = 25;
/** Looking through all processes costs more than asking about one group. */
const ZOMBIE_POLLS = 8;

export interface ProcessGroups {
  start: GroupStarter;
  /** Ends all that still run. */
  close(): Promise<void>;
}

export function createProcessGroups(timers: Timers, random: Random, report: Report): ProcessGroups {
  const running = new Set<ProcessGroup>();
  return {
    start(request) {
      const mark = Buffer.from(random.bytes(16)).toString('hex');
      const traceFrom = request.guarded ? traceOf(mark, timers) : null;
      const group = startGroup(request.guarded ? { ...request, env: { ...request.env, [MARK]: mark } } : request, timers);
      const trace = traceFrom === null || group.id === null ? null : traceFrom(group.id);
      let unguard = request.guarded && group.id !== null ? startGuard(group.id, mark, report) : null;
      const tracked: ProcessGroup = {
        ...group,
        async end() {
          await trace?.look();
          await Promise.all([group.end(), trace?.end(TERM_GRACE_MS, END_LIMIT_MS)]);
          // What was started while the group was ending.
          await trace?.end(0, POLL_MS * ZOMBIE_POLLS);
          running.delete(tracked);
          unguard?.();
          unguard = null;
        },
      };
      running.add(tracked);
      return tracked;
    },
    async close() {
      await Promise.all(Array.from(running, (group) => group.end()));
    },
  };
}

function startGroup(request: GroupRequest, timers: Timers): ProcessGroup {
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(request.file, [...request.args], {
    cwd: request.cwd,
    env: request.env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let leaderGone = false;
  const ended = new Promise<LeaderEnd>((resolve, reject) => {
    child.once('error', (error) => {
      leaderGone = true;
      reject(error);
    });
    child.once('exit', (code, signal) => {
      leaderGone = true;
      resolve({ code, signal });
    });
  });

  // Without a listener of its own a failed start would end the server; those who wait for `ended` hear of it there.
  ended.catch(() => undefined);

  /** Whether the signal reached the group; false: it is empty. 0 only asks. */
  const send = (signal: NodeJS.Signals | 0): boolean => {
    const id = child.pid;
    if (id === undefined || id <= 1 || id === process.pid) return false;
    if (leaderGone && exists(id)) return false;
    return reaches(-id, signal);
  };
  let ending: Promise<void> | null = null;
  const end = async (): Promise<void> => {
    if (!send('SIGTERM')) return;
    // Deadlines of their own, since on a busy machine the polls come late.
    const due = { kill: false, giveUp: false };
    const cancels = [timers.after(TERM_GRACE_MS, () => (due.kill = true)), timers.after(END_LIMIT_MS, () => (due.giveUp = true))];
    for (let polls = 1; !due.giveUp && send(due.kill ? 'SIGKILL' : 0); polls++) {
      await new Promise<void>((resolve) => timers.after(POLL_MS, resolve));
      if (leaderGone && polls % ZOMBIE_POLLS === 0 && (await onlyZombies(child.pid!))) break;
    }
    for (const cancel of cancels) cancel();
  };
  return {
    id: child.pid ?? null,
    stdout: child.stdout,
    stderr: child.stderr,
    ended,
    end: () => (ending ??= end().finally(() => (ending = null))),
  };
}

function exists(pid: number): boolean {
  return reaches(pid, 0);
}

/** A process that may not be signalled (`EPERM`) is there all the same. */
function reaches(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'ESRCH') return false;
    if (code === 'EPERM') return true;
    throw error;
  }
}
