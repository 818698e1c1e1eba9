/** The queue in two windows: moved by pointer, touch and keys, edited on both without a link, cancelled and undone; a wait that Stop ends. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { freePort, LinkProxy } from './harness/link-proxy.ts';
import { root } from './harness/server.ts';
import { useModel, useStage } from './harness/stage.ts';
import type { Ui } from './harness/ui.ts';

const stage = useStage();
const axe = readFileSync(join(root, 'node_modules/axe-core/axe.min.js'), 'utf8');

async function broken(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate(async () => {
    const { axe: runner } = window as unknown as {
      axe: { run(options: unknown): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> };
    };
    const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
    const { violations } = await runner.run({ runOnly: { type: 'tag', values: tags } });
    return violations.map((rule) => `${rule.id}: ${rule.nodes[0]?.html ?? ''}`);
  });
}
const items = (ui: Ui): Locator => ui.queue().locator('.queue__item');
const grip = (ui: Ui, words: string): Locator => items(ui).filter({ hasText: words }).locator('.queue__grip');
/** The words of the tray, in the order shown, once they are these. */
async function shows(ui: Ui, ...words: string[]): Promise<void> {
  await expect.poll(() => ui.queue().locator('.queue__words > .cut').allInnerTexts(), { timeout: 15_000 }).toEqual(words);
}
async function choose(ui: Ui, words: string, item: string): Promise<void> {
  await items(ui)
    .filter({ hasText: words })
    .getByRole('button', { name: /^Actions for/ })
    .click();
  await ui.page.getByRole('menuitem', { name: item, exact: true }).click();
}
async function middle(locator: Locator): Promise<{ x: number; y: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('it is not in view');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
async function edit(ui: Ui, words: string, next: string): Promise<void> {
  await choose(ui, words, 'Edit');
  const field = ui.queue().getByRole('textbox', { name: /^Words of queued prompt/ });
  await field.fill(next);
  await ui.queue().getByRole('button', { name: 'Keep', exact: true }).click();
  await field.waitFor({ state: 'hidden' });
}

describe('the queue, in two windows', () => {
  it('is moved by pointer, keys and touch, cancelled and undone, and edited on both without a link: the conflict offers both texts', async () => {
    const model = await useModel(stage, async (_request, reply) => {
      await reply.text(Array.from({ length: 3000 }, (_, n) => `word-${n}`).join(' '), { wait: 40 });
    });
    const port = await freePort();
    const links = [await LinkProxy.start(port), await LinkProxy.start(port)] as const;
    for (const link of links) stage.afterwards(() => link.close());
    const server = await stage.server({ port, env: { ...model.env, CAIRN_ORIGINS: links.map(({ url }) => url).join(',') } });
    const desk = await (
      await stage.device({ linkTrouble: true, colorScheme: 'light', reducedMotion: 'reduce' })
    ).signIn(server, links[0].url);
    const phoneDevice = await stage.device({
      linkTrouble: true,
      colorScheme: 'dark',
      reducedMotion: 'reduce',
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    });
    // The conflict itself, as the browser prints every such answer.
    phoneDevice.allow(/^Failed to load resource: the server responded with a status of 409/);
    await desk.startSession();
    await desk.send('go');
    await desk.stopButton().waitFor();
    for (const words of ['one', 'two', 'three']) await desk.send(words, 'Queue');
    const phone = await phoneDevice.signIn(server, links[1].url);
    await phone.page.goto(links[1].url + new URL(await desk.address()).pathname);
    for (const ui of [desk, phone]) await shows(ui, 'one', 'two', 'three');

    // By pointer.
    const [from, to] = [await middle(grip(desk, 'three')), await middle(grip(desk, 'one'))];
    await desk.page.mouse.move(from.x, from.y);
    await desk.page.mouse.down();
    await desk.page.mouse.move(to.x, to.y + 4, { steps: 5 });
    await desk.page.mouse.up();
    for (const ui of [desk, phone]) await shows(ui, 'three', 'one', 'two');

    // By keys: the handle that was held keeps the focus, and the new place is said.
    await grip(desk, 'three').focus();
    await desk.page.keyboard.press('ArrowDown');
    for (const ui of [desk, phone]) await shows(ui, 'one', 'three', 'two');
    await expect.poll(() => grip(desk, 'three').evaluate((element) => element === document.activeElement)).toBe(true);
    await expect.poll(() => desk.page.getByRole('status').first().innerText()).toContain('Moved to place 2 of 3');

    // By touch.
    const touch = await phone.page.context().newCDPSession(phone.page);
    const [down, up] = [await middle(grip(phone, 'two')), await middle(grip(phone, 'one'))];
    const at = (type: 'touchStart' | 'touchMove' | 'touchEnd', y: number): Promise<unknown> =>
      touch.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x: down.x, y }] });
    await at('touchStart', down.y);
    for (let part = 1; part <= 5; part++) await at('touchMove', down.y + ((up.y - down.y) * part) / 5);
    await at('touchEnd', up.y);
    for (const ui of [desk, phone]) await shows(ui, 'two', 'one', 'three');

    // Cancelled, and undone: at its place again, on both.
    await choose(desk, 'one', 'Cancel');
    await shows(phone, 'two', 'three');
    await shows(desk, 'two', 'one', 'three');
    await items(desk).filter({ hasText: 'Cancelled' }).getByRole('button', { name: 'Undo' }).click();
    for (const ui of [desk, phone]) await shows(ui, 'two', 'one', 'three');

    // Edited on both, without a link.
    await links[0].refuse();
    await links[1].refuse();
    await Promise.all([desk, phone].map((ui) => ui.link(/offline/i).waitFor({ timeout: 30_000 })));
    await edit(desk, 'one', 'one, from the desk');
    await edit(phone, 'one', 'one, from the phone');
    for (const ui of [desk, phone]) {
      await items(ui).getByText('Edit held here').waitFor();
      await shows(ui, 'two', 'one', 'three');
    }
    await links[0].accept();
    await shows(desk, 'two', 'one, from the desk', 'three');
    await links[1].accept();
    const choice = phone.page.getByRole('group', { name: 'Changed here and on another device' });
    await choice.waitFor({ timeout: 30_000 });
    expect(await choice.innerText()).toMatch(/one, from the desk[\s\S]*one, from the phone/);
    expect([await broken(phone.page), await broken(desk.page)]).toEqual([[], []]);
    await choice.getByRole('button', { name: 'Use mine' }).click();
    for (const ui of [desk, phone]) await shows(ui, 'two', 'one, from the phone', 'three');

    // Turned into a steer: inline on both, in one lane.
    await desk.page.getByRole('button', { name: 'Send queued prompt 1 now, as a steer' }).click();
    for (const ui of [desk, phone]) {
      await shows(ui, 'one, from the phone', 'three');
      await ui.transcript().getByText('Joins after this step').waitFor();
      expect(await ui.transcript().getByText('two', { exact: true }).count()).toBe(1);
    }
    await desk.stopButton().click();
    await desk.queue().getByText('Queue paused.').waitFor();
    expect(await desk.page.getByRole('button', { name: 'Resume' }).count()).toBe(1);
  });

  it('I22: a provider that is overloaded is waited for with a countdown that is said once, and Stop ends it: no further try', async () => {
    const model = await useModel(stage, (_request, reply) => reply.fail(529, 'overloaded_error', 'Overloaded', { 'retry-after': '30' }));
    const server = await stage.server({ env: model.env });
    const ui = await (await stage.device()).signIn(server);
    await ui.startSession();
    await ui.send('go');
    const wait = ui.said(/^Tries again in \d+ s\./);
    await wait.waitFor();
    const seconds = async (): Promise<number> => Number(/in (\d+) s/.exec(await wait.innerText())?.[1]);
    const before = await seconds();
    await expect.poll(seconds, { timeout: 6_000 }).toBeLessThan(before - 1);
    const said = (await ui.page.getByRole('status').first().innerText()).match(/Tries again/g);
    expect(said).toHaveLength(1);
    await ui.stopButton().click();
    await wait.waitFor({ state: 'hidden' });
    await ui.queue().getByText('You stopped the turn').waitFor();
    const tries = model.double.log.length;
    await ui.page.waitForTimeout(1_500);
    expect(model.double.log.length).toBe(tries);
  });
});
