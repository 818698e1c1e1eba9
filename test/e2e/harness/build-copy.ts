/** The built app in a folder of its own, so that a next version can be published over it. */
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './server.ts';

export interface BuildCopy {
  folder: string;
  /** What Node runs. */
  main: string;
  /** Paths of what is loaded lazily. */
  lazy: string[];
  /** The next version: another worker, and the lazy files of this one are gone from the server. */
  publish(): Promise<void>;
}

let copies = 0;

export async function copyOfTheBuild(): Promise<BuildCopy> {
  const folder = join(root, 'dist/e2e', `build-${process.pid}-${(copies += 1)}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await cp(join(root, 'dist/app'), join(folder, 'dist/app'), { recursive: true });
  await cp(join(root, 'dist/server'), join(folder, 'dist/server'), { recursive: true });
  await cp(join(root, 'package.json'), join(folder, 'package.json'));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const assets = join(folder, 'dist/app/assets');
  const shell = await readFile(join(folder, 'dist/app/index.html'), 'utf8');
  const lazy = (await readdir(assets)).filter((file) => file.endsWith('.js') && !shell.includes(file));
  return {
    folder,
    main: join(folder, 'dist/server/main.js'),
    lazy: lazy.map((file) => `/assets/${file}`),
    async publish() {
      const worker = join(folder, 'dist/app/sw.js');
      let text = await readFile(worker, 'utf8');
      for (const file of lazy) {
        text = text.replaceAll(new RegExp(`\\{[^{}]*${file.replaceAll('.', '\\.')}[^{}]*\\},?`, 'g'), '');
        for (const ending of ['', '.br', '.gz']) await rm(join(assets, file + ending), { force: true });
      }
      await writeFile(worker, `${text}\n// next`);
      for (const ending of ['.br', '.gz']) await rm(worker + ending, { force: true });
    },
  };
}
