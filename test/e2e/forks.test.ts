/** Forks from a prompt, on the built app: retry, edit and send again, fork from here; with a link and without. */
import { describe, expect, it } from 'vitest';
import type { Ui } from './harness/ui.ts';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();

/** Chooses from the menu of the prompt with these words. */
async function choose(ui: Ui, words: string, item: RegExp): Promise<void> {
  const row = ui.transcript().locator('[data-prompt]').filter({ hasText: words }).first();
  await row.hover();
  await row.getByRole('button', { name: 'More about this prompt' }).click();
  await ui.page.getByRole('menuitem', { name: item }).click();
}
/** The open session is another one than at this address. */
async function leaves(ui: Ui, address: string): Promise<string> {
  await ui.page.waitForFunction((old) => location.href !== old, address);
  return ui.address();
}
const pathOf = (address: string): string => new URL(address).pathname;

describe('a fork', () => {
  it('retry and edit-and-resend each go on in a session of their own, from before the turn; the first one stays as it was', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Answer ${request.n} to ${asked(request)}.`));
    const server = await stage.server({ env: model.env });
    const device = await stage.device();
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('plant the beans');
    await ui.said('Answer 0 to plant the beans.').waitFor();
    await ui.idle();
    await ui.send('water them');
    await ui.said('Answer 1 to water them.').waitFor();
    await ui.idle();
    const origin = await ui.address();

    await choose(ui, 'water them', /^Retry/);
    const retried = await leaves(ui, origin);
    await ui.said('Answer 2 to water them.').waitFor();
    await ui.idle();
    expect(await ui.text()).toContain('Answer 0 to plant the beans.');
    expect(await ui.text()).not.toContain('Answer 1');
    // the very request that the first one made, and so the very same bytes before the answer
    expect(model.double.log[2]!.raw).toBe(model.double.log[1]!.raw);

    await ui.page.getByRole('link', { name: 'Fork of plant the beans', exact: true }).click();
    await ui.said('Answer 1 to water them.').waitFor();
    expect(pathOf(await ui.address()).startsWith(pathOf(origin))).toBe(true);

    await choose(ui, 'water them', /^Edit and send again/);
    const box = ui.page.getByRole('textbox', { name: 'Words to send in a fork' });
    expect(await box.inputValue()).toBe('water them');
    await box.fill('water them in the evening');
    // what is being written outlives the page
    await ui.page.waitForTimeout(1_000);
    await ui.page.reload();
    await choose(ui, 'water them', /^Edit and send again/);
    await box.waitFor();
    expect(await box.inputValue()).toBe('water them in the evening');
    const before = ui.page.url();
    await ui.page.getByRole('button', { name: 'Send in a fork' }).dblclick();
    const edited = await leaves(ui, before);
    await ui.said('Answer 3 to water them in the evening.').waitFor();
    await ui.idle();
    expect(pathOf(edited)).not.toBe(pathOf(retried));

    await ui.page.goto(origin);
    await ui.said('Answer 1 to water them.').waitFor();
    expect(await ui.text()).not.toContain('evening');
    const rows = await ui.page.getByRole('link', { name: /plant the beans/ }).count();
    expect(rows, 'two forks and their origin').toBe(3);
    expect(model.double.log).toHaveLength(4);
    expect(model.double.log.flatMap((entry) => entry.breaches)).toEqual([]);
    expect(device.faults).toEqual([]);
  });

  it('asked for without a link it is held here, says what it will be a copy of, and is made once when the link is back', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Answer ${request.n} to ${asked(request)}.`));
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('plant the beans');
    await ui.said('Answer 0 to plant the beans.').waitFor();
    await ui.idle();
    await ui.send('water them');
    await ui.said('Answer 1 to water them.').waitFor();
    await ui.idle();
    const origin = await ui.address();
    await server.stop();
    await ui.link(/offline/i).waitFor();

    await choose(ui, 'water them', /^Edit and send again/);
    const box = ui.page.getByRole('textbox', { name: 'Words to send in a fork' });
    await box.fill('let it rain');
    await box.press('Enter');
    const fork = await leaves(ui, origin);
    await ui.said('Fork of plant the beans').waitFor();
    await ui.said('Its history is copied when the link is back.').waitFor();
    await ui.said('let it rain').waitFor();
    await ui.said(/held on this device/i).waitFor();
    await ui.page.goto(origin);
    await choose(ui, 'plant the beans', /^Fork from here/);
    const copy = await leaves(ui, origin);
    expect(new Set([origin, fork, copy].map(pathOf)).size).toBe(3);
    await ui.page.close();

    await server.start();
    const later = await device.open(fork);
    await later.said('Answer 2 to let it rain.').waitFor({ timeout: 40_000 });
    expect(await later.text()).toContain('Answer 0 to plant the beans.');
    expect(await later.text()).not.toContain('water them');
    await later.page.goto(copy);
    await later.said('Answer 0 to plant the beans.').waitFor();
    expect(await later.text()).not.toContain('water them');
    expect(model.double.log.map((entry) => asked(entry))).toEqual(['plant the beans', 'water them', 'let it rain']);
  });
});
