/** A page that is frozen, crashed or asleep while a turn goes on: what it remembers is never shown as going on. */
import { describe, expect, it } from 'vitest';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const words = (count: number): string => Array.from({ length: count }, (_, n) => `word-${n}`).join(' ');
/** A turn that streams for some three seconds. */
const streaming = () => useModel(stage, (_request, reply) => reply.text(words(60), { wait: 50 }));

describe('B35: a page that is not let run in the middle of a stream', () => {
  it('frozen and thawed: within one reconnect the answer is whole and over, with no error told', async () => {
    const model = await streaming();
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('a long story');
    await ui.said('word-3 ').waitFor();
    const life = await device.context.newCDPSession(ui.page);
    await life.send('Page.setWebLifecycleState', { state: 'frozen' });
    link.freezeOpen();
    const address = await ui.address();
    await expect.poll(async () => (await server.turns(address)).length, { timeout: 10_000 }).toBe(1);
    await expect
      .poll(async () => JSON.stringify((await server.api('GET', '/api/sessions?since=0')).body), { timeout: 15_000 })
      .toContain('"status":"idle"');
    await life.send('Page.setWebLifecycleState', { state: 'active' });
    await ui.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await ui.said('word-59').waitFor({ timeout: 15_000 });
    await ui.idle();
    expect((await ui.text()).match(/word-3\b/g)).toHaveLength(1);
    expect(await ui.page.locator('[data-live=""], .toast, .banner[data-tone="bad"]').count()).toBe(0);
  });

  it('killed and opened again, without the link and then with it: first dated, then whole, never running by memory', async () => {
    const model = await streaming();
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const first = await device.signIn(server, link.url);
    await first.startSession();
    await first.send('a long story');
    await first.said('word-3 ').waitFor();
    const address = await first.address();
    // No farewell, as when the browser discards a tab or the system kills the app.
    await link.refuse();
    const [crash] = await Promise.allSettled([first.page.waitForEvent('crash'), first.page.goto('chrome://crash')]);
    expect(crash.status).toBe('fulfilled');
    await first.page.close();

    const again = await device.open(address);
    await again.said('a long story').waitFor();
    await again.link(/offline since/i).waitFor();
    await again.said(/^Last seen running at/).waitFor();
    expect(await again.page.locator('[data-mark="running"], .now__line[data-live], .rec[data-live=""]').count()).toBe(0);
    expect(await again.stopButton().count()).toBe(0);
    await link.accept();
    await again.page.evaluate(() => window.dispatchEvent(new Event('online')));
    await again.said('word-59').waitFor({ timeout: 15_000 });
    await again.idle();
    expect((await again.text()).match(/word-3\b/g)).toHaveLength(1);
  });
});

describe('B8: an approval', () => {
  it('held by a device without a link is too late once another has answered: told so, and the tool ran once', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.results.length === 0 ? reply.tool('run', { command: 'echo once >> count.txt' }) : reply.text('Ran.'),
    );
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    device.allow(/status of 410/);
    const phone = await device.signIn(server, link.url);
    await phone.startSession();
    await phone.send('count');
    await phone.approval().waitFor();
    const desk = await (await stage.device()).signIn(server, link.url);
    const address = await phone.address();
    await desk.page.goto(address);
    await desk.approval().waitFor();

    await device.context.route('**/api/**', (route) => route.abort());
    await device.context.setOffline(true);
    await phone.page.reload();
    await phone.link(/offline/i).waitFor();
    await phone.said(/^Asked \d\d:\d\d, and last seen open/).waitFor();
    await phone.page.getByRole('button', { name: /^Deny/ }).click();
    await phone.said(/Your no is held here/).waitFor();
    await desk.approval().click();
    await desk.said('Ran.').waitFor();
    await device.context.unrouteAll();
    await device.context.setOffline(false);
    await phone.said('Ran.').waitFor({ timeout: 20_000 });
    await phone.page.getByText('Too late to decide.').waitFor();
    expect(await phone.approval().count()).toBe(0);
    expect(await server.read('count.txt')).toBe('once\n');
  });
});
