/** Background Sync on the built app: the worker hands over what waits with every window closed, beside one, and killed in the middle. */
import { describe, expect, it } from 'vitest';
import type { Device } from './harness/device.ts';
import type { LinkProxy } from './harness/link-proxy.ts';
import { sessionIn, type CairnServer } from './harness/server.ts';
import { asked, useModel, useStage } from './harness/stage.ts';
import type { Ui } from './harness/ui.ts';
import { WorkerControl } from './harness/worker-control.ts';

const stage = useStage();
interface Train {
  server: CairnServer;
  link: LinkProxy;
  device: Device;
  ui: Ui;
  address: string;
  worker: WorkerControl;
  prompts(): string[];
  inputs(): Promise<{ id: string }[]>;
}
/** A session with one turn behind it, the link refused, and two prompts held. */
async function train(): Promise<Train> {
  const model = await useModel(stage, (request, reply) => reply.text(`Answer to ${asked(request)}.`));
  const { server, link } = await stage.behindProxy({ env: model.env });
  const device = await stage.device({ linkTrouble: true });
  const ui = await device.signIn(server, link.url);
  await ui.startSession();
  await ui.send('at the station');
  await ui.said('Answer to at the station.').waitFor();
  await ui.idle();
  const address = await ui.address();
  await link.refuse();
  await ui.link(/offline/i).waitFor({ timeout: 30_000 });
  await ui.send('first of two');
  await ui.send('second of two', 'Queue');
  await ui.page
    .getByText(/held on this device/i)
    .first()
    .waitFor();
  const worker = await WorkerControl.of(device.context, link.url);
  return {
    server,
    link,
    device,
    ui,
    address,
    worker,
    prompts: () => model.double.log.map((entry) => asked(entry)),
    async inputs() {
      const { body } = await server.api<{ records: { type: string; data: { inputId: string } }[] }>(
        'GET',
        `/api/sessions/${sessionIn(address)}/log?after=0&limit=1000`,
      );
      return body.records.filter(({ type }) => type === 'admitted').map(({ data }) => ({ id: data.inputId }));
    },
  };
}
const ONCE = ['at the station', 'first of two', 'second of two'];

describe('the worker', () => {
  it('hands over two held prompts with every window closed, once each and in order; the next window shows them done', async () => {
    const { device, link, ui, address, worker, prompts, inputs } = await train();
    const asks = await ui.page.evaluate(async () => {
      const registration = (await navigator.serviceWorker.ready) as ServiceWorkerRegistration & { sync?: { getTags(): Promise<string[]> } };
      return registration.sync === undefined ? null : registration.sync.getTags();
    });
    expect(asks, 'the browser was asked to wake the worker').toContain('cairn-outbox');
    await ui.page.close();
    await worker.sync();
    expect(prompts(), 'without a network nothing goes').toEqual(['at the station']);
    await link.accept();
    await worker.sync();
    await expect.poll(prompts, { timeout: 15_000 }).toEqual(ONCE);
    expect(await inputs()).toHaveLength(3);

    const later = await device.open(address);
    await later.said('Answer to second of two.').waitFor();
    await later.idle();
    const text = await later.text();
    for (const words of ONCE) expect(text.match(new RegExp(`^${words}$`, 'gm')), words).toHaveLength(1);
    await later.page
      .getByText(/held on this device/i)
      .first()
      .waitFor({ state: 'hidden' });
    expect([prompts(), (await inputs()).length]).toEqual([ONCE, 3]);
    expect(
      await later.page.evaluate(async () => {
        const lists = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
        return lists.flat().filter((request) => new URL(request.url).pathname.startsWith('/api')).length;
      }),
      'B17: no answer is cached',
    ).toBe(0);
  });

  it('B10: worker and window at once, and a worker killed the moment the server has something: once each', async () => {
    const { link, ui, worker, prompts, inputs } = await train();
    await link.accept();
    await Promise.all([worker.sync(), ui.page.evaluate(() => window.dispatchEvent(new Event('online'))), worker.sync()]);
    await ui.said('Answer to second of two.').waitFor({ timeout: 30_000 });
    await ui.idle();
    expect([prompts(), (await inputs()).length]).toEqual([ONCE, 3]);

    await link.refuse();
    await ui.link(/offline/i).waitFor({ timeout: 30_000 });
    for (const words of ['third', 'fourth']) await ui.send(words, 'Queue');
    await ui.page.close();
    await link.accept();
    await worker.sync();
    while ((await inputs()).length < 4) await new Promise((done) => setTimeout(done, 5));
    await worker.stop();
    await worker.sync();
    await expect.poll(prompts, { timeout: 15_000 }).toEqual([...ONCE, 'third', 'fourth']);
    expect(await inputs()).toHaveLength(5);
  });
});
