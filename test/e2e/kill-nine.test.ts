/** SIGKILL of the real process: nothing sealed is lost, the cut is told, the work goes on. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();
const words = (count: number): string => Array.from({ length: count }, (_, n) => `word-${n}`).join(' ');

describe('kill -9', () => {
  it('in the middle of an answer: the sealed step stays, the turn says interrupted and goes on, the next prompt is taken', async () => {
    let cut = true;
    const model = await useModel(stage, async (request, reply) => {
      if (request.prompt.includes('next')) return reply.text('Next is done.');
      if (request.results.length === 0 && request.round === 0) return reply.tool('list', {});
      if (cut) return reply.text(words(2_000), { wait: 20 });
      return reply.text('Finished after the cut.');
    });
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('a long story');
    await ui.said('word-20 ').waitFor();
    await ui.card(/list/i).waitFor();

    await server.kill9();
    cut = false;
    await server.start();
    await ui.said('Finished after the cut.').waitFor({ timeout: 40_000 });
    await ui.card(/list/i).waitFor();
    await ui.said(/interrupted/i).waitFor();
    await ui.idle();
    await ui.send('next');
    await ui.said('Next is done.').waitFor();
    expect(model.double.log.flatMap((entry) => entry.breaches)).toEqual([]);

    await ui.page.reload();
    await ui.said('Finished after the cut.').waitFor();
    await ui.said('Next is done.').waitFor();
  });

  it('I18: while a tool runs: its card says interrupted, and it is not run again', async () => {
    const model = await useModel(stage, (request, reply) => {
      if (request.results.length === 0) return reply.tool('run', { command: 'echo ran >> runs.txt; sleep 30' });
      return reply.text(`The result said: ${request.results[0]?.text ?? ''}`);
    });
    const server = await stage.server({ env: model.env });
    const device = await stage.device({ linkTrouble: true });
    const ui = await device.signIn(server);
    await ui.startSession();
    await ui.send('run it');
    await ui.approval().click();
    const runs = join(server.workspace, 'runs.txt');
    await expect.poll(() => existsSync(runs), { timeout: 10_000 }).toBe(true);

    await server.kill9();
    await server.start();
    await ui.said(/The result said: .*interrupted/i).waitFor({ timeout: 40_000 });
    await ui.idle();
    expect(await server.read('runs.txt')).toBe('ran\n');
    expect(model.double.log.flatMap((entry) => entry.breaches)).toEqual([]);
  });
});
