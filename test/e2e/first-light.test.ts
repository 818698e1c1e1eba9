/** The main job as a newcomer does it, with no key: the demo model through the real SDK, real tools, a real browser. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useStage } from './harness/stage.ts';

const stage = useStage();

describe('first light', () => {
  it('sign in, pick a folder, ask, watch, approve, ask again, stop', async () => {
    const server = await stage.server();
    await writeFile(join(server.workspace, 'seeds.txt'), 'beans\npeas\n');
    const device = await stage.device();
    const ui = await device.signIn(server);
    expect(ui.page.url(), 'the token leaves the address bar').not.toContain(server.token);

    await ui.startSession();
    await ui.send('list the files here and write notes.md with a summary');

    await ui.card(/list/i).waitFor();
    await ui.approval().waitFor();
    await expect(readFile(join(server.workspace, 'notes.md'), 'utf8'), 'nothing is written before the yes').rejects.toThrow(/ENOENT/);
    await ui.approval().click();
    await ui.card(/notes\.md/).waitFor();
    await expect
      .poll(() => readFile(join(server.workspace, 'notes.md'), 'utf8').catch(() => ''), { timeout: 15_000 })
      .toContain('seeds.txt');
    await ui.idle();
    expect(await ui.text(), 'the demo says what it is').toMatch(/demo/i);

    await ui.send('read seeds.txt');
    await ui.card(/seeds\.txt/).waitFor();
    await ui.idle();

    await ui.send('think about how to plant a garden in a hundred steps');
    await ui.stopButton().click();
    await ui.idle();
    await ui.page
      .getByText(/paused/i)
      .first()
      .waitFor();

    await ui.page.reload();
    await ui.said('You stopped this turn.').waitFor();
    await ui.toStart();
    await ui.said('list the files here and write notes.md with a summary').waitFor();
    await ui.card(/notes\.md/).waitFor();
  });

  it('an answer of no leaves the disk as it was, and the turn goes on', async () => {
    const server = await stage.server();
    const device = await stage.device();
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('write plan.md with a plan');
    await ui.approval().waitFor();
    await ui.refusal().click();
    await ui.idle();
    await expect(readFile(join(server.workspace, 'plan.md'), 'utf8')).rejects.toThrow(/ENOENT/);
  });
});
