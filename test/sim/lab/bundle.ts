/** The hand as one plain file: built in a moment, it starts sooner than sources that are translated one by one, and runs faster. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'vite';

/** Of the sources in `folder`, beside whose packages it lies; `remove` once nobody runs it any more. */
export async function bundledHand(folder: string): Promise<{ path: string; remove(): Promise<void> }> {
  await mkdir(join(folder, 'dist'), { recursive: true });
  const outDir = await mkdtemp(join(folder, 'dist/sim-'));
  await build({
    root: folder,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    build: {
      ssr: join(folder, 'test/sim/lab/hand.ts'),
      outDir,
      target: 'node20',
      minify: false,
      sourcemap: 'inline',
      rolldownOptions: { output: { entryFileNames: 'hand.js', codeSplitting: false } },
    },
  });
  return { path: join(outDir, 'hand.js'), remove: () => rm(outDir, { recursive: true, force: true }) };
}
