/**
 * WebKit with its storage on the disk: MiniBrowser as a person starts it, driven through its own remote inspector, which is
 * told over HTTP which pages there are and speaks JSON on a WebSocket with each. It has no keyboard and no pointer, so presses
 * and words are made in the page; what this adds to `webkit.ts` is that a closed browser can be opened again, and the width of a desk.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../e2e/harness/link-proxy.ts';
import { startDisplay } from './display.ts';
import { runBy, type Engine, type Machine } from './engine.ts';
import { GoneTarget, Inspector } from './inspector.ts';
import { startProgram, type Program } from './programs.ts';
import { complaintsIn, miniBrowserAt, PRINTS_CONSOLE, webkitEnv } from './webkit.ts';

export async function webkitOnDisk(): Promise<Machine> {
  const binary = miniBrowserAt();
  const display = await startDisplay();
  const folder = await mkdtemp(join(tmpdir(), 'cairn-webkit-'));
  let running: Program | null = null;

  return {
    keeps: true,
    async start(): Promise<Engine> {
      const address = `127.0.0.1:${await freePort()}`;
      const env = { ...webkitEnv(folder, display.name), WEBKIT_INSPECTOR_HTTP_SERVER: address };
      const cookies = `--cookies-file=${join(folder, 'cookies.db')}`;
      const program = startProgram(binary, [PRINTS_CONSOLE, cookies, 'about:blank'], { env });
      running = program;
      const inspector = await Inspector.open(address);
      const run = runBy((script) => inspector.evaluate(script));
      /** Waits for the page of `leave`: one that has not been marked, and is loaded. Between two pages there may be none to ask. */
      const loaded = async (leave: () => Promise<unknown>): Promise<void> => {
        await run(() => Object.assign(window, { before: true }) === window);
        await leave();
        const isThere = `String(!('before' in window) && document.readyState === 'complete')`;
        while ((await inspector.evaluate(isThere).catch(unlessGone)) !== 'true') await new Promise((done) => setTimeout(done, 50));
      };
      return {
        version: await run(() => navigator.userAgent),
        get complaints() {
          return complaintsIn(program.output());
        },
        go: (url) => loaded(() => inspector.call('Page.navigate', { url })),
        reload: () => loaded(() => inspector.call('Page.reload')),
        run,
        press: (x, y) => run(press, x, y),
        type: (words) => run(type, words),
        async picture() {
          const size = await run(() => ({ width: innerWidth, height: innerHeight }));
          const rect = { x: 0, y: 0, ...size, coordinateSystem: 'Viewport' };
          const { dataURL } = await inspector.call<{ dataURL: string }>('Page.snapshotRect', rect);
          return Buffer.from(dataURL.slice(dataURL.indexOf(',') + 1), 'base64');
        },
        async offline() {
          return false;
        },
        async close() {
          inspector.close();
          await program.end();
        },
      };
    },
    async dispose() {
      await running?.end();
      await display.end();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
}

function unlessGone(error: unknown): null {
  if (error instanceof GoneTarget) return null;
  throw error;
}

function press(x: number, y: number): void {
  const target = document.elementFromPoint(x, y);
  const taker = target?.closest<HTMLElement>('button, a, textarea, input, [tabindex]');
  if (taker === null || taker === undefined) throw new Error(`nothing to press at ${x}, ${y}`);
  taker.focus();
  taker.click();
}

function type(words: string): void {
  if (!document.execCommand('insertText', false, words)) throw new Error('nothing takes words');
}
