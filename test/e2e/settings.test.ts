/** What is set on the server, from a browser: changed there, and out of reach without a link. And a turn at its limit, as it is shown. */
import { expect, it } from 'vitest';
import { useModel, useStage } from './harness/stage.ts';

const stage = useStage();

it('the step limit is changed, in force at the next turn, and the turn that meets it says so', async () => {
  const model = await useModel(stage, async (_request, reply) => {
    await reply.text('Still at it.');
    await reply.tool('list', {});
  });
  const server = await stage.server({ env: model.env });
  const device = await stage.device({ linkTrouble: true });
  const ui = await device.signIn(server);
  await server.api('PATCH', '/api/settings', { stepLimit: 2 });
  await ui.page.goto(`${server.url}/settings`);
  const steps = ui.page.getByRole('group', { name: 'Steps in one turn' });
  // One that was set otherwise stands among the usual ones.
  await steps.getByRole('button', { name: '2', exact: true, pressed: true }).waitFor();
  await steps.getByRole('button', { name: '10', exact: true }).click();
  await steps.getByRole('button', { name: '10', exact: true, pressed: true }).waitFor();
  const sleep = ui.page.getByRole('group', { name: 'Machine while an agent works' });
  await sleep.getByRole('button', { name: 'May sleep' }).click();
  await sleep.getByRole('button', { name: 'May sleep', pressed: true }).waitFor();
  await ui.page.reload();
  await steps.getByRole('button', { name: '10', exact: true, pressed: true }).waitFor();
  await sleep.getByRole('button', { name: 'May sleep', pressed: true }).waitFor();

  await ui.page.goto(server.url);
  await ui.startSession();
  await ui.send('go');
  await ui.page.getByText('The turn reached its step limit and ends here.').waitFor({ timeout: 30_000 });
  expect(model.double.log).toHaveLength(10);
  expect(model.double.log.flatMap((entry) => entry.breaches)).toEqual([]);

  await server.stop();
  await ui.page.goto(`${server.url}/settings`);
  await ui.page.getByText('They can be changed when the link is back.').waitFor({ timeout: 30_000 });
});
