/** Answers that are late, lost, somebody else's or a no, one request at a time. */
import { describe, expect, it } from 'vitest';
import { heardOnce } from './harness/heard.ts';
import { useStage } from './harness/stage.ts';

const stage = useStage();
const words = (text: string) => [{ type: 'text' as const, text }];

describe('the answer to a prompt', () => {
  it('I29: hangs while the server’s word comes by socket: the row settles, and it is not asked again', async () => {
    const { device, ui, inputs, model } = await heardOnce(stage);
    const puts: string[] = [];
    await device.context.route(inputs, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      puts.push(route.request().postData() ?? '');
      // It arrives, and its answer is never let through.
      await route.fetch();
    });
    await ui.send('by socket');
    await ui.said('Heard: by socket.').waitFor();
    await ui.idle();
    await ui.page.waitForTimeout(2_000);
    expect(puts).toHaveLength(1);
    expect(model.double.log).toHaveLength(2);
    expect((await ui.text()).match(/^by socket$/gm)).toHaveLength(1);
    expect(await ui.text()).not.toMatch(/Sending|Held|Checking/);
    await device.context.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('I30: is 503 twice and then its own: the same id and the same bytes each time, one row', async () => {
    const { device, ui, inputs, model, server } = await heardOnce(stage);
    device.allow(/status of 503/);
    const tries: string[] = [];
    await device.context.route(inputs, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      tries.push(`${route.request().url()} ${route.request().postData()}`);
      if (tries.length > 2) return route.continue();
      return route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Bad gateway</h1>' });
    });
    await ui.send('again and again');
    await ui.said('Heard: again and again.').waitFor({ timeout: 20_000 });
    await ui.idle();
    expect(tries).toHaveLength(3);
    expect(new Set(tries).size).toBe(1);
    expect(model.double.log).toHaveLength(2);
    expect(await server.turns(await ui.address())).toHaveLength(2);
  });

  it('I31: is a no in Cairn’s envelope: one call, refused with the reason, and the words can be edited', async () => {
    const { device, ui, inputs, server } = await heardOnce(stage);
    device.allow(/Failed to load resource: the server responded with a status of 4/);
    const { headers } = await fetch(`${server.url}/api/health`);
    const refusals = [
      [400, 'bad-request'],
      [404, 'not-found'],
      [409, 'id-conflict'],
      [413, 'too-large'],
      [422, 'bad-request'],
    ] as const;
    for (const [status, code] of refusals) {
      let puts = 0;
      await device.context.route(inputs, async (route) => {
        if (route.request().method() !== 'PUT') return route.continue();
        puts += 1;
        const error = { code, message: `a reason for ${status}`, retryable: false };
        return route.fulfill({
          status,
          contentType: 'application/json',
          headers: { 'Cairn-Epoch': headers.get('cairn-epoch') ?? '' },
          body: JSON.stringify({ error }),
        });
      });
      await ui.send(`not ${status}`);
      await ui.said(/^Refused:/).waitFor();
      await ui.page.waitForTimeout(1_200);
      expect(puts, `calls for ${status}`).toBe(1);
      await device.context.unrouteAll();
      await ui.transcript().getByRole('button', { name: 'Edit' }).first().click();
      await ui.transcript().getByRole('textbox').fill(`but ${status}`);
      await ui.page.keyboard.press('Control+Enter');
      await ui.said(`Heard: but ${status}.`).waitFor();
      await ui.idle();
    }
    expect(await server.turns(await ui.address())).toHaveLength(1 + refusals.length);
  });
});

describe('B7: a session that was deleted elsewhere', () => {
  it('while a prompt for it waited here: gone everywhere, the words refused and copyable, and nothing made again', async () => {
    const { device, ui, server, session } = await heardOnce(stage);
    device.allow(/status of 41[0-9]|status of 404/);
    const address = await ui.address();
    const other = await (await stage.device()).signIn(server);
    await other.page.goto(address);
    await other.said('Heard: first.').waitFor();

    await device.context.setOffline(true);
    await device.context.route('**/api/**', (route) => route.abort());
    await ui.page.reload();
    await ui.link(/offline/i).waitFor();
    await ui.send('words for nobody');
    await ui.said(/Held on this device/).waitFor();
    expect((await server.api('DELETE', `/api/sessions/${session}`)).status).toBe(200);
    await other.page.getByText('This session is gone').waitFor();
    await device.context.unrouteAll();
    await device.context.setOffline(false);

    await ui.page.getByText('This session is gone.').waitFor({ timeout: 20_000 });
    await ui.said('words for nobody').waitFor();
    await ui.said(/^Refused:/).waitFor();
    await ui.transcript().getByRole('button', { name: 'Copy the words' }).waitFor();
    const { body } = await server.api<{ sessions: { id: string; deleted?: boolean }[] }>('GET', '/api/sessions?since=0');
    expect(body.sessions.filter(({ id }) => id === session)).toMatchObject([{ deleted: true }]);
    const put = await server.api('PUT', `/api/sessions/${session}/inputs/${session}`, { content: words('x'), delivery: 'steer' });
    expect(put.status).toBe(410);
  });
});
