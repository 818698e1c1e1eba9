/** Programs of the system: where they are, how they are started, and that none is left behind. */
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const END_WITHIN = 5_000;

/** Where a program is; else one plain line that names the Debian package it is in. `folders`: looked at after the PATH. */
export function programAt(name: string, debianPackage: string, folders: readonly string[] = []): string {
  const paths = [...(process.env['PATH'] ?? '').split(delimiter), ...folders].map((folder) => join(folder, name));
  for (const path of paths) {
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  }
  const refusal = new Error(`${name} is not installed: apt-get install ${debianPackage}`);
  // The line says all; where it was found out says nothing.
  refusal.stack = refusal.message;
  throw refusal;
}

export interface Program {
  readonly process: ChildProcess;
  /** Everything printed so far, both streams. */
  readonly output: () => string;
  /** Waits until `pattern` is printed. */
  printed(pattern: RegExp, within?: number): Promise<RegExpExecArray>;
  /** Asks it to end (unless it has), and forces it when it does not. Its whole group goes. */
  end(signal?: NodeJS.Signals): Promise<void>;
  /** Resolves when it is gone. */
  readonly ended: Promise<void>;
}

/** Starts a program in a process group of its own. */
export function startProgram(path: string, args: string[], options: { env?: NodeJS.ProcessEnv; stdio?: StdioOptions } = {}): Program {
  const child = spawn(path, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'], ...options });
  let printed = '';
  const news = new Set<() => void>();
  const hear = (data: Buffer): void => {
    printed += data.toString();
    for (const tell of news) tell();
  };
  for (const stream of child.stdio.slice(1)) stream?.on('data', hear);
  const ended = new Promise<void>((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  });
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  };
  return {
    process: child,
    ended,
    output: () => printed,
    printed(pattern, within = 30_000) {
      return new Promise((resolve, reject) => {
        const stop = (): void => {
          clearTimeout(timer);
          news.delete(look);
        };
        const fail = (why: string): void => {
          stop();
          reject(new Error(`${path} ${why}:\n${printed}`));
        };
        const look = (): void => {
          const found = pattern.exec(printed);
          if (found === null) return;
          stop();
          resolve(found);
        };
        const timer = setTimeout(() => fail('did not get ready'), within);
        news.add(look);
        void ended.then(() => fail('ended'));
        look();
      });
    },
    async end(name = 'SIGTERM') {
      if (child.exitCode === null && child.signalCode === null) signal(name);
      const forced = setTimeout(() => signal('SIGKILL'), END_WITHIN);
      await ended;
      clearTimeout(forced);
      // Helpers of a browser may outlive it for a moment; the profile is not free until they are gone.
      signal('SIGKILL');
    },
  };
}
