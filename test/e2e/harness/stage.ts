/** What a browser test file asks for: servers, devices and proxies that are gone after each test, and checked before they go. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, inject } from 'vitest';
import { doubleModel, startDouble, type Double, type DoubleRequest, type Script } from '../../wire/double.ts';
import { launch } from './browser.ts';
import { Device, type DeviceOptions } from './device.ts';
import { freePort, LinkProxy } from './link-proxy.ts';
import { CairnServer, root, type ServerOptions } from './server.ts';

export interface Stage {
  /** Started. */
  server(options?: ServerOptions): Promise<CairnServer>;
  /** A server behind a link that can be cut; devices must use the proxy's URL. */
  behindProxy(options?: ServerOptions): Promise<{ server: CairnServer; link: LinkProxy }>;
  device(options?: DeviceOptions): Promise<Device>;
  /** Something else to end after the test. */
  afterwards(end: () => Promise<unknown>): void;
}

export function useStage(): Stage {
  let browser: Browser | null = null;
  let devices: Device[] = [];
  let ends: (() => Promise<unknown>)[] = [];

  beforeAll(async () => {
    browser = await launch(inject('browser'));
  });
  afterAll(async () => {
    await browser?.close();
  });
  afterEach(async (context) => {
    const faults = devices.flatMap((device) => device.faults);
    if (context.task.result?.state === 'fail') await picture(devices, context.task.name);
    for (const device of devices) await device.close();
    for (const end of ends.toReversed()) await end();
    devices = [];
    ends = [];
    expect(faults, 'what the browser complained of').toEqual([]);
  });

  const server = async (options?: ServerOptions): Promise<CairnServer> => {
    const made = await CairnServer.create(options);
    ends.push(() => made.dispose());
    return made.start();
  };
  return {
    server,
    async behindProxy(options = {}) {
      const port = await freePort();
      const link = await LinkProxy.start(port);
      ends.push(() => link.close());
      return { server: await server({ ...options, port, env: { ...options.env, CAIRN_ORIGINS: link.url } }), link };
    },
    async device(options) {
      if (browser === null) throw new Error('the browser is started by beforeAll');
      const device = await Device.create(browser, options);
      devices.push(device);
      return device;
    },
    afterwards(end) {
      ends.push(end);
    },
  };
}

/** A model of the test's own: the strict double, and the environment that points the server at it. */
export async function useModel(stage: Stage, script: Script): Promise<{ double: Double; env: Record<string, string> }> {
  const double = await startDouble({ script });
  stage.afterwards(() => double.close());
  const env = {
    ANTHROPIC_BASE_URL: double.url,
    ANTHROPIC_API_KEY: 'sk-double',
    CAIRN_WIRE: 'anthropic',
    CAIRN_MODEL: doubleModel().id,
  };
  return { double, env };
}

/** What the person asked in this request: the newest prompt, without the note that Cairn puts beside it. */
export function asked(request: DoubleRequest): string {
  const words = request.prompt.replaceAll(/<context>[\s\S]*?<\/context>/g, '').trim();
  return words.split('\n').at(-1) ?? '';
}

/** A failed test leaves pictures of what its windows showed, in dist/e2e. */
async function picture(devices: readonly Device[], name: string): Promise<void> {
  const folder = join(root, 'dist/e2e');
  await mkdir(folder, { recursive: true });
  const stem = name.replace(/[^a-z0-9]+/gi, '-').slice(0, 80);
  let n = 0;
  for (const device of devices) {
    for (const page of device.context.pages()) {
      n += 1;
      // A page that hangs or crashed has no picture; the failure itself is already told.
      await page
        .screenshot({ path: join(folder, `${stem}-${n}.png`), timeout: 5_000 })
        .catch((error: unknown) => console.warn(`no picture: ${String(error)}`));
    }
  }
}
