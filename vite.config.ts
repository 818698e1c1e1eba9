import vue from '@vitejs/plugin-vue';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: 'app',
  publicDir: '../public',
  plugins: [vue()],
  build: { outDir: '../dist/app', emptyOutDir: true },
  test: { root: import.meta.dirname, include: ['test/**/*.test.ts'], exclude: ['test/e2e/**', 'node_modules/**', 'dist/**'] },
});
