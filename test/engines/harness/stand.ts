/** A server and an engine for one test, gone afterwards; and what it leaves behind to be looked at. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CairnServer, root } from '../../e2e/harness/server.ts';
import type { Engine, Machine } from './engine.ts';

/**
 * What an engine prints by itself: that the server is away, which is so on purpose and can neither be prevented nor caught by the
 * page, and which directive of the policy it does not know.
 */
const BY_ITSELF = [
  /^Unrecognized Content-Security-Policy directive 'manifest-src'/,
  /can.t establish a connection to the server/i,
  /Failed to load resource: .*(Could not connect|Connection (refused|terminated|reset))/i,
  /WebSocket connection to .* failed/i,
  /due to access control checks/i,
];

/** Complaints that the app could have prevented. */
export function ofThePage(complaints: readonly string[]): string[] {
  return complaints.filter((line) => !BY_ITSELF.some((pattern) => pattern.test(line)));
}

/** A picture of the window, in dist/engines. */
export async function keepPicture(engine: Engine, name: string): Promise<void> {
  const folder = join(root, 'dist/engines');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, `${name}.png`), await engine.picture());
}

export interface Stand {
  /** Names the pictures. */
  name: string;
  server: CairnServer;
  keeps: boolean;
  start(): Promise<Engine>;
}

/** Runs `work`; a test that fails leaves a picture of the window. */
export async function withStand<T>(name: string, make: () => Promise<Machine>, work: (stand: Stand) => Promise<T>): Promise<T> {
  const machine = await make();
  const server = await CairnServer.create();
  let engine: Engine | null = null;
  const start = async (): Promise<Engine> => (engine = await machine.start());
  try {
    await server.start();
    return await work({ name, server, keeps: machine.keeps, start });
  } catch (error) {
    if (engine !== null) await keepPicture(engine, `${name}-failed`).catch((why: unknown) => console.warn(`no picture: ${String(why)}`));
    throw error;
  } finally {
    await machine.dispose();
    await server.dispose();
  }
}
