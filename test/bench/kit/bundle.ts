/** The bench's own scripts for the page, bundled from the app's own sources. They are never part of what is shipped. */
import { join, resolve } from 'node:path';
import { build } from 'vite';

export type Script = 'probe' | 'mirror' | 'lean' | 'socket-clock' | 'sync';
const root = resolve(import.meta.dirname, '../../..');
const made = new Map<Script, Promise<string>>();

/** One self-contained script; what it offers is `window.bench`. */
export function bundle(script: Script): Promise<string> {
  const held = made.get(script) ?? make(script);
  made.set(script, held);
  return held;
}
async function make(script: Script): Promise<string> {
  const found = await build({
    configFile: false,
    root,
    logLevel: 'error',
    publicDir: false,
    build: {
      write: false,
      minify: true,
      lib: { entry: join(root, `test/bench/page/${script}.ts`), formats: ['iife'], name: 'benchScript', fileName: script },
    },
  });
  const outputs = Array.isArray(found) ? found : [found];
  const chunks = outputs.flatMap((one) => ('output' in one ? one.output : [])).filter((file) => file.type === 'chunk');
  if (chunks.length !== 1) throw new Error(`${script} became ${chunks.length} files`);
  return chunks[0]!.code;
}
