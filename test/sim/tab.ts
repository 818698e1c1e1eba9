/** A tab: the app's real engine and commands on a device's disk and network. It can be hidden, frozen, thawed, and killed. */
import { watchedApply } from './laws/apply.ts';
import { fenced } from './laws/fence.ts';
import type { Timers } from '#shared/ports.ts';
import { faultOf } from '../../app/disk/faults.ts';
import { degradingMirror } from '../../app/mirror/degrading.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { degradingOwn } from '../../app/own/degrading.ts';
import type { Own } from '../../app/own/port.ts';
import type { Commands } from '../../app/sync/commands.ts';
import { commandsOf } from '../../app/sync/commands-of.ts';
import { Copying } from '../../app/sync/copying.ts';
import { Engine } from '../../app/sync/engine.ts';
import { Transcript } from '../../app/sync/transcript.ts';
import { NOTICES } from '../../app/sync/notices.ts';
import type { TabNews } from '../../app/sync/ports.ts';
import { NotedScreen } from '../support/device/device.ts';
import { Chance } from './chance.ts';
import type { SimDevice } from './device.ts';
import type { Reader } from './disk.ts';
import type { Asker } from './network.ts';
import type { World } from './world.ts';

export class SimTab implements Asker, Reader {
  readonly name: string;
  readonly world: World;
  readonly place: SimDevice;
  readonly screen = new NotedScreen();
  readonly engine: Engine;
  readonly commands: Commands;
  readonly mirror: Mirror;
  readonly own: Own;
  visible = true;
  dead = false;
  /** Once `paint` is through: before that nobody can do a thing in it. */
  ready = false;
  /** What it wrote is kept in its own memory only. */
  ownLost = false;
  mirrorLost = false;
  /** When a socket last carried something here, or an answer came: nothing claims more than that. */
  heardAt: number;
  /** When it last came out of a freeze. */
  thawedAt = 0;
  #frozen: (() => void)[] | null = null;
  #ear: (news: TabNews) => void = () => undefined;
  readonly #wakes: (() => void)[] = [];
  readonly #hides: (() => void)[] = [];
  readonly #timers: Timers;

  constructor(world: World, device: SimDevice, n: number) {
    this.world = world;
    this.place = device;
    this.name = `${device.name}.${n}`;
    this.heardAt = world.clock.now();
    this.#timers = { after: (ms, callback) => this.after(ms, callback) };
    const random = new Chance(world.plan.seed, 'tab', this.name);
    this.own = degradingOwn(
      fenced(world.rows.watched(this, device.disk.ownFor(this)), device.fences, (words) => world.fault('law-01', words)),
      (error) => this.#lost('own', error),
    );
    this.mirror = watchedApply(
      this,
      degradingMirror({
        disk: device.disk.mirrorFor(this),
        onLost: (error) => this.#lost('mirror', error),
        keep: () => new Set(this.engine.transcript() === null ? [] : [this.engine.transcript()!.sessionId]),
      }),
    );
    this.engine = new Engine({
      clock: device.clock,
      random,
      timers: this.#timers,
      report: (event, facts) => this.dead || world.reported(this.name, event, facts),
      fetch: (path, init) => world.network.fetch(this, path, init),
      socket: (listener) =>
        world.network.socket(this, {
          ...listener,
          opened: () => listener.opened(),
          closed: (code) => listener.closed(code),
          message: (data) => {
            this.heardAt = world.clock.now();
            listener.message(data);
          },
        }),
      locks: device.hasLocks ? device.locksOf(this) : null,
      channel: { tell: (news) => this.dead || device.tell(this, news), listen: (callback) => (this.#ear = callback) },
      page: {
        visible: () => this.visible,
        onWake: (callback) => void this.#wakes.push(callback),
        onHide: (callback) => void this.#hides.push(callback),
      },
      idle: (within) => new Promise((resolve) => void this.after(Math.min(within, 30), resolve)),
      roomUsed: async () => null,
      mirror: this.mirror,
      own: this.own,
      screen: this.screen,
      transcripts: async () => Transcript,
      copying: async () => Copying,
      chunkLimit: world.chunkLimit,
    });
    this.commands = commandsOf({ engine: this.engine, deviceName: device.name });
    world.watch(this);
  }
  #lost(part: 'own' | 'mirror', error: unknown): void {
    if (this.dead) return;
    if (part === 'own') this.ownLost = true;
    else this.mirrorLost = true;
    this.world.count(`${part}-lost`);
    this.screen.notice(part === 'own' ? NOTICES.ownLost() : NOTICES.mirrorLost(faultOf(error) === 'quota'));
  }

  /** Paints from the disk and connects. */
  async start(): Promise<void> {
    await this.engine.paint();
    if (this.dead) return;
    this.engine.connect();
    this.ready = true;
    this.ears();
  }
  ears(): void {
    this.place.listen(this);
  }

  get frozen(): boolean {
    return this.#frozen !== null;
  }
  /** Runs what arrives from outside: not in a dead tab, later in a frozen one. */
  hear(callback: () => void): void {
    if (this.dead) return;
    if (this.#frozen !== null) this.#frozen.push(callback);
    else callback();
  }
  after(ms: number, callback: () => void): () => void {
    let cancelled = false;
    const cancel = this.world.clock.after(ms, () => this.hear(() => cancelled || callback()));
    return () => {
      cancelled = true;
      cancel();
    };
  }
  awake(): Promise<void> {
    if (this.dead) return new Promise(() => undefined);
    if (this.#frozen === null) return Promise.resolve();
    return new Promise((resolve) => void this.#frozen!.push(resolve));
  }
  told(news: TabNews): void {
    this.hear(() => this.#ear(news));
  }
  freeze(): void {
    this.#frozen ??= [];
  }
  thaw(): void {
    const waiting = this.#frozen ?? [];
    this.#frozen = null;
    this.thawedAt = this.world.clock.now();
    for (const [at, callback] of waiting.entries()) {
      // One of them may end the tab, or freeze it again.
      if (this.dead) return;
      if (this.#frozen !== null) return void (this.#frozen as (() => void)[]).push(...waiting.slice(at));
      callback();
    }
  }
  show(): void {
    this.visible = true;
    for (const callback of this.#wakes) callback();
  }
  hide(): void {
    this.visible = false;
    for (const callback of this.#hides) callback();
  }
  /** Nothing of it runs on. */
  kill(): void {
    this.dead = true;
    this.#frozen = null;
    this.engine.link.dispatch({ type: 'stop' });
    this.place.died(this);
  }
}
