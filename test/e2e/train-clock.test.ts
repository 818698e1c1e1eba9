/** Devices whose clocks are wrong: nothing is ordered, expired or hidden by it, and times are told as the server has them (I35). */
import { describe, expect, it } from 'vitest';
import { clockAhead, WORKER_SLEEPS } from './harness/before.ts';
import { asked, useModel, useStage } from './harness/stage.ts';
import type { Ui } from './harness/ui.ts';

const stage = useStage();
const HOUR = 3_600_000;
/** Clock times on the screen that are not within some minutes of now. */
async function strayTimes(ui: Ui): Promise<string[]> {
  const shown = await ui.page.locator('.srow__time, .prompt__when, [data-testid="link"]').allInnerTexts();
  const times = shown.flatMap((words) => words.match(/\d\d:\d\d/g) ?? []);
  expect(times.length).toBeGreaterThan(0);
  const now = new Date();
  const minutes = now.getHours() * 60 + now.getMinutes();
  return times.filter((time) => {
    const [hours, past] = time.split(':').map(Number) as [number, number];
    const off = Math.abs(hours * 60 + past - minutes);
    return Math.min(off, 1440 - off) > 5;
  });
}

describe('I35: a device', () => {
  it.each([
    ['7 h ahead', 7 * HOUR],
    ['2 days behind', -48 * HOUR],
  ])('%s: live, offline and back: the server’s times, its order, and nothing expires', async (_name, ahead) => {
    const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true, before: WORKER_SLEEPS + clockAhead(ahead) });
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('one');
    await ui.said('Heard: one.').waitFor();
    await ui.idle();
    await server.prompt(await ui.address(), 'two');
    await ui.said('Heard: two.').waitFor();
    await ui.idle();
    expect(await strayTimes(ui)).toEqual([]);
    await ui.page.getByRole('heading', { name: 'Today' }).waitFor();

    await link.refuse();
    await ui.link(/^Offline since \d\d:\d\d$/).waitFor();
    await ui.send('three');
    await ui.link(/^Offline since \d\d:\d\d, 1 prompt held$/).waitFor();
    await ui.page.reload();
    await ui.link(/^Offline since \d\d:\d\d, 1 prompt held$/).waitFor();
    expect(await strayTimes(ui)).toEqual([]);
    await ui.page.getByRole('heading', { name: 'Today' }).waitFor();
    await link.accept();
    await ui.page.evaluate(() => window.dispatchEvent(new Event('online')));
    await ui.said('Heard: three.').waitFor();
    await ui.idle();
    const text = await ui.text();
    const order = ['one', 'Heard: one.', 'two', 'Heard: two.', 'three', 'Heard: three.'];
    expect(order.map((words) => text.indexOf(words))).toEqual(order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b));
    expect(text).not.toMatch(/never sent|ago/);
  });
});
