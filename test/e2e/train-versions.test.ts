/** App and server of different versions: told which one is to be updated, reading goes on, and the way out works. */
import { rm } from 'node:fs/promises';
import type { WebSocketRoute } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { CLOSE } from '#shared/protocol/frames.ts';
import { WORKER_SLEEPS } from './harness/before.ts';
import { copyOfTheBuild } from './harness/build-copy.ts';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();

describe('a version that does not fit', () => {
  it('too old an app is told to update, reads on and holds; the button fetches the version that nobody has looked for yet', async () => {
    const model = await useModel(stage, (_request, reply) => reply.text('ok'));
    const build = await copyOfTheBuild();
    stage.afterwards(() => rm(build.folder, { recursive: true, force: true }));
    const server = await stage.server({ env: model.env, program: [build.main] });
    const device = await stage.device({ linkTrouble: true, before: WORKER_SLEEPS });
    let refuses = false;
    const tries: number[] = [];
    await device.context.routeWebSocket('**/api/live', (socket: WebSocketRoute) => {
      if (refuses) tries.push(Date.now());
      if (refuses) return void socket.close({ code: CLOSE.tooOld, reason: 'update needed' });
      socket.connectToServer();
    });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('hello');
    await ui.said('ok').waitFor();
    await ui.idle();

    await server.stop();
    await build.publish();
    refuses = true;
    await server.start();
    await ui.link('Update to keep sending').waitFor({ timeout: 20_000 });
    await ui.said('ok').waitFor();
    await ui.send('for later');
    await ui.said(/Held on this device/).waitFor();
    const asked = tries.length;
    await ui.page.waitForTimeout(3_000);
    expect(tries.length, 'no loop of tries').toBe(asked);

    refuses = false;
    await Promise.all([ui.page.waitForEvent('load'), ui.page.getByRole('button', { name: 'Update', exact: true }).first().click()]);
    const waiting = await ui.page.evaluate(async () => {
      const registration = await navigator.serviceWorker.getRegistration();
      await registration?.update();
      return registration?.waiting != null || registration?.installing != null;
    });
    expect(waiting, 'it is the newest by now').toBe(false);
    await ui.said('for later').waitFor();
    await expect.poll(async () => (await server.turns(await ui.address())).length, { timeout: 15_000 }).toBe(2);
  });

  it('too old a server is told of, is not asked again by itself, and is found once it was updated', async () => {
    const model = await useModel(stage, (_request, reply) => reply.text('ok'));
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true, before: WORKER_SLEEPS });
    let old = false;
    let welcomes = 0;
    await device.context.routeWebSocket('**/api/live', (socket: WebSocketRoute) => {
      const upstream = socket.connectToServer();
      upstream.onMessage((message) => {
        const text = String(message);
        if (text.includes('"welcome"')) welcomes += 1;
        socket.send(old ? text.replace(/"protocol":\d+/, '"protocol":0') : text);
      });
    });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('hello');
    await ui.said('ok').waitFor();
    await ui.idle();
    old = true;
    await server.stop();
    await server.start();
    await ui.link('The server needs an update').waitFor({ timeout: 20_000 });
    await ui.page.getByText('The server is older than this app.').waitFor();
    await ui.said('ok').waitFor();
    await ui.send('for later');
    await ui.said(/Held on this device/).waitFor();
    const before = welcomes;
    await ui.page.waitForTimeout(3_000);
    expect(welcomes, 'no loop of tries').toBe(before);
    old = false;
    await ui.page.getByRole('button', { name: 'Try the link now' }).first().click();
    await ui.link(/^(Live|Server restarted .*)$/).waitFor();
    await expect.poll(async () => (await server.turns(await ui.address())).length, { timeout: 15_000 }).toBe(2);
  });
});
