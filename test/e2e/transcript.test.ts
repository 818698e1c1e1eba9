/** The transcript over stores that are moved by hand, in a real browser: what stays still, what follows, what is not redrawn. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { build, preview, type PreviewServer } from 'vite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import type { Drive } from '../gallery/drive.ts';
import { launch } from './harness/browser.ts';

declare global {
  interface Window {
    drive: Drive;
    marked: Element[];
  }
}

let server: PreviewServer;
let outDir = '';
let browser: Browser;
let page: Page;
let faults: string[];
beforeAll(async () => {
  // Built, not served by the development server: that one reloads the page when it meets a package for the first time.
  const configFile = resolve(import.meta.dirname, '../gallery/vite.config.ts');
  outDir = await mkdtemp(join(tmpdir(), 'cairn-gallery-'));
  await build({ configFile, logLevel: 'error', build: { outDir, emptyOutDir: true, minify: false, target: 'esnext' } });
  server = await preview({ configFile, logLevel: 'error', build: { outDir }, preview: { host: '127.0.0.1', port: 0, strictPort: false } });
  browser = await launch(inject('browser'));
}, 120_000);
afterAll(async () => {
  await browser?.close();
  await server?.close();
  await rm(outDir, { recursive: true, force: true });
});
beforeEach(async () => {
  page = await browser.newPage({ viewport: { width: 1000, height: 800 } });
  faults = [];
  page.on('pageerror', (error) => faults.push(error.message));
  page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  await open('t-empty');
});
afterEach(async () => {
  await page.close();
  if (faults.length > 0) throw new Error(faults.join('\n'));
});

async function open(state: string): Promise<void> {
  const url = server.resolvedUrls?.local[0] ?? '';
  await page.goto(`${url}s/01930000-0000-7000-8000-000000000001?state=${state}`);
  await page.locator('.transcript__scroll .log').waitFor({ timeout: 60_000 });
}
const settle = (): Promise<void> => page.waitForTimeout(300);
/** Distance of the end of the content from the bottom of the view. */
const below = (): Promise<number> =>
  page.locator('.transcript__scroll').evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
/** Where the row with these words stands on screen. */
const top = (words: string): Promise<number> =>
  page
    .locator('.log > li', { hasText: words })
    .first()
    .evaluate((row) => row.getBoundingClientRect().top);
async function wheel(by: number): Promise<void> {
  await page.locator('.transcript__scroll').hover();
  await page.mouse.wheel(0, by);
  await settle();
}
/** Words of a row that is wholly in view. */
async function reading(): Promise<string> {
  return page.evaluate(() => {
    const view = document.querySelector('.transcript__scroll')!.getBoundingClientRect();
    for (const row of document.querySelectorAll('.log > li')) {
      const box = row.getBoundingClientRect();
      const words = /(?:Answer|Prompt) \d+/.exec(row.textContent ?? '')?.[0];
      if (words !== undefined && box.top > view.top + 60 && box.top < view.bottom - 100) return words;
    }
    throw new Error('nothing is in view');
  });
}

describe('the reader’s line', () => {
  it('does not move by more than 2 px when an older page comes in above', async () => {
    await page.evaluate(() => window.drive.window(120, 300, 480));
    await settle();
    await wheel(-1500);
    const words = await reading();
    for (const from of [240, 150, 60, 0]) {
      const before = await top(words);
      await page.evaluate((at) => window.drive.slide(at, 480), from);
      await settle();
      expect(Math.abs((await top(words)) - before)).toBeLessThanOrEqual(2);
    }
  });
  it('does not move when a page comes in above and the far end is let go in the same flush', async () => {
    await page.evaluate(() => window.drive.window(120, 300, 480));
    await settle();
    await wheel(-4000);
    const words = await reading();
    const before = await top(words);
    await page.evaluate(() => window.drive.slide(210, 440));
    await settle();
    expect(Math.abs((await top(words)) - before)).toBeLessThanOrEqual(2);
  });
  it('does not move when words stream below, are sealed, and new ones are counted', async () => {
    await page.evaluate(() => window.drive.window(30, 0, 150));
    await settle();
    await wheel(-900);
    const words = await reading();
    const before = await top(words);
    await page.evaluate(() => {
      window.drive.begin();
      for (let at = 0; at < 60; at++) window.drive.stream({ type: 'text-delta', i: 0, text: `Line ${at} of an answer.\n\n` });
      window.drive.seal();
    });
    await settle();
    expect(Math.abs((await top(words)) - before)).toBeLessThanOrEqual(2);
    await page.getByRole('button', { name: '1 new' }).click();
    await settle();
    expect(await below()).toBeLessThanOrEqual(2);
  });
  it('does not move when the oldest are let go above a reader who follows the tail', async () => {
    await page.evaluate(() => window.drive.window(60, 0, 300));
    await settle();
    expect(await below()).toBeLessThanOrEqual(2);
    await page.evaluate(() => window.drive.slide(100, 300));
    await settle();
    expect(await below()).toBeLessThanOrEqual(2);
  });
});

