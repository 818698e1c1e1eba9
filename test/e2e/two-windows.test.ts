/** Two windows on one session: both live, each sees what the other does. */
import { describe, expect, it } from 'vitest';
import { sessionIn } from './harness/server.ts';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const words = (count: number): string => Array.from({ length: count }, (_, n) => `word-${n}`).join(' ');

describe('two windows', () => {
  it('of two devices show the same, live, and a prompt in one is seen in the other', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.prompt.includes('from the second') ? reply.text('Seen by both.') : reply.text(words(200), { wait: 40 }),
    );
    const server = await stage.server({ env: model.env });
    const first = await (await stage.device()).signIn(server);
    const otherDevice = await stage.device();
    await first.startSession();
    const second = await otherDevice.signIn(server);
    await first.send('from the first');
    await second.page.goto(await first.address());
    await second.said('from the first').waitFor();
    await Promise.all([first.said('word-10 ').waitFor(), second.said('word-10 ').waitFor()]);
    expect(await second.text(), 'live, not only once it is sealed').not.toContain('word-199');
    await Promise.all([first.said('word-199').waitFor(), second.said('word-199').waitFor()]);
    await first.idle();

    await second.send('from the second');
    await first.said('from the second').waitFor();
    await Promise.all([first.said('Seen by both.').waitFor(), second.said('Seen by both.').waitFor()]);
    await Promise.all([first.idle(), second.idle()]);
    expect(normal(await first.text())).toBe(normal(await second.text()));
    expect(model.double.log).toHaveLength(2);
  });

  it('B8: an approval asked in one is answered in the other, once', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.results.length === 0 ? reply.tool('run', { command: 'echo once >> count.txt' }) : reply.text('Ran.'),
    );
    const server = await stage.server({ env: model.env });
    const device = await stage.device();
    const first = await device.signIn(server);
    await first.startSession();
    await first.send('count');
    await first.approval().waitFor();
    const second = await device.open(await first.address());
    await second.approval().click();
    await Promise.all([first.said('Ran.').waitFor(), second.said('Ran.').waitFor()]);
    await first.approval().waitFor({ state: 'hidden' });
    expect(await server.read('count.txt')).toBe('once\n');
  });

  it('B7: deleted in one while words are written for it in the other: the words are still there, to be copied', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const first = await device.signIn(server);
    await first.startSession();
    await first.send('hello');
    const address = await first.address();
    await first.idle();
    const second = await device.open(address);
    await second.composer().fill('half-typed and dear');
    // A request of this device may cross the deletion.
    device.allow(/^Failed to load resource: the server responded with a status of 410/);
    const { status } = await server.api('DELETE', `/api/sessions/${sessionIn(address)}`);
    expect(status).toBe(200);
    const draft = second.page.getByRole('region', { name: 'Your draft' });
    await draft.getByText('half-typed and dear').waitFor();
    await draft.getByRole('button', { name: 'Copy the draft' }).waitFor();
    await draft.getByRole('button', { name: 'Discard' }).click();
    await draft.waitFor({ state: 'hidden' });
  });
});

/** Times may differ by the minute in which each window drew them. */
const normal = (text: string): string => text.replace(/\d{1,2}:\d{2}/g, 'time').replace(/\s+/g, ' ');
