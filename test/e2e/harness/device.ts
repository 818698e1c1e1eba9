/**
 * One device: a browser context with its own storage, and a watch over everything its pages complain of. A console error, an
 * uncaught exception or a refused policy in any test fails that test, unless the test said beforehand that it must come.
 */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { Ui } from './ui.ts';

/** What the browser itself prints while the link is down on purpose; the page can neither prevent nor catch it. */
const LINK_DOWN = [
  /^Failed to load resource: net::ERR_/,
  /^WebSocket connection to .* failed/,
  /^Failed to load resource: the server responded with a status of 401/,
];

export interface DeviceOptions extends BrowserContextOptions {
  /** The link will be cut, refused or stopped in this test. */
  linkTrouble?: boolean;
  /** Runs in every page before its own script. */
  before?: string;
}

export class Device {
  readonly context: BrowserContext;
  readonly faults: string[] = [];
  readonly #allowed: RegExp[];

  private constructor(context: BrowserContext, allowed: RegExp[]) {
    this.context = context;
    this.#allowed = allowed;
    context.on('console', (message) => {
      if (message.type() === 'error') this.#fault(`${message.text()} ${message.location().url}`.trim());
    });
    context.on('weberror', (error) => this.#fault(`uncaught: ${error.error().message}`));
  }

  static async create(browser: Browser, options: DeviceOptions = {}): Promise<Device> {
    const { linkTrouble = false, before, ...contextOptions } = options;
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...contextOptions });
    context.setDefaultTimeout(15_000);
    await context.addInitScript(() => {
      addEventListener('securitypolicyviolation', (event) => {
        console.error(`policy: ${event.violatedDirective} refused ${event.blockedURI}`);
      });
    });
    if (before !== undefined) await context.addInitScript(before);
    return new Device(context, linkTrouble ? [...LINK_DOWN] : []);
  }

  /** From here on, this complaint is part of what the test does. */
  allow(pattern: RegExp): void {
    this.#allowed.push(pattern);
  }
  #fault(text: string): void {
    if (!this.#allowed.some((pattern) => pattern.test(text))) this.faults.push(text);
  }

  /** A new window at `url`. */
  async open(url: string): Promise<Ui> {
    const page = await this.context.newPage();
    await page.goto(url);
    return new Ui(page);
  }

  /** Opens the printed link, and waits until the app is signed in and its worker controls the page. */
  async signIn(server: { url: string; token: string }, base = server.url): Promise<Ui> {
    const ui = await this.open(`${base}/#t=${server.token}`);
    await ui.signedIn();
    await controlled(ui.page);
    return ui;
  }

  async close(): Promise<void> {
    await this.context.close();
  }
}

/** Waits for the service worker to be active and to control the page; a first visit may need one reload for that. */
export async function controlled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
  });
  const claimed = () => page.evaluate(() => navigator.serviceWorker.controller !== null);
  if (!(await claimed())) {
    await page.reload();
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  }
}
