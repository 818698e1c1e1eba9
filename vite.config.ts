/**
 * How Cairn is built and tested. `vite build` makes the app (dist/app, with its worker, precompressed); `vite build --ssr server/main.ts`
 * makes the server as one file (dist/server/main.js): one bundle starts in a third of the time and half the memory of tsx.
 */
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import vue from '@vitejs/plugin-vue';
import type { Plugin } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { manifest } from './app/pwa/manifest.ts';

const root = import.meta.dirname;
const appOut = resolve(root, 'dist/app');
/** Loaded at run time from node_modules: compiled code, and a binary found beside its package. */
const nativePackages = ['better-sqlite3', '@vscode/ripgrep'];

/** Files of a folder, as paths relative to it with forward slashes. */
async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
}

/** Shipped beside the app but not part of it: the worker itself is never in its own cache. */
const notPrecached = (file: string): boolean => file === 'sw.js' || /\.(br|gz|map)$/.test(file);

/** The build fails when a file of the app is not in the worker's manifest: it would be missing offline (R9). */
function everythingIsPrecached(): Plugin {
  return {
    name: 'cairn:everything-is-precached',
    apply: 'build',
    closeBundle: {
      sequential: true,
      order: 'post',
      async handler(error?: Error) {
        if (error) return;
        const worker = await readFile(join(appOut, 'sw.js'), 'utf8');
        const listed = new Set([...worker.matchAll(/url["']?:\s*(["'`])(.*?)\1/g)].map((match) => match[2]));
        const missing = (await filesIn(appOut)).filter((file) => !notPrecached(file) && !listed.has(file));
        if (missing.length > 0) throw new Error(`not in the worker's precache manifest: ${missing.join(', ')}`);
      },
    },
  };
}

/** Brotli and gzip beside each text file, made once here rather than on every request. */
function precompress(): Plugin {
  const toBrotli = promisify(brotliCompress);
  const toGzip = promisify(gzip);
  return {
    name: 'cairn:precompress',
    apply: 'build',
    closeBundle: {
      sequential: true,
      order: 'post',
      async handler(error?: Error) {
        if (error) return;
        for (const file of await filesIn(appOut)) {
          if (!/\.(js|css|html|svg|json|webmanifest)$/.test(file)) continue;
          const path = join(appOut, file);
          const bytes = await readFile(path);
          const quality = { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY };
          await writeFile(`${path}.br`, await toBrotli(bytes, { params: quality }));
          await writeFile(`${path}.gz`, await toGzip(bytes, { level: 9 }));
        }
      },
    },
  };
}

function app(): ViteUserConfig {
  return {
    root: 'app',
    publicDir: '../public',
    plugins: [
      vue(),
      VitePWA({
        strategies: 'injectManifest',
        srcDir: 'pwa',
        filename: 'sw.ts',
        injectRegister: false,
        registerType: 'prompt',
        manifest,
        injectManifest: {
          rollupFormat: 'iife',
          globPatterns: ['**/*'],
          globIgnores: ['sw.js', 'manifest.webmanifest', '**/*.{br,gz,map}'],
          // Far above any chunk: what is too large must fail loudly, not be left out (see everythingIsPrecached).
          maximumFileSizeToCacheInBytes: 64 * 1024 * 1024,
        },
      }),
      everythingIsPrecached(),
      precompress(),
    ],
    build: {
      outDir: '../dist/app',
      emptyOutDir: true,
      target: ['chrome111', 'edge111', 'firefox114', 'safari16.4'],
      // The page's policy is `script-src 'self'`: no inline helper, and an inlined font or icon would need `data:`.
      modulePreload: { polyfill: false },
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
    server: { host: '127.0.0.1', port: 5173, strictPort: true },
  };
}

function server(): ViteUserConfig {
  return {
    publicDir: false,
    ssr: { noExternal: true, external: nativePackages },
    build: {
      outDir: resolve(root, 'dist/server'),
      emptyOutDir: true,
      target: 'node20',
      sourcemap: true,
      minify: false,
      rolldownOptions: { output: { entryFileNames: 'main.js', codeSplitting: false } },
    },
  };
}

function tests(): ViteUserConfig {
  return {
    plugins: [vue()],
    test: {
      root,
      include: ['test/**/*.test.ts'],
      exclude: ['test/e2e/**', 'test/engines/**', 'test/crash/**', 'node_modules/**', 'dist/**'],
      testTimeout: 20_000,
      hookTimeout: 20_000,
    },
  };
}

export default defineConfig(({ isSsrBuild }) => {
  if (process.env['VITEST'] !== undefined) return tests();
  return isSsrBuild === true ? server() : app();
});
