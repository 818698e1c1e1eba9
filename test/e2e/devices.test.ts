/** Devices in the settings: who may come in, and signing another one out. */
import { describe, expect, it } from 'vitest';
import { useStage } from './harness/stage.ts';

const stage = useStage();

describe('devices', () => {
  it('are listed, this one first; another is signed out at once, and keeps what it has not handed over', async () => {
    const server = await stage.server();
    const desk = await (await stage.device()).signIn(server);
    const phone = await (await stage.device({ linkTrouble: true })).signIn(server);
    await phone.startSession();
    await phone.send('hello');
    await phone.idle();
    await desk.page.goto(`${server.url}/settings`);
    const list = desk.page.getByRole('region', { name: 'Devices' });
    await expect.poll(() => list.getByRole('listitem').count()).toBe(2);
    expect(await list.getByRole('listitem').first().innerText()).toContain('This device');
    await list.getByRole('button', { name: /^Sign out/ }).click();
    await desk.page.getByRole('dialog').getByRole('button', { name: 'Sign out', exact: true }).click();
    await expect.poll(() => list.getByRole('listitem').count()).toBe(1);
    await phone.page
      .getByText(/signed out/i)
      .first()
      .waitFor();
    expect((await server.api<{ devices: unknown[] }>('GET', '/api/devices')).body.devices).toHaveLength(1);
  });
});
