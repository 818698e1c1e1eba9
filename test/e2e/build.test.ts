/** What is shipped: small before first paint, compressed once, cached for good, with a strict policy. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './harness/server.ts';
import { useStage } from './harness/stage.ts';

const stage = useStage();
const app = join(root, 'dist/app');

describe('the built app', () => {
  it('sends at most 130 KB of gzipped JavaScript before first paint', async () => {
    const server = await stage.server();
    const device = await stage.device({ linkTrouble: true });
    const page = await device.context.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length > 0);
    const painted = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0);
    const before = await page.evaluate(
      (until) =>
        (performance.getEntriesByType('resource') as PerformanceResourceTiming[])
          .filter((entry) => entry.startTime < until && entry.name.endsWith('.js'))
          .map((entry) => new URL(entry.name).pathname),
      painted,
    );
    expect(before.length).toBeGreaterThan(0);
    const sizes = await Promise.all(before.map(async (path) => (await readFile(join(app, `${path}.gz`))).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(130 * 1024);
  });

  it('has brotli and gzip beside every text file, and serves them', async () => {
    const files = (await readdir(app, { recursive: true })).filter((file) => /\.(js|css|html|svg)$/.test(file));
    const all = new Set(await readdir(app, { recursive: true }));
    expect(files.filter((file) => !all.has(`${file}.br`) || !all.has(`${file}.gz`))).toEqual([]);
    const server = await stage.server();
    const script = files.find((file) => file.startsWith('assets/') && file.endsWith('.js')) ?? '';
    for (const encoding of ['br', 'gzip']) {
      const response = await fetch(`${server.url}/${script}`, { headers: { 'accept-encoding': encoding } });
      expect(response.headers.get('content-encoding')).toBe(encoding);
      expect(response.headers.get('cache-control')).toMatch(/immutable/);
      expect(response.headers.get('vary')?.toLowerCase()).toContain('accept-encoding');
      await response.arrayBuffer();
    }
    for (const path of ['/', '/sw.js']) {
      const response = await fetch(server.url + path);
      expect(response.headers.get('cache-control') ?? '', path).not.toMatch(/immutable/);
    }
  });

  it('answers 404, not the shell, for an asset that is not there', async () => {
    const server = await stage.server();
    expect((await fetch(`${server.url}/assets/gone-1234.js`)).status).toBe(404);
  });

  it('can be installed: a manifest with names, icons and a start', async () => {
    const manifest = JSON.parse(await readFile(join(app, 'manifest.webmanifest'), 'utf8')) as {
      name: string;
      start_url: string;
      display: string;
      icons: { src: string; sizes: string; purpose?: string }[];
    };
    expect(manifest.name).toBe('Cairn');
    expect(manifest.display).toBe('standalone');
    expect(manifest.start_url).toMatch(/^\//);
    expect(manifest.icons.some((icon) => icon.purpose?.includes('maskable'))).toBe(true);
    const files = new Set(await readdir(app, { recursive: true }));
    expect(manifest.icons.filter((icon) => !files.has(icon.src.replace(/^\//, '')))).toEqual([]);
  });
});
