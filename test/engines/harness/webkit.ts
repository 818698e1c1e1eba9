/**
 * WebKit as its GTK port has it, driven by WebKitWebDriver (classic WebDriver over HTTP) on a screen of its own. A window under
 * its automation keeps everything in memory, so it cannot be started again on what it kept: that is `webkit-on-disk.ts`.
 */
import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../e2e/harness/link-proxy.ts';
import { startDisplay } from './display.ts';
import { handsBy, PHONE, runBy, type Engine, type Machine } from './engine.ts';
import { programAt, startProgram } from './programs.ts';

export const driverAt = (): string => programAt('WebKitWebDriver', 'webkit2gtk-driver');

/** MiniBrowser is no command: it lies beside the library that the driver's package asks for. */
export function miniBrowserAt(): string {
  const libraries = readdirSync('/usr/lib').filter((name) => name.endsWith('-linux-gnu'));
  const versions = ['webkit2gtk-4.1', 'webkitgtk-6.0', 'webkit2gtk-4.0'];
  const folders = libraries.flatMap((library) => versions.map((version) => join('/usr/lib', library, version)));
  return programAt('MiniBrowser', 'webkit2gtk-driver', folders);
}

/** The environment of a window whose every file lies in `folder`. */
export function webkitEnv(folder: string, display: string): NodeJS.ProcessEnv {
  const folders = { HOME: folder, XDG_DATA_HOME: join(folder, 'data'), XDG_CACHE_HOME: join(folder, 'cache'), XDG_RUNTIME_DIR: folder };
  return { ...process.env, ...folders, DISPLAY: display, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1' };
}

/** What MiniBrowser prints of the page's console, when told to. */
export const PRINTS_CONSOLE = '--enable-write-console-messages-to-stdout=true';
export const complaintsIn = (output: string): string[] =>
  [...output.matchAll(/^CONSOLE (?:\S+ )?ERROR (.*)$/gm)].map((match) => match[1] ?? '');

export async function webkit(): Promise<Machine> {
  const binary = miniBrowserAt();
  const display = await startDisplay();
  const folder = await mkdtemp(join(tmpdir(), 'cairn-webkit-'));
  const port = await freePort();
  const driver = startProgram(driverAt(), [`--port=${port}`], { env: webkitEnv(folder, display.name) });

  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body === undefined ? null : JSON.stringify(body) });
    const { value } = (await response.json()) as { value: T & { error?: string; message?: string } };
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}: ${value.message}`);
    return value;
  }
  async function listening(): Promise<void> {
    for (let tries = 100; ; tries -= 1) {
      try {
        await call('GET', '/status');
        return;
      } catch (error) {
        if (tries === 0) throw error;
        await new Promise((done) => setTimeout(done, 50));
      }
    }
  }

  return {
    keeps: false,
    async start(): Promise<Engine> {
      await listening();
      const options = { binary, args: ['--automation', PRINTS_CONSOLE] };
      const { sessionId, capabilities } = await call<{ sessionId: string; capabilities: { browserVersion: string } }>('POST', '/session', {
        capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
      });
      const at = `/session/${sessionId}`;
      await call('POST', `${at}/timeouts`, { script: 60_000, pageLoad: 30_000 });
      // Its toolbar asks for a few pixels more in width; that is still a phone's layout.
      await call('POST', `${at}/window/rect`, { x: 0, y: 0, ...PHONE });
      const act = (actions: object[]): Promise<unknown> => call('POST', `${at}/actions`, { actions });
      return {
        version: `WebKitGTK ${capabilities.browserVersion}`,
        get complaints() {
          return complaintsIn(driver.output());
        },
        async go(url) {
          await call('POST', `${at}/url`, { url });
        },
        async reload() {
          await call('POST', `${at}/refresh`, {});
        },
        run: runBy((script) => call('POST', `${at}/execute/async`, { script: `${script}.then(arguments[0]);`, args: [] })),
        ...handsBy(act),
        async picture() {
          return Buffer.from(await call<string>('GET', `${at}/screenshot`), 'base64');
        },
        async offline() {
          return false;
        },
        async close() {
          await call('DELETE', at);
        },
      };
    },
    async dispose() {
      await driver.end();
      await display.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}
