/** Real processes for tests: TypeScript files run beside the test, ended with it. */
import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface Child {
  readonly process: ChildProcessWithoutNullStreams;
  /** Resolves with the exit code (null: a signal) and what was written to stderr. */
  readonly end: Promise<{ code: number | null; errors: string }>;
}

/** Starts a file under `test/support`; resolves once it has written its first output. */
export async function startChild(file: string, args: string[]): Promise<Child> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', path, ...args]);
  let errors = '';
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()));
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, errors }));
  const failed = end.then((ended) => {
    throw new Error(`${file} ended before it was ready: ${ended.errors}`);
  });
  await Promise.race([once(child.stdout, 'data'), failed]);
  failed.catch(() => undefined);
  return { process: child, end };
}
