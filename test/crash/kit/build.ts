/** The server to be killed, bundled once a test file: one file starts in a third of the time that its sources take. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'vite';

export const root = resolve(import.meta.dirname, '../../..');

export interface Program {
  file: string;
  remove(): void;
}
/** Within the project, since its native packages are found from there. */
export async function buildServer(): Promise<Program> {
  mkdirSync(join(root, 'dist'), { recursive: true });
  const folder = mkdtempSync(join(root, 'dist/crash-'));
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    ssr: { noExternal: true, external: ['better-sqlite3', '@vscode/ripgrep'] },
    build: {
      ssr: join(root, 'test/crash/server/main.ts'),
      outDir: folder,
      target: 'node20',
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'server.js', codeSplitting: false } },
    },
  });
  return { file: join(folder, 'server.js'), remove: () => rmSync(folder, { recursive: true, force: true }) };
}