describe('following the tail', () => {
  it('keeps the end in view while words stream, stops at the first upward gesture, and starts again at the bottom', async () => {
    await page.evaluate(() => window.drive.window(30, 0, 150));
    await settle();
    await page.evaluate(() => window.drive.begin());
    for (let round = 0; round < 10; round++) {
      await page.evaluate(() => window.drive.stream({ type: 'text-delta', i: 0, text: 'More words of an answer. '.repeat(30) }));
      await page.waitForTimeout(60);
    }
    await settle();
    expect(await below()).toBeLessThanOrEqual(2);
    await wheel(-3);
    const at = await page.locator('.transcript__scroll').evaluate((box) => box.scrollTop);
    await page.evaluate(() => window.drive.stream({ type: 'text-delta', i: 0, text: '\n\nStill more.'.repeat(20) }));
    await settle();
    expect(await page.locator('.transcript__scroll').evaluate((box) => box.scrollTop)).toBe(at);
    await wheel(100_000);
    await page.evaluate(() => window.drive.stream({ type: 'text-delta', i: 0, text: '\n\nAnd more.'.repeat(20) }));
    await settle();
    expect(await below()).toBeLessThanOrEqual(2);
  });
  it('keys that go up stop it too, and what is sent from here is followed', async () => {
    await page.evaluate(() => window.drive.window(30, 0, 150));
    await settle();
    await page.locator('.transcript__scroll').focus();
    await page.keyboard.press('PageUp');
    await settle();
    expect(await below()).toBeGreaterThan(200);
    await page.evaluate(() => window.drive.hold('A prompt that is written here'));
    await settle();
    expect(await below()).toBeLessThanOrEqual(2);
  });
});

describe('what is not redrawn', () => {
  it('finished blocks keep their nodes while words stream and when they are sealed', async () => {
    await page.evaluate(() => {
      window.drive.window(2, 0, 10);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'First paragraph.\n\n```js\nconst a = 1;\n```\n\nThird one is op' });
    });
    await settle();
    await page.evaluate(() => {
      const blocks = document.querySelectorAll('.log > li .md[data-open] .md__block');
      window.marked = [...blocks].slice(0, 2).map((block) => block.firstElementChild!);
    });
    await page.evaluate(() => {
      for (let at = 0; at < 20; at++) window.drive.stream({ type: 'text-delta', i: 0, text: 'en. ' });
      window.drive.stream({ type: 'text-end', i: 0 });
      window.drive.seal();
    });
    await settle();
    expect(await page.evaluate(() => window.marked.map((element) => element.isConnected))).toEqual([true, true]);
    expect(await page.locator('.md', { hasText: 'First paragraph' }).innerText()).toContain('Third one is open. en.');
  });
  it('a delta changes nodes of the open block only', async () => {
    await page.evaluate(() => {
      window.drive.window(6, 0, 30);
      window.drive.begin();
      window.drive.stream({ type: 'text-delta', i: 0, text: 'First paragraph.\n\nSecond is op' });
    });
    // Colour comes a moment after the code itself, and is no delta's doing.
    await page.locator('.code .k').first().waitFor();
    await settle();
    const touched = await page.evaluate(async () => {
      const found = new Set<string>();
      const observer = new MutationObserver((changes) => {
        for (const change of changes) {
          const element = change.target instanceof Element ? change.target : change.target.parentElement;
          const block = element?.closest('.md__block');
          found.add(block == null ? `${element?.tagName}.${element?.className}` : `block: ${block.textContent?.slice(0, 12)}`);
        }
      });
      observer.observe(document.querySelector('.log')!, { subtree: true, childList: true, characterData: true });
      window.drive.stream({ type: 'text-delta', i: 0, text: 'en' });
      await new Promise((done) => setTimeout(done, 100));
      observer.disconnect();
      return [...found];
    });
    expect(touched).toEqual(['block: Second is op']);
  });
  it('a prompt keeps its node from the moment it is held to its place in the transcript', async () => {
    await page.evaluate(() => window.drive.window(3, 0, 15));
    const id = await page.evaluate(() => window.drive.hold('Words that stay'));
    const prompt = page.locator('.prompt', { hasText: 'Words that stay' });
    await prompt.waitFor();
    expect(await prompt.getAttribute('data-stage')).toBe('held');
    await prompt.evaluate((element) => (window.marked = [element]));
    await page.evaluate((input) => window.drive.promote(input), id);
    await settle();
    expect(await prompt.getAttribute('data-stage')).toBe('sealed');
    expect(await page.evaluate(() => window.marked[0]!.isConnected)).toBe(true);
  });
});

describe('an approval', () => {
  it('shows the exact command, is answered once, and shrinks to one line when it is decided', async () => {
    await open('t-approval-run');
    const card = page.getByRole('region', { name: 'Run this command?' });
    expect(await card.innerText()).toContain('npm install --save-dev iconv-lite@0.7');
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('Sending your yes.').waitFor();
    expect(await card.count()).toBe(0);
    await page.evaluate(() => window.drive.decide());
    await page.locator('.card', { hasText: 'Allowed' }).getByText('by you, here').waitFor();
  });
  it('a letter answers only while the card itself has the focus', async () => {
    await open('t-approval-run');
    const card = page.getByRole('region', { name: 'Run this command?' });
    await page.getByRole('textbox', { name: 'Prompt' }).press('y');
    expect(await card.count()).toBe(1);
    await card.getByRole('button', { name: 'Deny' }).focus();
    await page.keyboard.press('n');
    await page.getByText('Sending your no.').waitFor();
  });
  it('on a phone it is a sheet that can be put away and asked for again', async () => {
    await page.setViewportSize({ width: 390, height: 760 });
    await open('t-approval-run');
    const sheet = page.getByRole('dialog', { name: 'Run this command?' });
    await sheet.waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Review' }).last().click();
    await sheet.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('Sending your no.').waitFor();
    expect(await sheet.count()).toBe(0);
  });
});
