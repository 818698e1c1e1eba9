/**
 * On Linux: whether a process group holds nothing but zombies, which are dead and only wait to be counted by their parent.
 * In a container whose first process counts nobody they stay for ever, and signals still "reach" them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { codeOf } from './fault.ts';

/** False where the system does not tell. */
export async function onlyZombies(group: number): Promise<boolean> {
  const states = await Promise.all((await namesIn('/proc')).filter((name) => /^\d+$/.test(name)).map((pid) => stateIn(pid, group)));
  const found = states.filter((state) => state !== null);
  return found.length > 0 && found.every((state) => state === 'Z' || state === 'X');
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return [];
  }
}

/** State letter of a process of the group; null: of another, or gone. Format: proc(5), `pid (comm) state ppid pgrp …`. */
async function stateIn(pid: string, group: number): Promise<string | null> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    const [state, , pgrp] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(pgrp) === group ? (state ?? null) : null;
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return null;
  }
}
