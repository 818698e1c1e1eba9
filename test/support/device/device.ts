/**
 * A device: one browser's disk, locks and channel, and tabs on it that run the app's real engine against a real server. Time is
 * real and fast: whatever the engine waits for takes a tenth of it.
 */
import { IDBFactory, IDBKeyRange } from 'fake-indexeddb';
import type { Clock, Timers } from '#shared/ports.ts';
import { memoryMirror } from '../../../app/mirror/memory.ts';
import type { Mirror } from '../../../app/mirror/port.ts';
import { memoryOwn } from '../../../app/own/memory.ts';
import type { Own } from '../../../app/own/port.ts';
import { flushInBackground } from '../../../app/sync/background.ts';
import type { Commands } from '../../../app/sync/commands.ts';
import { commandsOf } from '../../../app/sync/commands-of.ts';
import { Copying } from '../../../app/sync/copying.ts';
import { Engine } from '../../../app/sync/engine.ts';
import { Transcript } from '../../../app/sync/transcript.ts';
import { diskOwn } from '../../../app/own/indexeddb.ts';
import { keptOn } from '../../../app/sync/kept.ts';
import type { ModelFacts } from '../../../app/sync/model-facts.ts';
import { CLOSED, type Locks, type Screen, type TabNews, type TranscriptView } from '../../../app/sync/ports.ts';
import type { CopyingView, LinkView, Notice, SessionRow } from '../../../app/sync/views.ts';
import { clock as realClock, random, type HttpStand } from '../http-stand.ts';
import { Cable } from './cable.ts';

const FASTER = 10;
export const realTimers: Timers = {
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
};

/** A tenth of the time; nothing comes once its owner is dead. */
function fastTimers(isDead: () => boolean): Timers {
  return {
    after: (ms, callback) => {
      const timer = setTimeout(() => isDead() || callback(), Math.ceil(ms / FASTER));
      return () => clearTimeout(timer);
    },
  };
}

/** What is on the screen, as the stores would hold it, and a look at every change. */
export class NotedScreen implements Screen {
  linkView: LinkView | null = null;
  rows = new Map<string, SessionRow>();
  view: TranscriptView = CLOSED;
  notices: Notice[] = [];
  inMemory = false;
  loaded = false;
  provider: ModelFacts | null = null;
  copyingView: CopyingView | null = null;
  /** Called after every change of the transcript. */
  check: (view: TranscriptView) => void = () => undefined;

  link(view: LinkView): void {
    this.linkView = view;
  }
  memoryOnly(only: boolean): void {
    this.inMemory = only;
  }
  notice(notice: Notice): void {
    this.notices.push(notice);
  }
  model(model: ModelFacts | null): void {
    this.provider = model;
  }
  copying(view: CopyingView | null): void {
    this.copyingView = view;
  }
  sessions(changed: readonly SessionRow[], removed: readonly string[]): void {
    for (const row of changed) this.rows.set(row.summary.id, row);
    for (const id of removed) this.rows.delete(id);
  }
  sessionsLoaded(): void {
    this.loaded = true;
  }
  transcript(change: Partial<TranscriptView>): void {
    this.view = { ...this.view, ...change };
    this.check(this.view);
  }
  clear(): void {
    this.rows.clear();
    this.view = CLOSED;
  }
  /** The words of the transcript, sealed and live, in order. */
  words(): string[] {
    const text = (data: unknown): string => {
      const { text: words, content } = data as { text?: string; content?: { text: string }[] };
      return words ?? content?.map((part) => part.text).join('') ?? '';
    };
    const sealed = new Set(this.view.chunks.map(({ id }) => id));
    const live = this.view.atEnd ? (this.view.live?.chunks.filter(({ id }) => !sealed.has(id)) ?? []) : [];
    return [...this.view.chunks, ...live].map(({ data }) => text(data));
  }
}

export interface TabOptions {
  /** Where mirror and own work are kept: the browser's IndexedDB (default), or given parts. */
  mirror?: Mirror;
  own?: Own;
  disk?: 'indexeddb' | 'memory';
  chunkLimit?: number;
  locks?: 'none';
  /** History is copied in the background, as in the app; default: not, so that a test sees only what it asks for. */
  copies?: boolean;
}

export class Tab {
  readonly screen = new NotedScreen();
  readonly cable: Cable;
  readonly engine: Engine;
  readonly commands: Commands;
  readonly mirror: Mirror;
  readonly own: Own;
  /** Takes in what dead windows left. */
  readonly gather: () => Promise<void>;
  readonly reports: { event: string; facts: unknown }[] = [];
  visible = true;
  #dead = false;
  readonly #wakes: (() => void)[] = [];
  readonly #hides: (() => void)[] = [];

