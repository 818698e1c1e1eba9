/** A device: one browser's disk, cookie jar, locks and channel, and the tabs on it. */
import type { Clock } from '#shared/ports.ts';
import type { Locks, TabNews } from '../../app/sync/ports.ts';
import type { Disk } from './disk.ts';
import type { Fences } from './laws/fence.ts';
import type { Place, Weather } from './network.ts';
import { SimTab } from './tab.ts';
import type { World } from './world.ts';

export class SimDevice implements Place {
  readonly name: string;
  readonly world: World;
  readonly disk: Disk;
  readonly hasLocks: boolean;
  weather: Weather = 'fine';
  cookie: string | null = null;
  /** Milliseconds that its clock is ahead of the true time. */
  ahead = 0;
  /** Its user signed it out, and has not signed it in again. */
  leaving = false;
  readonly clock: Clock = { now: () => this.world.clock.now() + this.ahead };
  tabs: SimTab[] = [];
  readonly fences: Fences = { newest: 0 };
  #made = 0;
  readonly #holders = new Map<string, { tab: SimTab; freed(): void }>();
  readonly #ears = new Set<SimTab>();
  readonly #waiting = new Set<() => void>();

  constructor(world: World, name: string, disk: Disk, hasLocks: boolean) {
    this.world = world;
    this.name = name;
    this.disk = disk;
    this.hasLocks = hasLocks;
  }
  openTab(): SimTab {
    const tab = new SimTab(this.world, this, this.#made++);
    this.tabs.push(tab);
    this.world.doing(tab, 'start', tab.start());
    return tab;
  }
  died(tab: SimTab): void {
    this.tabs = this.tabs.filter((other) => other !== tab);
    this.#ears.delete(tab);
    for (const [name, { tab: holder }] of this.#holders) if (holder === tab) this.#holders.delete(name);
    this.#freed();
    this.disk.hold('mirror', null);
    this.disk.hold('own', null);
  }
  /** As Web Locks are: freed when the holder's tab dies; who is stolen from is told, and its task runs on. */
  locksOf(tab: SimTab): Locks {
    return {
      hold: async (name, steal, task) => {
        const holder = this.#holders.get(name);
        if (holder !== undefined && !steal) return false;
        if (holder !== undefined) {
          this.world.count('lock-stolen');
          holder.freed();
        }
        const stolen = new Promise<void>((freed) => this.#holders.set(name, { tab, freed }));
        const mine = this.#holders.get(name);
        try {
          await Promise.race([task(), stolen]);
        } finally {
          if (this.#holders.get(name) === mine) this.#holders.delete(name);
          this.#freed();
        }
        return true;
      },
      freed: (name, signal) =>
        new Promise((resolve) => {
          const look = (): void => {
            if (signal.aborted || !this.#holders.has(name)) return resolve();
            this.#waiting.add(look);
          };
          signal.addEventListener('abort', () => resolve(), { once: true });
          look();
        }),
    };
  }
  /** Locks became free: who waits for one looks again. */
  #freed(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const look of waiting) this.world.clock.after(0, look);
  }
  listen(tab: SimTab): void {
    this.#ears.add(tab);
  }
  tell(from: SimTab, news: TabNews): void {
    for (const tab of this.#ears) if (tab !== from) this.world.clock.after(1, () => tab.dead || tab.told(news));
  }
}
