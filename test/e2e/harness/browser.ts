/**
 * Which browser the tests drive, in this order: `CAIRN_TEST_BROWSER`, the system's Chromium or Chrome, Playwright's own
 * (cached, else downloaded), and the one inside `@sparticuz/chromium` (Linux x64, needs nothing installed; it has no
 * Background Sync). The first that really starts is taken; none is a failure, never a skip.
 */
import { spawn } from 'node:child_process';
import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

/** Plain data, so that it can be handed from the global set-up to the workers. */
export interface BrowserChoice {
  from: string;
  executablePath: string;
  env: Record<string, string>;
}

const root = resolve(import.meta.dirname, '../../..');
const downloadWithin = 180_000;
const ARGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

async function runnable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** A child's last line of output, or null when it failed or took too long. */
function lineOf(args: string[], env: NodeJS.ProcessEnv, within: number): Promise<string | null> {
  return new Promise((done) => {
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'ignore'], timeout: within });
    let out = '';
    child.stdout.on('data', (data: Buffer) => (out += data.toString()));
    child.on('error', () => done(null));
    child.on('exit', (code) => done(code === 0 ? (out.trim().split('\n').at(-1) ?? '') : null));
  });
}

async function* candidates(): AsyncGenerator<BrowserChoice> {
  const named = process.env['CAIRN_TEST_BROWSER'];
  if (named !== undefined && named !== '') {
    yield { from: 'CAIRN_TEST_BROWSER', executablePath: named, env: {} };
    return;
  }
  const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = names.flatMap((name) => folders.map((folder) => join(folder, name)));
  paths.push('/Applications/Google Chrome.app/Contents/MacOS/Google Chrome', '/Applications/Chromium.app/Contents/MacOS/Chromium');
  for (const path of paths) if (await runnable(path)) yield { from: 'the system', executablePath: path, env: {} };

  const own = chromium.executablePath();
  if (await runnable(own)) yield { from: "Playwright's cache", executablePath: own, env: {} };
  else {
    console.log('no browser on this system: trying to download one');
    await lineOf(['node_modules/playwright-core/cli.js', 'install', 'chromium'], process.env, downloadWithin);
    if (await runnable(own)) yield { from: "Playwright's download", executablePath: own, env: {} };
  }

  if (process.platform === 'linux' && process.arch === 'x64') {
    const folder = join(root, 'node_modules/.cache/cairn-chromium');
    await mkdir(folder, { recursive: true });
    // The package unpacks into the temporary folder, and its libraries only where it takes the machine for a cloud function.
    const env = { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' };
    const script = "const { default: c } = await import('@sparticuz/chromium'); console.log(await c.executablePath());";
    const path = await lineOf(['--input-type=module', '-e', script], env, 120_000);
    if (path === null) return;
    // Its own list of font folders holds only a cloud function's; without a font no text has a height.
    const fonts = `<fontconfig><dir>${join(folder, 'fonts')}</dir><cachedir>${join(folder, 'font-cache')}</cachedir></fontconfig>\n`;
    await writeFile(join(folder, 'fonts.conf'), fonts);
    const libraries = { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') };
    yield { from: '@sparticuz/chromium', executablePath: path, env: libraries };
  }
}

export function launch(choice: BrowserChoice): Promise<Browser> {
  const env = { ...process.env, ...choice.env } as Record<string, string>;
  return chromium.launch({ executablePath: choice.executablePath, headless: true, args: ARGS, env });
}

/** A browser whose storage is on the disk, in `folder`: a context of `launch` keeps its own in memory. */
export function launchOnDisk(choice: BrowserChoice, folder: string, viewport: { width: number; height: number }): Promise<BrowserContext> {
  const env = { ...process.env, ...choice.env } as Record<string, string>;
  return chromium.launchPersistentContext(folder, {
    executablePath: choice.executablePath,
    headless: true,
    args: ARGS,
    env,
    viewport,
    locale: 'en-GB',
  });
}

/** The first candidate that starts. Throws with what was tried when none does. */
export async function findBrowser(): Promise<BrowserChoice & { version: string }> {
  const tried: string[] = [];
  for await (const choice of candidates()) {
    try {
      const browser = await launch(choice);
      const version = browser.version();
      await browser.close();
      return { ...choice, version };
    } catch (error) {
      tried.push(`${choice.executablePath}: ${String(error).split('\n')[0]}`);
    }
  }
  throw new Error(`no browser could be started; set CAIRN_TEST_BROWSER to one. Tried:\n${tried.join('\n') || '(nothing was found)'}`);
}
