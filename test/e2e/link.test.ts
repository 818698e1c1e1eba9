/** The link cut for real, through a proxy: nothing is lost, nothing runs twice, nothing stays stuck. */
import { describe, expect, it } from 'vitest';
import { heardOnce } from './harness/heard.ts';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const words = (count: number): string => Array.from({ length: count }, (_, n) => `word-${n}`).join(' ');
const all = (text: string, count: number): boolean =>
  Array.from({ length: count }, (_, n) => `word-${n}`).every((word) => text.includes(word));

describe('a bad link', () => {
  it('law 8: cut for seconds in the middle of an answer, every word is there without a reload', async () => {
    const model = await useModel(stage, (_request, reply) => reply.text(words(150), { wait: 40 }));
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('a long story');
    await ui.said('word-10 ').waitFor();
    await link.refuse();
    await new Promise((done) => setTimeout(done, 2_500));
    await link.accept();
    await ui.said('word-149').waitFor({ timeout: 40_000 });
    await ui.idle();
    const text = await ui.text();
    expect(all(text, 150)).toBe(true);
    expect(text.match(/word-10\b/g)).toHaveLength(1);
  });

  it('B1: a socket that died in its sleep is found out and replaced when the page is seen again', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('awake');
    await ui.said('Heard: awake.').waitFor();
    await ui.idle();
    link.freezeOpen();
    await server.prompt(await ui.address(), 'while you slept');
    await ui.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await ui.said('Heard: while you slept.').waitFor({ timeout: 25_000 });
    expect((await ui.text()).match(/Heard: while you slept\./g)).toHaveLength(1);
  });

  it('B9: the answer to a prompt is lost, and the server restarts: it still runs once', async () => {
    const model = await useModel(stage, (_request, reply) => reply.text('Done once.'));
    const { server, link } = await stage.behindProxy({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server, link.url);
    await ui.startSession();
    await ui.send('first');
    await ui.said('Done once.').waitFor();
    await ui.idle();
    link.holdAnswers();
    await ui.send('exactly once');
    await expect.poll(() => model.double.log.length, { timeout: 15_000 }).toBe(2);
    await link.refuse();
    await server.kill9();
    link.thaw();
    await server.start();
    await link.accept();
    await ui.link(/^(live|server restarted)/i).waitFor({ timeout: 40_000 });
    await ui.idle();
    expect((await ui.text()).match(/^exactly once$/gm)).toHaveLength(1);
    expect((await ui.text()).match(/Done once\./g)).toHaveLength(2);
    expect(await server.turns(await ui.address())).toHaveLength(2);
  });

  it('I32: a prompt that cannot go through holds no other session', async () => {
    const { model, server, device, ui, inputs } = await heardOnce(stage);
    await device.context.route(inputs, (route) => route.abort());
    await ui.send('stuck here');
    await ui.page.goto(server.url);
    await ui.startSession();
    await ui.send('goes through');
    await ui.said('Heard: goes through.').waitFor();
    await device.context.unrouteAll();
    await expect.poll(() => model.double.log.map((entry) => asked(entry)), { timeout: 40_000 }).toContain('stuck here');
  });
});
