/** A phone on plain http: no worker, no locks, no clipboard, no lasting storage. All works with a link, and says what does not. */
import { chromium } from 'playwright-core';
import { describe, expect, inject, it } from 'vitest';
import { Device } from './harness/device.ts';
import { freePort } from './harness/link-proxy.ts';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const NAME = 'phone.test';

describe('over plain http', () => {
  it('the app works online, says once that it does not open offline, and never again once that was put away', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
    const port = await freePort();
    const origin = `http://${NAME}:${port}`;
    const server = await stage.server({ port, env: { ...model.env, CAIRN_ORIGINS: origin } });
    const { executablePath, env } = inject('browser');
    const browser = await chromium.launch({
      executablePath,
      headless: true,
      env: { ...process.env, ...env } as Record<string, string>,
      args: ['--no-sandbox', '--disable-gpu', `--host-resolver-rules=MAP ${NAME} 127.0.0.1`],
    });
    stage.afterwards(() => browser.close());
    const device = await Device.create(browser, { viewport: { width: 390, height: 780 } });
    // The browser's own remark on such an address.
    device.allow(/^The Cross-Origin-Opener-Policy header has been ignored/);
    stage.afterwards(async () => expect(device.faults).toEqual([]));
    const ui = await device.open(`${origin}/#t=${server.token}`);
    await ui.signedIn();
    expect(await ui.page.evaluate(() => [isSecureContext, 'serviceWorker' in navigator, 'locks' in navigator])).toEqual([
      false,
      false,
      false,
    ]);
    await ui.startSession();
    await ui.send('one');
    await ui.said('Heard: one.').waitFor();
    await ui.idle();
    await ui.page.reload();
    await ui.said('Heard: one.').waitFor();

    const second = await device.open(origin);
    const hint = second.page.getByRole('note').filter({ hasText: 'No offline start here.' });
    await hint.waitFor();
    await hint.getByRole('button', { name: 'Put this hint away' }).click();
    await hint.waitFor({ state: 'hidden' });
    await second.page.reload();
    await second.sessionRow(/one/).waitFor();
    await second.link(/^Live$/).waitFor();
    expect(await hint.count()).toBe(0);
    await second.page.goto(`${origin}/settings`);
    await second.page.getByText('Opened over plain http, so not without a link.').waitFor();
    expect(model.double.log).toHaveLength(1);
  });
});
