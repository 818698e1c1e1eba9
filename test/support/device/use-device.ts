/** A real server and a device of it, made anew for each test of the file that calls `useDevice`, and what most such tests do first. */
import { afterEach, beforeEach } from 'vitest';
import { openStand, type HttpStand } from '../http-stand.ts';
import { Device, until, type Tab } from './device.ts';

/** Of the test that runs. Live bindings: what imports them sees the newest. */
export let stand: HttpStand;
export let device: Device;

export function useDevice(): void {
  beforeEach(async () => {
    stand = await openStand();
    device = new Device(stand);
  });
  afterEach(async () => {
    device.close();
    await stand.close();
  });
}

export const words = (text: string) => [{ type: 'text' as const, text }];

/** A tab with a live link, on a new session that it shows. */
export async function opened(): Promise<{ tab: Tab; id: string }> {
  const tab = await device.tab().live();
  const id = await stand.session();
  await tab.commands.open(id);
  await until(() => tab.screen.view.loaded && tab.screen.rows.has(id), 'the session is shown');
  return { tab, id };
}
export async function offline(tab: Tab): Promise<void> {
  tab.cable.cut();
  await until(() => tab.screen.linkView?.kind !== 'live', 'the link is down');
}
export function online(tab: Tab): void {
  tab.cable.mend();
  tab.wake();
}
