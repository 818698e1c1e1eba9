/** The server dies and comes back, or comes back from a copy, or anew: every device says which, and loses no words. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { CairnServer } from './harness/server.ts';
import { asked, useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const words = (count: number): string => Array.from({ length: count }, (_, n) => `word-${n}`).join(' ');
const copyOf = (server: CairnServer): string => join(server.folder, 'copy.db');
/** A copy while it is in use. */
function copy(server: CairnServer): void {
  const db = new Database(join(server.dataFolder, 'cairn.db'), { readonly: true });
  db.prepare('VACUUM INTO ?').run(copyOf(server));
  db.close();
}
/** As the README says. */
async function putBack(server: CairnServer): Promise<void> {
  for (const end of ['-wal', '-shm']) await rm(join(server.dataFolder, `cairn.db${end}`), { force: true });
  await cp(copyOf(server), join(server.dataFolder, 'cairn.db'));
}

describe('the server', () => {
  it('B43: killed in the middle of a turn under three windows: the cut turn goes on, and each says that the server restarted', async () => {
    const model = await useModel(stage, (_request, reply) =>
      model.double.log.length > 1 ? reply.text('Taken up again.') : reply.text(words(2000), { wait: 40 }),
    );
    const server = await stage.server({ env: model.env });
    const devices = [await stage.device({ linkTrouble: true }), await stage.device({ linkTrouble: true })];
    const first = await devices[0]!.signIn(server);
    await first.startSession();
    await first.send('a long story');
    await first.said('word-5 ').waitFor();
    const address = await first.address();
    const second = await devices[0]!.open(address);
    const third = await devices[1]!.signIn(server);
    await third.page.goto(address);
    await Promise.all([second.said('word-5 ').waitFor(), third.said('word-5 ').waitFor()]);

    await server.kill9();
    for (const ui of [first, second, third]) {
      await ui.stopButton().waitFor({ state: 'hidden' });
      expect(await ui.page.locator('[data-mark="running"]').count()).toBe(0);
    }
    await server.start();
    for (const ui of [first, second, third]) {
      await ui.link(/^Server restarted \d\d:\d\d$/).waitFor({ timeout: 20_000 });
      await ui.page.getByText('The server restarted.').waitFor();
      await ui.said('Taken up again.').waitFor({ timeout: 20_000 });
      await ui.idle();
    }
    expect(await server.turns(address)).toHaveLength(1);
    // A link that is merely cut is no restart.
    await first.page.getByRole('button', { name: 'Put this notice away' }).click();
    await first.page.reload();
    await first.link(/^Live$/).waitFor();
    expect(await first.page.getByText('The server restarted.').count()).toBe(0);
  });

  it('B4: restored from an older copy: told, the view is the server’s, and what it never had asks before it goes again', async () => {
    const model = await useModel(stage, (request, reply) =>
      asked(request) === 'lost with the disk' ? reply.text(words(2000), { wait: 40 }) : reply.text(`Heard: ${asked(request)}.`),
    );
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    device.allow(/status of 4(04|10)/);
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('kept in the copy');
    await ui.said('Heard: kept in the copy.').waitFor();
    await ui.idle();
    const address = await ui.address();
    copy(server);
    await ui.send('lost with the disk');
    await ui.said('word-5 ').waitFor();
    await ui.send('accepted and lost', 'Queue');
    await ui.queue().getByText('accepted and lost').waitFor();
    await ui.queue().getByText('1 queued').waitFor();

    await server.stop();
    await ui.link(/offline since/i).waitFor();
    await ui.send('written meanwhile', 'Queue');
    await putBack(server);
    await server.start();
    await ui.page.getByText('The server was restored.').waitFor({ timeout: 20_000 });
    await ui.said('Heard: kept in the copy.').waitFor();
    // Never attempted, it is the new history's as it would have been the old one's.
    await ui.said('Heard: written meanwhile.').waitFor({ timeout: 20_000 });
    await ui.idle();
    const text = await ui.text();
    expect(text).not.toContain('word-5 ');
    expect(text.match(/^kept in the copy$/gm)).toHaveLength(1);
    await ui.said(/The server was restored without it/).waitFor();
    expect(await server.turns(address), 'nothing that was attempted goes unasked').toHaveLength(2);
    await ui.transcript().getByRole('button', { name: 'Send again' }).click();
    await ui.said('Heard: accepted and lost.').waitFor();
    await ui.idle();
    expect((await ui.text()).match(/^accepted and lost$/gm)).toHaveLength(1);
    expect(await server.turns(address)).toHaveLength(3);
  });

  it('B4: recreated empty: what was open is gone and says so, words that waited for it are kept, and new work goes on', async () => {
    const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
    const server = await stage.server({ env: { ...model.env, CAIRN_TOKEN: 'the-same-token-before-and-after-0123456789' } });
    const device = await stage.device({ linkTrouble: true });
    device.allow(/status of 4(01|04|10)/);
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('of the old server');
    await ui.said('Heard: of the old server.').waitFor();
    await ui.idle();
    await server.stop();
    await ui.link(/offline since/i).waitFor();
    await ui.send('written meanwhile');
    await ui.said(/Held on this device/).waitFor();
    await rm(server.dataFolder, { recursive: true });
    await server.start();
    // Its devices are gone with it, too: nothing is wiped, and the same token lets this one in.
    await ui.link(/^Signed out here$/).waitFor({ timeout: 20_000 });
    await ui.said('Heard: of the old server.').waitFor();
    await ui.page.goto(`${server.url}/#t=${server.token}`);
    await ui.page.getByText('The server was restored.').waitFor({ timeout: 20_000 });
    await ui.page
      .getByRole('link', { name: /written meanwhile/ })
      .first()
      .click();
    await ui.page.getByText('This session is gone.').waitFor();
    await ui.said('written meanwhile').waitFor();
    await ui.transcript().getByRole('button', { name: 'Copy the words' }).waitFor();
    const { body } = await server.api<{ sessions: unknown[] }>('GET', '/api/sessions?since=0');
    expect(body.sessions, 'nothing is made again from memory').toEqual([]);
  });
});
