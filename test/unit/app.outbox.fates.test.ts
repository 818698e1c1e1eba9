/**
 * B9, I30, R1: every command of the outbox, whatever becomes of its requests, is done at the server exactly once; trouble of the
 * transport uses nothing up, and nothing is left behind.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStand, type HttpStand } from '../support/http-stand.ts';
import { allCommands, changes, COMMAND_NAMES, type Commanded } from '../support/device/all-commands.ts';
import type { Call, Fate } from '../support/device/cable.ts';
import { Device, pause, until, type DeviceWorker, type Tab } from '../support/device/device.ts';

const keyOf = ({ method, path, body }: Call): string => `${method} ${path} ${body}`;
const html = (status: number): Fate => ({ status, text: '<html>Sign in to the hotel</html>', headers: { 'content-type': 'text/html' } });
/** The first `n` tries of each request meet `fate`, in turn. */
function first(tab: { cable: { fate: (call: Call) => Fate } }, ...fates: Fate[]): void {
  const met = new Map<string, number>();
  tab.cable.fate = (call) => {
    const n = met.get(keyOf(call)) ?? 0;
    if (changes(call)) met.set(keyOf(call), n + 1);
    return changes(call) ? (fates[n] ?? 'pass') : 'pass';
  };
}
function online(tab: Tab): void {
  tab.cable.mend();
  tab.wake();
}

interface Told {
  stand: HttpStand;
  device: Device;
  tab: Tab;
}
/** What happens once all commands are held and the link could be back; answers the tab that is there at the end. */
const FATES: Record<string, (told: Told) => Promise<Tab>> = {
  'no answer': async ({ tab }) => (first(tab, 'no-answer', 'no-answer', 'no-answer'), online(tab), tab),
  'its answer is lost': async ({ tab }) => (first(tab, 'lost'), online(tab), tab),
  'it arrives twice': async ({ tab }) => (first(tab, 'twice'), online(tab), tab),
  '503 twice, then 200': async ({ tab }) => {
    const busy = tab.cable.envelope(503, 'shutting-down', true);
    first(tab, busy, busy);
    online(tab);
    return tab;
  },
  'a portal answers 200 HTML': async ({ tab }) => (first(tab, html(200)), online(tab), tab),
  'a proxy answers 403, 413 and 502': async ({ tab }) => (first(tab, html(403), html(413), html(502)), online(tab), tab),
  'it hangs until its deadline': async ({ tab }) => (first(tab, 'hang'), online(tab), tab),
  'a 401 holds it until somebody signs in': async ({ tab }) => {
    let isOut = true;
    const closed = tab.cable.envelope(401, 'signed-out', false);
    tab.cable.fate = (call) => (isOut && changes(call) ? closed : 'pass');
    online(tab);
    await until(() => tab.screen.linkView?.kind === 'signed-out', 'signed out');
    const rows = await tab.own.rows();
    expect(rows).toHaveLength(COMMAND_NAMES.length);
    expect(rows.every(({ state }) => state === 'held')).toBe(true);
    expect(
      rows.reduce((sum, { tries }) => sum + tries, 0),
      'a try that the door stopped is none',
    ).toBe(0);
    isOut = false;
    await tab.engine.signedIn(null);
    return tab;
  },
  'the tab dies between the server’s act and the mark': async ({ device, tab }) => {
    const sent = new Set<string>();
    tab.cable.hold = async (call) => {
      if (changes(call)) sent.add(keyOf(call));
      if (changes(call)) await new Promise(() => undefined);
    };
    online(tab);
    await until(() => sent.size >= COMMAND_NAMES.length, 'the server has acted on all of them');
    tab.kill();
    return device.tab().start();
  },
  'the tab is closed before it could send': async ({ device, tab }) => (tab.kill(), device.tab().start()),
  'the worker hands it over, its answers are lost, and a page opens later': async ({ device, tab }) => {
    tab.kill();
    const worker: DeviceWorker = device.worker();
    first(worker, 'lost');
    expect(await worker.flush(), 'something could not be handed over').toBe(false);
    expect(await worker.flush()).toBe(true);
    return device.tab().start();
  },
  'the worker is killed in the middle, and a page opens': async ({ device, tab }) => {
    tab.kill();
    const worker = device.worker();
    let acted = 0;
    worker.cable.hold = async (call) => {
      if (changes(call) && ++acted > 4) await new Promise(() => undefined);
    };
    void worker.flush();
    await until(() => acted > 8, 'it is at it');
    worker.kill();
    return device.tab().start();
  },
};

describe.each(Object.keys(FATES))('%s', (fate) => {
  let stand: HttpStand;
  let device: Device;
  let tab: Tab;
  let held: string[];
  let commands: Record<(typeof COMMAND_NAMES)[number], Commanded>;
  beforeAll(async () => {
    stand = await openStand();
    device = new Device(stand);
    const before = await device.tab().live();
    commands = await allCommands(stand, before);
    before.cable.cut();
    await until(() => before.screen.linkView?.kind !== 'live', 'the link is down');
    for (const name of COMMAND_NAMES) await commands[name].issue(before);
    held = (await before.own.rows()).map(({ state }) => state);
    tab = await FATES[fate]!({ stand, device, tab: before });
    const isDone = async (): Promise<boolean> => {
      const rows = await tab.own.rows();
      return rows.every(({ command, state }) => (command.kind === 'input' && state === 'acked') || state === 'cancelled');
    };
    await until(isDone, 'the server has all of it, and the tab knows', 15_000);
    await pause(30);
  }, 30_000);
  afterAll(async () => {
    device.close();
    await stand.close();
  });

  test('all of it was held here', () => {
    expect(held).toEqual(COMMAND_NAMES.map(() => 'held'));
  });
  test.each(COMMAND_NAMES)('%s is done once', async (name) => {
    expect(await commands[name].times()).toBe(1);
  });
  test('what was done is shown, and nothing of it as held', async () => {
    await until(() => tab.screen.linkView?.held === 0, 'nothing is held');
    await until(() => [...tab.screen.rows.values()].every(({ changeHeld }) => !changeHeld), 'no change is held');
    expect(tab.screen.notices.filter(({ tone }) => tone === 'bad')).toEqual([]);
  });
});
