/** The gallery, built and shown in a real browser: the app over stores that a test moves by hand (`window.drive`). */
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { preview, type PreviewServer } from 'vite';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import type { Drive } from '../../gallery/drive.ts';
import { launch } from './browser.ts';
import { CONFIG_FILE, galleryIn } from './gallery-build.ts';
import { watchLines } from './lines.ts';

declare global {
  interface Window {
    drive: Drive;
    marked: Element[];
  }
}

export interface Gallery {
  /** A new window on this state. */
  open(state: string, options?: BrowserContextOptions): Promise<Transcript>;
  /** A complaint of the page that is part of what the test does. */
  allow(message: string): void;
}

export function useGallery(): Gallery {
  let server: PreviewServer;
  let browser: Browser;
  let pages: Page[] = [];
  let faults: string[] = [];
  let allowed: string[] = [];
  beforeAll(async () => {
    const outDir = await galleryIn(inject('gallery'));
    server = await preview({
      configFile: CONFIG_FILE,
      logLevel: 'error',
      build: { outDir },
      preview: { host: '127.0.0.1', port: 0, strictPort: false },
    });
    browser = await launch(inject('browser'));
  }, 120_000);
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  afterEach(async () => {
    for (const page of pages) await page.context().close();
    const found = faults.filter((fault) => !allowed.some((message) => fault.includes(message)));
    pages = [];
    faults = [];
    allowed = [];
    if (found.length > 0) throw new Error(found.join('\n'));
  });

  return {
    async open(state, options = { viewport: { width: 1000, height: 800 } }) {
      const context = await browser.newContext(options);
      const page = await context.newPage();
      pages.push(page);
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
      await watchLines(page);
      await page.goto(`${server.resolvedUrls?.local[0] ?? ''}s/01930000-0000-7000-8000-000000000001?state=${state}`);
      const transcript = new Transcript(page);
      await transcript.box.locator('.log').waitFor({ timeout: 60_000 });
      return transcript;
    },
    allow: (message) => void allowed.push(message),
  };
}

/** The transcript of one window. */
export class Transcript {
  readonly page: Page;
  readonly box: Locator;
  constructor(page: Page) {
    this.page = page;
    this.box = page.getByRole('region', { name: 'Transcript' });
  }

  /** Until nothing moves any more: the frames of a change, and the rest after a gesture. */
  settle(): Promise<void> {
    return this.page.waitForTimeout(300);
  }
  /** Shows chunks `from` to `to` of a history of that many turns. */
  async window(turns: number, from: number, to: number): Promise<void> {
    await this.page.evaluate(([a, b, c]) => window.drive.window(a, b, c), [turns, from, to] as const);
    await this.settle();
  }
  offset(): Promise<number> {
    return this.box.evaluate((box) => box.scrollTop);
  }
  /** Distance of the end of the content from the bottom of the view. */
  below(): Promise<number> {
    return this.box.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  }
  async wheel(by: number): Promise<void> {
    await this.box.hover();
    await this.page.mouse.wheel(0, by);
    await this.settle();
  }
  row(words: string): Locator {
    return this.page.locator('.log > li', { hasText: words }).first();
  }
  /** Words of the first row that begins in view, a little below its upper edge. */
  reading(): Promise<string> {
    return this.page.evaluate(() => {
      const view = document.querySelector('.transcript__scroll')!.getBoundingClientRect();
      for (const row of document.querySelectorAll('.log > li')) {
        const words = /(?:Answer|Prompt) \d+/.exec(row.textContent ?? '')?.[0];
        const { top } = row.getBoundingClientRect();
        if (words !== undefined && top > view.top + 1 && top < view.bottom - 40) return words;
      }
      throw new Error('nothing is in view');
    });
  }
}
