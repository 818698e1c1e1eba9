/**
 * On Linux: what a command started that left its process group (`setsid`, a daemon), found and ended. Everything a command
 * starts inherits its environment, and with it a mark that no other command has; and what is a child of something marked
 * belongs to it too, even with an environment of its own. What did both, and lost its parent before anybody looked, is not
 * found. Where there is no /proc nothing is found: there, only the group is ended.
 */
import { readdirSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import type { Timers } from '#shared/ports.ts';
import { codeOf } from './fault.ts';

/** Beside the mark it says to a script that it runs for an agent. Not `CAIRN_…`: those are settings, and kept from commands. */
export const MARK = 'IN_CAIRN';

const POLL_MS = 25;

export interface Trace {
  /** Remembers what is there now: call it while the parents still live. */
  look(): Promise<void>;
  /** TERM, and KILL after `termMs`, until nothing is left that it knows of, at most for `limitMs`. */
  end(termMs: number, limitMs: number): Promise<void>;
}

interface Found {
  pid: number;
  parent: number;
  group: number;
  /** When it was started: a number that is given again is another process. */
  since: string;
  marked: boolean;
}

/** Begins before the command is started: whatever is there by then is none of its children, and is never looked at. */
export function traceOf(mark: string, timers: Timers): (leader: number) => Trace {
  const before = new Set(numbersIn(listNow()));
  return (leader) => {
    const known = new Map<number, string>();
    const isKnown = (found: Found): boolean => known.get(found.pid) === found.since;

    /** Those that live, but for the group itself, which is ended as a whole. */
    async function living(): Promise<number[]> {
      const pids = numbersIn(await list()).filter((pid) => pid !== leader && !before.has(pid));
      const found = (await Promise.all(pids.map((pid) => look(pid, mark)))).filter((one) => one !== null);
      const belongs = (one: Found): boolean => one.marked || one.parent === leader || isKnown(one) || hasKnownParent(one, found);
      for (let more = true; more;) {
        const added = found.filter((one) => !isKnown(one) && belongs(one));
        for (const one of added) known.set(one.pid, one.since);
        more = added.length > 0;
      }
      return found.filter((one) => isKnown(one) && one.group !== leader).map((one) => one.pid);
    }
    function hasKnownParent(one: Found, found: readonly Found[]): boolean {
      const parent = found.find(({ pid }) => pid === one.parent);
      return parent !== undefined && isKnown(parent);
    }

    return {
      look: async () => void (await living()),
      async end(termMs, limitMs) {
        const due = { kill: false, giveUp: false };
        const cancels = [timers.after(termMs, () => (due.kill = true)), timers.after(limitMs, () => (due.giveUp = true))];
        const told = new Set<number>();
        for (let left = await living(); left.length > 0 && !due.giveUp; left = await living()) {
          for (const pid of left) {
            if (due.kill) signal(pid, 'SIGKILL');
            else if (!told.has(pid)) signal(pid, 'SIGTERM');
            told.add(pid);
          }
          await new Promise<void>((resolve) => timers.after(POLL_MS, resolve));
        }
        for (const cancel of cancels) cancel();
      },
    };
  };
}

/** Null: gone, dead and only waiting to be counted, or not ours to look at. Format: proc(5), `pid (comm) state ppid pgrp …`. */
async function look(pid: number, mark: string): Promise<Found | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, group] = fields;
    if (state === 'Z' || state === 'X') return null;
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    const marked = `\0${environment}`.includes(`\0${MARK}=${mark}\0`);
    return { pid, parent: Number(parent), group: Number(group), since: fields[19] ?? '', marked };
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return null;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (pid <= 1 || pid === process.pid) return;
  try {
    process.kill(pid, name);
  } catch (error) {
    // Gone in the meantime, or under another user by now.
    if (codeOf(error) === null) throw error;
  }
}

function numbersIn(names: readonly string[]): number[] {
  return names.filter((name) => /^\d+$/.test(name)).map(Number);
}
async function list(): Promise<string[]> {
  try {
    return await readdir('/proc');
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return [];
  }
}
function listNow(): string[] {
  try {
    return readdirSync('/proc');
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return [];
  }
}
