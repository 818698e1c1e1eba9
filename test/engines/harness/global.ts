/** Once before all engines: that they are installed, and the built app. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { firefoxAt } from './firefox.ts';
import { displayAt } from './display.ts';
import { driverAt, miniBrowserAt } from './webkit.ts';
import { cleanEnv, root, run } from '../../e2e/harness/server.ts';

export default async function setUp(): Promise<void> {
  for (const look of [firefoxAt, driverAt, miniBrowserAt, displayAt]) look();
  // Builds when the sources changed, as `npm start` does.
  const built = await run(process.execPath, ['server/start.mjs', '--build'], cleanEnv(), 300_000);
  if (built.code !== 0 || !existsSync(join(root, 'dist/app/index.html'))) {
    throw new Error(`the app could not be built:\n${built.stdout}${built.stderr}`);
  }
}
