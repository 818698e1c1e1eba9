/** What this device keeps: its two databases, what stands in for them while they are in trouble, and what is told of that. */
import { newId } from '#shared/ids.ts';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import type { DiskEvents, DiskParts } from '../disk/database.ts';
import { degradingMirror } from '../mirror/degrading.ts';
import { diskMirror } from '../mirror/indexeddb.ts';
import type { Mirror } from '../mirror/port.ts';
import type { Aside } from '../own/aside.ts';
import { degradingOwn } from '../own/degrading.ts';
import { diskOwn } from '../own/indexeddb.ts';
import type { Own } from '../own/port.ts';
import { sideOf, takeLeft } from '../own/side.ts';
import type { Engine } from './engine.ts';
import type { Locks, Screen } from './ports.ts';
import { Storage } from './storage.ts';

export interface KeptParts {
  /** Null: there is no IndexedDB. */
  disk: Omit<DiskParts, 'mark'> | null;
  ownName: string;
  mirrorName: string;
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
  locks: Locks | null;
  screen: Pick<Screen, 'notice' | 'memoryOnly'>;
  /** Made after this, and asked of nothing before it is. */
  engine(): Engine;
  /** In place of those on the disk. */
  adapters?: { own?: Own; mirror?: Mirror };
}
export interface Kept {
  own: Own;
  mirror: Mirror;
  /** The databases themselves; null: there is none. */
  disks: { own: Own | null; mirror: Mirror | null };
  /** What windows that died left beside own work joins it. */
  gather(): Promise<void>;
}

/** Held by the window that writes to it. */
function lockOf(name: string): string {
  return `cairn-live/${name}`;
}

export function keptOn(parts: KeptParts): Kept {
  const { clock, random, timers, report, locks, screen, engine } = parts;
  const mark = (): string => newId(clock, random);
  const disk = parts.disk && { ...parts.disk, mark };
  const storage = new Storage({
    screen,
    report,
    timers,
    hasDisk: disk !== null,
    acts: () => ({
      flushDrafts: () => engine().drafts.flush(),
      putBackOwn: () => own.putBack(),
      async rereadOwn() {
        await engine().rowsChanged();
        engine().outbox.kick();
        await engine().drafts.reread();
      },
      rereadMirror: () => engine().mirrorAgain(),
    }),
  });
  const events = (which: 'own' | 'mirror'): DiskEvents => ({
    leaving: () => storage.leaving(),
    outdated: () => storage.outdated(),
    replaced: () => storage.replaced(which),
  });
  const live = (name: string, until: Promise<void>): void => {
    locks?.hold(lockOf(name), false, () => until).catch((error: unknown) => report('own.live', { error }));
  };

  const disks = {
    own: parts.adapters?.own ?? (disk && diskOwn(parts.ownName, disk, events('own'))),
    mirror: parts.adapters?.mirror ?? (disk && diskMirror(parts.mirrorName, disk, events('mirror'))),
  };
  const mirror = degradingMirror({
    disk: disks.mirror,
    onLost: (error) => storage.mirrorLost(error),
    again: { timers, random, onBack: () => storage.mirrorBack() },
    keep: openSession,
  });
  const own = degradingOwn(disks.own, (error, kept) => storage.ownLost(error, kept), {
    timers,
    random,
    report,
    side: disk && sideOf(mark(), disk, live),
    makeRoom: () => mirror.evictOne(openSession()),
    onBack: () => storage.ownBack(),
  });

  function openSession(): ReadonlySet<string> {
    const id = engine().transcript()?.sessionId;
    return new Set(id === undefined ? [] : [id]);
  }
  async function gather(): Promise<void> {
    if (disk === null) return;
    let found = false;
    const take = async (aside: Aside): Promise<void> => {
      found = true;
      await own.merge(aside);
    };
    await takeLeft(disk, (name, task) => (locks === null ? task() : locks.hold(lockOf(name), false, task)), take);
    if (found) await engine().rowsChanged();
  }
  return { own, mirror, disks, gather };
}
