/** A session whose model says back what it heard, with one turn in it: where many tests of the link begin. */
import type { Double } from '../../wire/double.ts';
import type { Device } from './device.ts';
import { type CairnServer, sessionIn } from './server.ts';
import { asked, useModel, type Stage } from './stage.ts';
import type { Ui } from './ui.ts';

export interface Heard {
  model: { double: Double; env: Record<string, string> };
  server: CairnServer;
  device: Device;
  ui: Ui;
  session: string;
  /** Of its inputs, as a route. */
  inputs: string;
}

export async function heardOnce(stage: Stage): Promise<Heard> {
  const model = await useModel(stage, (request, reply) => reply.text(`Heard: ${asked(request)}.`));
  const server = await stage.server({ env: model.env });
  const device = await stage.device({ linkTrouble: true });
  const ui = await device.signIn(server);
  await ui.startSession();
  await ui.send('first');
  await ui.said('Heard: first.').waitFor();
  await ui.idle();
  const session = sessionIn(await ui.address());
  return { model, server, device, ui, session, inputs: `**/api/sessions/${session}/inputs/**` };
}
