/** A browser with its storage on the disk, as a person has it: contexts of the tests keep theirs in memory, which no bench may. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { launchOnDisk, type BrowserChoice } from '../../e2e/harness/browser.ts';
import { controlled } from '../../e2e/harness/device.ts';
import { Ui } from '../../e2e/harness/ui.ts';
import { bundle, type Script } from './bundle.ts';

const VIEWPORT = { width: 1280, height: 800 };

export class Profile {
  readonly context: BrowserContext;
  readonly #folder: string;

  private constructor(context: BrowserContext, folder: string) {
    this.context = context;
    this.#folder = folder;
  }
  static async create(choice: BrowserChoice): Promise<Profile> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-bench-profile-'));
    const context = await launchOnDisk(choice, folder, VIEWPORT);
    context.setDefaultTimeout(60_000);
    return new Profile(context, folder);
  }
  /** Signed in, and controlled by the worker. */
  async signIn(server: { url: string; token: string }): Promise<void> {
    const page = await this.context.newPage();
    await page.goto(`${server.url}/#t=${server.token}`);
    await new Ui(page).signedIn();
    await controlled(page);
    await page.close();
  }
  /** A window of the app with a script of the bench in it; `early`: one that runs before the app's own. */
  async open(url: string, script: Script, early?: Script): Promise<Page> {
    const page = await this.context.newPage();
    if (early !== undefined) await page.addInitScript({ content: await bundle(early) });
    await page.goto(url);
    await page.evaluate(await bundle(script));
    return page;
  }
  /** A page of the server's origin that is not the app: empty but for `body` and a script of the bench. Below `/api`, where the worker stays out. */
  async blank(server: { url: string }, script: Script, body = ''): Promise<Page> {
    const page = await this.context.newPage();
    const address = `${server.url}/api/bench`;
    // A page that no server sent counts as a stranger to this machine, which must not open a socket to it unasked.
    await this.context.grantPermissions(['local-network-access'], { origin: server.url });
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body: `<!doctype html><body>${body}</body>` }));
    await page.goto(address);
    await page.unroute(address);
    await page.evaluate(await bundle(script));
    return page;
  }
  async close(): Promise<void> {
    await this.context.close();
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
