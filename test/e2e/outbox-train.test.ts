/** In a train: everything that can be done without a link is done, over reloads, and each of it is on the server once when it is back. */
import { describe, expect, it } from 'vitest';
import type { Locator } from 'playwright-core';
import { newSessionId, sessionIn, type CairnServer } from './harness/server.ts';
import { asked, useModel, useStage } from './harness/stage.ts';
import type { Ui } from './harness/ui.ts';

const stage = useStage();
const items = (ui: Ui): Locator => ui.queue().locator('.queue__item');
const shown = (ui: Ui) => ui.queue().locator('.queue__words > .cut').allInnerTexts();

async function make(server: CairnServer, title: string): Promise<string> {
  const id = newSessionId();
  const { status } = await server.api('PUT', `/api/sessions/${id}`, { workspace: server.workspace, title });
  expect(status, title).toBe(201);
  return id;
}
/** Chooses in a menu; the window may still be drawing what is under it. */
async function menu(ui: Ui, button: Locator, item: string | RegExp, role: 'menuitem' | 'menuitemradio' = 'menuitem'): Promise<void> {
  await button.click();
  await ui.page.getByRole(role, { name: item }).first().click();
}
const more = (ui: Ui): Locator => ui.page.getByRole('button', { name: 'More about this session' });

async function events(server: CairnServer, id: string): Promise<string[]> {
  const { body } = await server.api<{ records: { kind: string; type: string }[] }>('GET', `/api/sessions/${id}/log?after=0&limit=1000`);
  return body.records.filter(({ kind }) => kind === 'event').map(({ type }) => type);
}
const count = (list: readonly string[], type: string): number => list.filter((one) => one === type).length;

