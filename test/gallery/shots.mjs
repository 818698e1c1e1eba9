/**
 * Pictures of every gallery state at three widths, light and dark, into dist/gallery (ignored):
 * `node test/gallery/shots.mjs [state …]`. CAIRN_CHROMIUM names another browser. With `--axe` each is checked with axe too.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { chromium } from 'playwright-core';
import { createServer } from 'vite';

const root = import.meta.dirname;
const out = resolve(root, '../../dist/gallery');
const args = process.argv.slice(2);
const only = args.filter((arg) => !arg.startsWith('--'));
/** `--at=360-light` looks at one width and one scheme. */
const at = args.find((arg) => arg.startsWith('--at='))?.slice(5);
const axe = args.includes('--axe') ? await readFile(resolve(root, '../../node_modules/axe-core/axe.min.js'), 'utf8') : null;
const SIZES = [
  { name: '360', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, deviceScaleFactor: 1.5 },
  { name: '820', viewport: { width: 820, height: 1000 } },
  { name: '1600', viewport: { width: 1600, height: 1000 } },
];

await mkdir(out, { recursive: true });
const server = await createServer({ configFile: resolve(root, 'vite.config.ts'), server: { port: 0 }, logLevel: 'error' });
await server.listen();
const url = server.resolvedUrls.local[0].replace(/\/$/, '');
const browser = await chromium.launch({
  executablePath: process.env.CAIRN_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
let faults = 0;
try {
  const { STATES } = await server.ssrLoadModule('/states.ts');
  for (const size of SIZES) {
    for (const colorScheme of ['light', 'dark']) {
      const { name: width, ...device } = size;
      if (at !== undefined && at !== `${width}-${colorScheme}`) continue;
      const context = await browser.newContext({ ...device, colorScheme, reducedMotion: 'reduce', locale: 'en-GB' });
      for (const [name, state] of Object.entries(STATES)) {
        if (only.length > 0 && !only.includes(name)) continue;
        const page = await context.newPage();
        page.on('pageerror', (error) => console.error(`${name}: ${error.message}`));
        page.on('console', (message) => ['error', 'warning'].includes(message.type()) && console.error(`${name}: ${message.text()}`));
        await page.clock.setFixedTime(new Date(2026, 10, 30, 14, 40));
        const address = new URL(state.path, url);
        address.searchParams.set('state', name);
        await page.goto(address.href, { waitUntil: 'networkidle' });
        // The view of the address loads by itself, after the shell.
        await page.locator('main > :nth-child(2), main .page').first().waitFor({ state: 'attached' });
        await page.waitForTimeout(200);
        for (const button of state.press ?? []) {
          const target = page
            .getByRole('button', { name: button, exact: true })
            .or(page.getByRole('menuitem', { name: button, exact: true }));
          await target
            .first()
            .click({ timeout: 5000 })
            .catch((error) => {
              faults++;
              console.error(`${name} ${width} ${colorScheme}: ${error.message.split('\n')[0]} (${button})`);
            });
          await page.waitForTimeout(150);
        }
        await page.screenshot({ path: `${out}/${name}-${width}-${colorScheme}.png` });
        if (axe !== null) {
          await page.evaluate(axe);
          const found = await page.evaluate(async () => {
            const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
            const { violations } = await globalThis.axe.run({ runOnly: { type: 'tag', values: tags } });
            return violations.map((rule) => `${rule.id}: ${rule.nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`);
          });
          for (const line of found) console.error(`${name} ${width} ${colorScheme}: ${line}`);
          faults += found.length;
        }
        await page.close();
      }
      await context.close();
    }
  }
} finally {
  await browser.close();
  await server.close();
}
if (faults > 0) process.exitCode = 1;