  constructor(device: Device, options: TabOptions) {
    this.cable = new Cable(device.stand);
    const timers = fastTimers(() => this.#dead);
    const onDisk = options.disk !== 'memory';
    // A disk is waited for as long as in the app: a busy machine must not look like a broken disk.
    const disk = { indexedDB: device.factory, IDBKeyRange, timers: realTimers };
    const report = (event: string, facts?: unknown): void => void this.reports.push({ event, facts });
    const locks = options.locks === 'none' ? null : device.locksOf(this);
    const kept = keptOn({
      disk: onDisk ? disk : null,
      ownName: 'cairn-own',
      mirrorName: 'cairn-mirror',
      clock: device.clock,
      random,
      timers,
      report,
      locks,
      screen: this.screen,
      engine: () => this.engine,
      adapters: onDisk ? options : { own: memoryOwn(), mirror: memoryMirror(), ...options },
    });
    this.mirror = kept.disks.mirror!;
    this.own = kept.disks.own!;
    this.gather = kept.gather;
    this.engine = new Engine({
      clock: device.clock,
      random,
      timers,
      report,
      fetch: (path, init) => (this.#dead ? new Promise(() => undefined) : this.cable.fetch(path, init)),
      socket: this.cable.socket,
      locks,
      channel: { tell: (news) => device.tell(this, news), listen: (callback) => device.listen(this, callback) },
      page: {
        visible: () => this.visible,
        onWake: (callback) => void this.#wakes.push(callback),
        onHide: (callback) => void this.#hides.push(callback),
      },
      idle: () => (options.copies === true && !this.#dead ? new Promise((resolve) => setImmediate(resolve)) : new Promise(() => undefined)),
      roomUsed: async () => device.roomUsed,
      mirror: kept.mirror,
      own: kept.own,
      screen: this.screen,
      transcripts: async () => Transcript,
      copying: async () => Copying,
      chunkLimit: options.chunkLimit ?? 256,
    });
    this.commands = commandsOf({ engine: this.engine, deviceName: 'a test' });
  }
  get isDead(): boolean {
    return this.#dead;
  }
  /** Paints and connects. */
  async start(): Promise<this> {
    await this.engine.paint();
    this.engine.connect();
    return this;
  }
  async live(): Promise<this> {
    await this.start();
    await until(() => this.screen.linkView?.kind === 'live', 'the link is live');
    return this;
  }
  wake(): void {
    for (const callback of this.#wakes) callback();
  }
  hide(): void {
    for (const callback of this.#hides) callback();
  }
  /** As a closed or crashed tab: nothing of it runs on. */
  kill(): void {
    this.#dead = true;
    this.cable.cut();
    this.mirror.close();
    this.own.close();
  }
  /** The words that were handed over and are not in the transcript, with their stage. */
  stages(): string[] {
    return this.screen.view.receipts.map(
      ({ content, stage }) => `${content.map((part) => (part.type === 'text' ? part.text : '')).join('')}: ${stage}`,
    );
  }
}

/** The service worker of a device, while no page of it needs to be open. */
export class DeviceWorker {
  readonly cable: Cable;
  readonly reports: string[] = [];
  readonly #device: Device;
  #own: Own | null = null;
  #dead = false;

  constructor(device: Device) {
    this.#device = device;
    this.cable = new Cable(device.stand);
  }
  get isDead(): boolean {
    return this.#dead;
  }
  /** The browser fires its event: answers whether that was the end of it. */
  async flush(): Promise<boolean> {
    const device = this.#device;
    this.#own = diskOwn('cairn-own', { indexedDB: device.factory, IDBKeyRange, timers: realTimers });
    try {
      return await flushInBackground({
        own: this.#own,
        fetch: (path, init) => (this.#dead ? new Promise(() => undefined) : this.cable.fetch(path, init)),
        locks: device.locksOf(this),
        channel: { tell: (news) => device.tell(this, news), listen: (callback) => device.listen(this, callback) },
        clock: device.clock,
        random,
        timers: fastTimers(() => this.#dead),
        report: (event) => void this.reports.push(event),
      });
    } finally {
      this.#own.close();
    }
  }
  /** As the browser stops one: nothing of it runs on. */
  kill(): void {
    this.#dead = true;
    this.cable.cut();
    this.#own?.close();
  }
}
/** Whoever takes a lock or talks to the others: a tab, or the worker. */
interface Member {
  readonly isDead: boolean;
}

export class Device {
  readonly factory = new IDBFactory();
  readonly tabs: Tab[] = [];
  /** Milliseconds that this device's clock is ahead of the real one. */
  ahead = 0;
  readonly clock: Clock = { now: () => realClock.now() + this.ahead };
  readonly stand: HttpStand;
  /** What the browser says of its room; null: nothing. */
  roomUsed: number | null = null;
  readonly #holders = new Map<string, Member>();
  readonly #ears = new Map<Member, (news: TabNews) => void>();

  constructor(stand: HttpStand) {
    this.stand = stand;
  }
  tab(options: TabOptions = {}): Tab {
    const tab = new Tab(this, options);
    this.tabs.push(tab);
    return tab;
  }
  worker(): DeviceWorker {
    return new DeviceWorker(this);
  }
  close(): void {
    for (const tab of this.tabs) if (!tab.isDead) tab.kill();
  }
  /** Web Locks as browsers have them: freed when the holder's tab dies. */
  locksOf(tab: Member): Locks {
    return {
      hold: async (name, steal, task) => {
        const holder = this.#holders.get(name);
        const free = holder === undefined || holder.isDead || holder === tab;
        if (!free && !steal) return false;
        this.#holders.set(name, tab);
        try {
          await task();
        } finally {
          if (this.#holders.get(name) === tab) this.#holders.delete(name);
        }
        return true;
      },
      freed: async (name, signal) => {
        while (!signal.aborted && this.#holders.get(name)?.isDead === false) await pause(1);
      },
    };
  }
  tell(from: Member, news: TabNews): void {
    for (const [tab, hear] of this.#ears) {
      if (tab !== from && !tab.isDead && !from.isDead) setTimeout(() => tab.isDead || hear(news), 0);
    }
  }
  listen(tab: Member, callback: (news: TabNews) => void): void {
    this.#ears.set(tab, callback);
  }
}

/** Waits until something is so; fails with its name. */
export async function until(so: () => boolean | Promise<boolean>, name: string, ms = 5_000): Promise<void> {
  const end = realClock.now() + ms;
  while (!(await so())) {
    if (realClock.now() > end) throw new Error(`not within ${ms} ms: ${name}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
/** Lets everything that is under way settle. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
