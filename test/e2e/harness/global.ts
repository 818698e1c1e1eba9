/** Once before all browser tests: the browser to drive, and the built app. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findBrowser, type BrowserChoice } from './browser.ts';
import { cleanEnv, root, run } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    browser: BrowserChoice;
  }
}

export default async function setUp(project: TestProject): Promise<void> {
  // Builds when the sources changed, as `npm start` does.
  const built = await run(process.execPath, ['server/start.mjs', '--build'], cleanEnv(), 300_000);
  if (built.code !== 0 || !existsSync(join(root, 'dist/app/index.html'))) {
    throw new Error(`the app could not be built:\n${built.stdout}${built.stderr}`);
  }
  const browser = await findBrowser();
  console.log(`browser: ${browser.version} from ${browser.from}`);
  project.provide('browser', { from: browser.from, executablePath: browser.executablePath, env: browser.env });
}
