/** Once before all browser tests: the browser to drive, the built app, and a place for the gallery. */
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findBrowser, type BrowserChoice } from './browser.ts';
import { cleanEnv, root, run } from './server.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    browser: BrowserChoice;
    /** A folder: whoever needs the gallery first builds it there for all. */
    gallery: string;
  }
}

/** Answers what is to be done when all have ended. */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  // Builds when the sources changed, as `npm start` does.
  const built = await run(process.execPath, ['server/start.mjs', '--build'], cleanEnv(), 300_000);
  if (built.code !== 0 || !existsSync(join(root, 'dist/app/index.html'))) {
    throw new Error(`the app could not be built:\n${built.stdout}${built.stderr}`);
  }
  const browser = await findBrowser();
  console.log(`browser: ${browser.version} from ${browser.from}`);
  project.provide('browser', { from: browser.from, executablePath: browser.executablePath, env: browser.env });
  const gallery = await mkdtemp(join(tmpdir(), 'cairn-gallery-'));
  project.provide('gallery', gallery);
  return () => rm(gallery, { recursive: true, force: true });
}
