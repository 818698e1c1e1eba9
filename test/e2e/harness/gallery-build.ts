/** The gallery's build, made once for all test files: built, not served by the development server, which reloads at a package's first use. */
import { access, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { build } from 'vite';

export const CONFIG_FILE = resolve(import.meta.dirname, '../../gallery/vite.config.ts');
const LOOK = 100;
const LATE = 110_000;

async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** Resolves with the folder of the built gallery. The first who asks builds it, in whatever process; the others wait. */
export async function galleryIn(folder: string): Promise<string> {
  const outDir = join(folder, 'app');
  const [done, failed] = [join(folder, 'done'), join(folder, 'failed')];
  // Making a folder is the one step that only one of many can do.
  const isFirst = await mkdir(join(folder, 'claim'), { recursive: false }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      return false;
    },
  );
  if (isFirst) {
    try {
      await build({ configFile: CONFIG_FILE, logLevel: 'error', build: { outDir, emptyOutDir: true, minify: false, target: 'esnext' } });
    } catch (error) {
      await writeFile(failed, '');
      throw error;
    }
    await writeFile(done, '');
    return outDir;
  }
  for (const late = Date.now() + LATE; !(await isThere(done)); await wait(LOOK)) {
    if (await isThere(failed)) throw new Error('the gallery could not be built: the file that began it says why');
    if (Date.now() > late) throw new Error('the gallery was not built in time');
  }
  return outDir;
}
