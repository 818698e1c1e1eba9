/**
 * A small process beside a command, in a session of its own, that ends the command's group when the server dies without
 * doing so (`kill -9`, out of memory): what was started must not run on with nobody to stop it, nor hold a port that the
 * resumed turn will want. It hears of the death as the end of its input.
 */
import { spawn } from 'node:child_process';
import type { Report } from '#shared/ports.ts';

/** A line says that the group is gone already; the end without one, that the server is. */
const SCRIPT = 'read -r word || kill -s KILL -- "-$1"';

/** Guards the process group of this id. The answer ends the guard, once the group is empty. */
export function startGuard(group: number, report: Report): () => void {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'cairn-guard', String(group)], {
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
