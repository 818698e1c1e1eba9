/** A server that is away: the app opens, the history is there, and what is typed runs once, in order, when it is back. */
import { describe, expect, it } from 'vitest';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();

describe('without the server', () => {
  it('opens from the worker, reads from the mirror, keeps two prompts over a closed tab, and sends each once', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Answer to ${asked(request)}.`));
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const first = await device.signIn(server);
    await first.startSession();
    await first.send('before the storm');
    await first.said('Answer to before the storm.').waitFor();
    await first.idle();
    const address = await first.address();

    await server.stop();
    await first.page.reload();
    await first.said('before the storm').waitFor();
    await first.said('Answer to before the storm.').waitFor();
    await first.link(/offline/i).waitFor();

    await first.send('first of two');
    await first.send('second of two', 'Queue');
    await first.page
      .getByText(/held on this device/i)
      .first()
      .waitFor();
    await first.page.close();
    expect(model.double.log).toHaveLength(1);

    await server.start();
    const second = await device.open(address);
    await second.said('Answer to first of two.').waitFor();
    await second.said('Answer to second of two.').waitFor();
    await second.idle();

    const prompts = model.double.log.map((entry) => asked(entry));
    expect(prompts).toEqual(['before the storm', 'first of two', 'second of two']);
    const text = await second.text();
    for (const words of ['first of two', 'second of two']) expect(text.match(new RegExp(`^${words}$`, 'gm')), words).toHaveLength(1);
    const order = ['before the storm', 'Answer to before', 'first of two', 'Answer to first', 'second of two', 'Answer to second'];
    expect(order.map((words) => text.indexOf(words))).toEqual(order.map((words) => text.indexOf(words)).toSorted((a, b) => a - b));
    const turns = await server.turns(address);
    expect(turns, 'the queued one has a turn of its own').toHaveLength(3);
  });

  it('a session made while it is away is there, with its prompt, when it is back', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Answer to ${asked(request)}.`));
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('so that the folder is known');
    await ui.said('Answer to so that the folder is known.').waitFor();
    await server.stop();
    await ui.link(/offline/i).waitFor();
    await ui.startSession();
    await ui.send('written in the dark');
    await ui.page
      .getByText(/held on this device/i)
      .first()
      .waitFor();
    expect(await ui.text()).not.toContain('so that the folder is known');
    await server.start();
    await ui.said('Answer to written in the dark.').waitFor({ timeout: 40_000 });
    expect(model.double.log).toHaveLength(2);
  });

  it('R9: a cold start without the server opens every route', async () => {
    const server = await stage.server();
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('list the files here');
    await ui.idle();
    const address = new URL(await ui.address());
    await ui.page.close();
    await server.stop();
    for (const path of ['/', '/new', address.pathname, '/settings']) {
      const page = await device.context.newPage();
      await page.goto(server.url + path);
      await page
        .getByText(/offline/i)
        .first()
        .waitFor();
      await page.close();
    }
    expect(device.faults).toEqual([]);
  });
});
