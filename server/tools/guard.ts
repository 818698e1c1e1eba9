/**
 * A small process beside a command, in a session of its own, that ends the command's group when the server dies without
 * doing so (`kill -9`, out of memory): what was started must not run on with nobody to stop it, nor hold a port that the
 * resumed turn will want. It hears of the death as the end of its input. On Linux it also ends what left the group, by the
 * mark in its environment.
 */
import { spawn } from 'node:child_process';
import type { Report } from '#shared/ports.ts';
import { MARK } from './escaped.ts';

/**
 * A line says that the group is gone already; the end without one, that the server is. What left the group is looked for
 * three times, since it may be starting others meanwhile.
 */
const SCRIPT = `read -r word && exit
kill -s KILL -- "-$1"
for round in 1 2 3; do
  for file in $(grep -lsF "$2" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    kill -s KILL "\${pid%/environ}"
  done
done`;

/** Guards the process group of this id, and what carries this mark. The answer ends the guard, once nothing of it is left. */
export function startGuard(group: number, mark: string, report: Report): () => void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'cairn-guard', String(group), `${MARK}=${mark}`], {
    cwd: '/',
    env: {},
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const failed = (error: Error): void => report('guard.failed', { error });
  child.on('error', failed);
  child.stdin.on('error', failed);
  child.unref();
  return () => child.stdin.end('done\n');
}
