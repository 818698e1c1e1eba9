/** Serves the gallery: `npx vite --config test/gallery/vite.config.ts`, then `/?state=…` (see states.ts). */
import { resolve } from 'node:path';
import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vite';

const root = import.meta.dirname;
export default defineConfig({
  root,
  publicDir: resolve(root, '../../public'),
  cacheDir: resolve(root, '../../node_modules/.vite-gallery'),
  plugins: [vue()],
  server: { host: '127.0.0.1', port: 5199, fs: { allow: [resolve(root, '../..')] } },
});
