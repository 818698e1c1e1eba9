/** What the world does to a history: networks, disks, tabs, devices, clocks, and the server. */
import type { Chance } from '../chance.ts';
import type { SimDevice } from '../device.ts';
import type { DiskTrouble, Part } from '../disk.ts';
import type { Weather } from '../network.ts';
import { TOKEN } from '../server.ts';
import type { World } from '../world.ts';
import { doInTab } from './people.ts';

const HOUR = 3_600_000;

export const FAULTS = {
  weather: 9,
  'freeze-sockets': 3,
  'server-restart': 3,
  'server-kill': 2,
  'server-start': 6,
  'back-up': 4,
  restore: 3,
  'tab-kill': 3,
  'tab-open': 5,
  'tab-freeze': 3,
  'tab-thaw': 5,
  'tab-freeze-writing': 1,
  'disk-trouble': 3,
  'mirror-wiped': 0.6,
  'device-crash': 1.2,
  'clock-jump': 1,
  'unsent-jump': 1.5,
  'unsent-night': 1,
  'send-at-end': 3,
  'cookie-gone': 1,
  'clock-right': 1,
  night: 0.6,
  'sign-out': 0.4,
  'sign-in': 4,
  revoke: 0.5,
  'same-id': 1.5,
  'server-dies-sealing': 0,
} as const;
export type FaultAct = keyof typeof FAULTS;
/** In a short history, where what is rare must come soon. */
export const SHORT_FAULTS: Readonly<Record<FaultAct, number>> = {
  ...FAULTS,
  'server-dies-sealing': 3,
  'sign-out': 0.8,
  'tab-freeze-writing': 2,
  'device-crash': 2,
};

const WEATHERS: Readonly<Record<Weather, number>> = { fine: 10, poor: 3, cut: 3, hole: 3, deaf: 2, portal: 2 };
const TROUBLES: Readonly<Record<DiskTrouble, number>> = { quota: 2, closed: 2, row: 2 };

/** Nothing runs, so that hours cost nothing: all sleep, the server's machine too. */
async function night(world: World, hours: number): Promise<void> {
  world.killServer();
  for (const one of world.tabs()) one.freeze();
  await world.clock.pass(hours * HOUR);
  await world.startServer();
  for (const one of world.tabs()) one.thaw();
}