describe('in a train', () => {
  it('all that can work without a link does, outlives reloads, and is applied once each: B8, B9, B13', async () => {
    const model = await useModel(stage, (request, reply) =>
      asked(request) === 'count' && request.results.length === 0
        ? reply.tool('run', { command: 'echo once >> count.txt' })
        : reply.text(`Answer to ${asked(request)}.`),
    );
    const { server, link } = await stage.behindProxy({ env: model.env });
    const [beds, name, attic, wall, bin] = [
      await make(server, 'Beds'),
      await make(server, 'Nameless'),
      await make(server, 'Attic'),
      await make(server, 'Wall'),
      await make(server, 'Bin'),
    ];
    const device = await stage.device({ linkTrouble: true, reducedMotion: 'reduce' });
    const ui = await device.signIn(server, link.url);
    const go = (id: string) => ui.page.goto(`${link.url}/s/${id}`);
    await go(beds);
    await ui.send('count');
    await ui.approval().waitFor();
    for (const words of ['one', 'two', 'three']) await ui.send(words, 'Queue');
    await expect.poll(() => shown(ui)).toEqual(['one', 'two', 'three']);
    await link.refuse();
    await ui.link(/offline/i).waitFor({ timeout: 30_000 });

    await ui.approval().click();
    await ui.said('Your yes is held here.').waitFor();
    await items(ui).filter({ hasText: 'three' }).locator('.queue__grip').focus();
    await ui.page.keyboard.press('ArrowUp');
    const two = items(ui).filter({ hasText: 'two' });
    await menu(ui, two.getByRole('button', { name: /^Actions for/ }), 'Edit');
    await ui
      .queue()
      .getByRole('textbox', { name: /^Words of queued prompt/ })
      .fill('two, better');
    await ui.queue().getByRole('button', { name: 'Keep', exact: true }).click();
    await menu(
      ui,
      items(ui)
        .filter({ hasText: 'one' })
        .getByRole('button', { name: /^Actions for/ }),
      'Cancel',
    );
    await ui.send('four', 'Queue');
    await ui.page.reload();
    await ui.said('Your yes is held here.').waitFor();
    await items(ui).getByText('Edit held here').first().waitFor();

    await go(name);
    await menu(ui, more(ui), 'Rename');
    await ui.page.getByRole('textbox', { name: 'Session name' }).fill('Named in the train');
    await ui.page.keyboard.press('Enter');
    await go(attic);
    await menu(ui, more(ui), 'Archive');
    await go(wall);
    await menu(ui, more(ui), 'Pin');
    await menu(ui, ui.page.getByRole('button', { name: /^Mode: / }), /^Plan/, 'menuitemradio');
    await go(bin);
    await menu(ui, more(ui), 'Delete');
    await ui.page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
    await ui.sessionRow('Bin').waitFor({ state: 'hidden' });
    await ui.startSession();
    await ui.send('made in the train');
    const made = sessionIn(await ui.address());
    await ui.page.reload();
    await ui.said('made in the train').waitFor();

    await ui.page.keyboard.press('Control+k');
    const search = ui.page.getByRole('searchbox', { name: 'Search sessions on this device' });
    for (const [words, title] of [
      ['in the TRAIN', 'Named in the train'],
      ['attic', 'Attic'],
    ] as const) {
      await search.fill(words);
      await ui.sessionRow(title).waitFor();
      expect(await ui.page.getByRole('link', { name: 'Beds' }).count(), words).toBe(0);
    }
    await search.fill('bin that is gone');
    await ui.page.getByText('No match on this device').waitFor();

    await link.accept();
    await ui.said('Answer to made in the train.').waitFor({ timeout: 30_000 });
    await go(beds);
    await ui.said('Answer to four.').waitFor({ timeout: 30_000 });
    await ui.idle();

    expect(await server.read('count.txt')).toBe('once\n');
    expect(
      model.double.log
        .map((entry) => asked(entry))
        .filter((words) => words !== 'count')
        .toSorted(),
    ).toEqual(['four', 'made in the train', 'three', 'two, better'].toSorted());
    const log = await events(server, beds);
    expect([count(log, 'admitted'), count(log, 'cancelled'), count(log, 'approval-decided'), count(log, 'edited')]).toEqual([5, 1, 1, 2]);
    expect(count(await events(server, name), 'renamed')).toBe(1);
    expect(count(await events(server, wall), 'mode-changed')).toBe(1);
    expect(count(await events(server, made), 'admitted')).toBe(1);
    const { body } = await server.api<{ sessions: Record<string, unknown>[] }>('GET', '/api/sessions?since=0&limit=100');
    const live = body.sessions.filter(({ deleted }) => deleted !== true);
    const of = (id: string) => live.find((session) => session['id'] === id);
    expect(live.map(({ id }) => id).toSorted()).toEqual([beds, name, attic, wall, made].toSorted());
    expect([of(name)?.['title'], of(attic)?.['archived'], of(wall)?.['pinned'], of(wall)?.['mode']]).toEqual([
      'Named in the train',
      true,
      true,
      'plan',
    ]);
    await ui.page.getByText(/held/i).first().waitFor({ state: 'hidden' });
  });

  it('what was decided elsewhere meanwhile is told, and no word is lost: B7, B8', async () => {
    const model = await useModel(stage, (request, reply) =>
      request.results.length === 0 ? reply.tool('run', { command: 'echo once >> count.txt' }) : reply.text('Done.'),
    );
    const { server, link } = await stage.behindProxy({ env: model.env });
    const [asks, gone] = [await make(server, 'Asks'), await make(server, 'Gone')];
    const device = await stage.device({ linkTrouble: true, reducedMotion: 'reduce' });
    device.allow(/^Failed to load resource: the server responded with a status of 410/);
    const ui = await device.signIn(server, link.url);
    const go = (id: string) => ui.page.goto(`${link.url}/s/${id}`);
    await go(gone);
    await ui.composer().waitFor();
    await go(asks);
    await ui.send('count');
    await ui.approval().waitFor();
    await link.refuse();
    await ui.link(/offline/i).waitFor({ timeout: 30_000 });
    await ui.approval().click();
    await ui.said('Your yes is held here.').waitFor();
    await go(gone);
    await ui.send('dear words');
    await ui.said(/held on this device/i).waitFor();

    const open = await server.api<{ approvals: { id: string }[] }>('GET', `/api/sessions/${asks}/timeline?limit=10`);
    const denied = await server.api('PUT', `/api/sessions/${asks}/approvals/${open.body.approvals[0]!.id}`, { decision: 'deny' });
    const deleted = await server.api('DELETE', `/api/sessions/${gone}`);
    expect([denied.status, deleted.status]).toEqual([200, 200]);
    await link.accept();
    await ui.page.getByText('Too late to decide.').first().waitFor({ timeout: 30_000 });
    await ui.page.getByText('dear words').first().waitFor();
    await ui.page
      .getByText(/deleted/i)
      .first()
      .waitFor();
    await ui.page.reload();
    await ui.page.getByText('dear words').first().waitFor();
    await go(asks);
    await ui.said('Done.').waitFor();
    expect(await ui.approval().count()).toBe(0);
    const { body } = await server.api<{ sessions: { id: string; deleted?: boolean }[] }>('GET', '/api/sessions?since=0&limit=100');
    expect(body.sessions.find(({ id }) => id === gone)?.deleted, 'it does not come back').toBe(true);
  });
});
