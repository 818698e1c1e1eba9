/** Networks that answer in the server's place, or now and then, or slowly: nothing counts but the server's own word. */
import { describe, expect, it } from 'vitest';
import { Portal, type PortalKind } from './harness/portal.ts';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();

describe('a train', () => {
  it('R1: a captive portal that answers 200, 302 or 511 takes no prompt, refuses none, and signs nobody out', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    device.allow(/^Failed to load resource: the server responded with a status of 511/);
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('before');
    await ui.said('Heard: before.').waitFor();
    await ui.idle();

    const portal = await Portal.before(link, 'page');
    await ui.link(/offline since/i).waitFor();
    await ui.send('through the portal');
    for (const kind of ['page', 'redirect', 'sign-on'] satisfies PortalKind[]) {
      portal.kind = kind;
      const before = portal.asked.length;
      await ui.page.getByRole('button', { name: 'Try the link now' }).first().click();
      await expect.poll(() => portal.asked.length, { timeout: 10_000 }).toBeGreaterThan(before);
      await ui.link(/offline since/i).waitFor();
      await ui.said(/Held on this device/).waitFor();
    }
    expect(model.double.log).toHaveLength(1);
    await portal.pass();
    await ui.said('Heard: through the portal.').waitFor({ timeout: 20_000 });
    await ui.idle();
    expect(model.double.log).toHaveLength(2);
    expect((await ui.text()).match(/^through the portal$/gm)).toHaveLength(1);
  });

  it('a link that comes and goes on a slow network: what was written between goes once each, in order', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('zero');
    await ui.said('Heard: zero.').waitFor();
    await ui.idle();
    const network = await device.context.newCDPSession(ui.page);
    await network.send('Network.enable');
    await network.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 250,
      downloadThroughput: 20_000,
      uploadThroughput: 10_000,
    });
    const written = ['one', 'two', 'three'];
    for (const words of written) {
      await link.refuse();
      await ui.send(words, 'Queue');
      await ui.page.waitForTimeout(300);
      await link.accept();
      await ui.page.evaluate(() => window.dispatchEvent(new Event('online')));
      await ui.page.waitForTimeout(400);
    }
    await ui.said('Heard: three.').waitFor({ timeout: 25_000 });
    await ui.idle();
    expect(model.double.log.map((entry) => asked(entry))).toEqual(['zero', ...written]);
    const text = await ui.text();
    for (const words of written) expect(text.match(new RegExp(`^${words}$`, 'gm')), words).toHaveLength(1);
  });
});