export async function doFault(world: World, act: FaultAct, chance: Chance): Promise<string | null> {
  const { server, network, oracle } = world;
  const device: SimDevice = chance.pick(world.devices)!;
  const running = device.tabs.filter((tab) => !tab.frozen);
  const tab = chance.pick(device.tabs);
  switch (act) {
    case 'weather': {
      const weather = chance.weighted(WEATHERS);
      network.turn(device, weather);
      world.count(`weather-${weather}`);
      return `${device.name}: ${weather}`;
    }
    case 'freeze-sockets':
      network.freezeSockets(device);
      return device.name;
    case 'server-restart':
    case 'server-kill':
      if (!server.isUp) return null;
      world.killServer();
      if (act === 'server-kill') return '';
      await world.startServer();
      return '';
    case 'server-dies-sealing':
      if (!server.isUp) return null;
      world.dieSealing();
      return '';
    case 'server-start':
      if (server.isUp) return null;
      await world.startServer();
      return '';
    case 'back-up':
      world.backups.push(oracle.backUp(server.backUp()));
      return '';
    case 'restore': {
      const backup = chance.pick(world.backups);
      if (backup === undefined) return doFault(world, 'back-up', chance);
      world.killServer();
      world.restore(backup);
      await world.startServer();
      return `of ${world.backups.indexOf(backup)}`;
    }
    case 'tab-kill':
      if (tab === undefined) return null;
      world.kill(tab);
      return tab.name;
    case 'tab-open':
      if (device.tabs.length >= 2) return null;
      return device.openTab().name;
    case 'tab-freeze':
    case 'tab-freeze-writing': {
      const chosen = chance.pick(running);
      if (chosen === undefined) return null;
      world.count(act);
      if (act === 'tab-freeze-writing') device.disk.hold(chance.pick<Part>(['mirror', 'own'])!, chosen);
      chosen.freeze();
      return chosen.name;
    }
    case 'tab-thaw': {
      const frozen = chance.pick(device.tabs.filter((one) => one.frozen));
      if (frozen === undefined) return null;
      device.disk.hold('mirror', null);
      device.disk.hold('own', null);
      frozen.thaw();
      return frozen.name;
    }
    case 'disk-trouble': {
      const part = chance.pick<Part>(['mirror', 'mirror', 'own'])!;
      const trouble = chance.weighted(TROUBLES);
      device.disk.trouble(part, trouble, chance.is(0.5) ? 1 : chance.whole(2, 30));
      return `${device.name}: ${part} ${trouble}`;
    }
    case 'mirror-wiped':
      // Browsers take a database that nobody has open.
      for (const one of device.tabs) world.kill(one);
      device.disk.wipeMirror();
      world.count('mirror-wiped');
      device.openTab();
      return device.name;
    case 'device-crash':
      for (const one of device.tabs) world.kill(one);
      device.disk.crash();
      world.count('device-crash');
      device.openTab();
      return device.name;
    case 'clock-jump':
      device.ahead += chance.pick([-26, -1, 1, 25, 26, 50])! * HOUR;
      world.count('clock-jump');
      return `${device.name} by ${device.ahead / HOUR} h`;
    case 'clock-right':
      device.ahead = 0;
      return device.name;
    case 'night':
      await night(world, chance.whole(2, 30));
      world.count('night');
      return '';
    case 'unsent-jump':
    case 'unsent-night': {
      const writer = chance.pick(running.filter((one) => one.ready && one.screen.linkView?.kind === 'live'));
      if (writer === undefined) return null;
      // What is written here waits: it does not get there, or no answer comes back.
      network.turn(device, chance.pick<Weather>(['cut', 'deaf'])!);
      const sent = doInTab(writer, 'send', chance);
      if (sent === null) return null;
      await world.clock.pass(chance.whole(50, 400));
      world.count(act);
      if (act === 'unsent-jump') device.ahead += chance.pick([-26, 26, 50])! * HOUR;
      else await night(world, chance.whole(25, 40));
      network.turn(device, 'fine');
      return `${writer.name} ${sent}`;
    }
    case 'send-at-end':
      world.sendAtEnd(chance.whole(0, 3));
      return '';
    case 'cookie-gone':
      // Its browser forgot it while the socket stays: the next request is a stranger's.
      device.cookie = null;
      return device.name;
    case 'sign-out': {
      const chosen = chance.pick(running.filter((one) => one.ready));
      if (chosen === undefined) return null;
      world.words.excuse((one) => one.device === device, 'its device was signed out by its user');
      device.leaving = true;
      world.count('sign-out');
      world.doing(chosen, act, chosen.commands.signOut());
      return chosen.name;
    }
    case 'sign-in': {
      const chosen = chance.pick(running.filter((one) => one.screen.linkView?.kind === 'signed-out'));
      if (chosen === undefined) return null;
      world.doing(chosen, act, world.signIn(chosen, TOKEN));
      return chosen.name;
    }
    case 'same-id': {
      const known = chance.pick([...oracle.now.inputs.values()].filter(({ state }) => state !== 'cancelled'));
      if (known === undefined || !server.isUp) return null;
      world.sameId(known);
      return world.nameOf(known.id);
    }
    case 'revoke': {
      const by = chance.pick(running.filter((one) => one.ready));
      if (by === undefined) return null;
      world.count('revoke');
      world.doing(
        by,
        act,
        by.commands.devices().then(async (asked) => {
          const other = asked.ok ? asked.value.find(({ current }) => !current) : undefined;
          if (other !== undefined && !by.dead) await by.commands.revokeDevice(other.id);
        }),
      );
      return by.name;
    }
  }
}
