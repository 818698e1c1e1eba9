/** The world of one history: who is in it, what happens next, and what is held against it after every step. */
import { createHash } from 'node:crypto';
import { ROUTES } from '#shared/protocol/routes.ts';
import { newId } from '#shared/ids.ts';
import { isTombstone, type Receipt } from '#shared/protocol/summaries.ts';
import type { Commit } from '../../server/store/port.ts';
import { doFault, FAULTS, SHORT_FAULTS, type FaultAct } from './acts/faults.ts';
import { doInTab, PEOPLE, SHORT_PEOPLE, type PeopleAct } from './acts/people.ts';
import { Chance } from './chance.ts';
import { WorldClock } from './clock.ts';
import { SimDevice } from './device.ts';
import { MemoryDisk, type Disk } from './disk.ts';
import { IdbDisk } from './disk-idb.ts';
import { heal } from './heal.ts';
import { AcceptedLaw } from './laws/accepted.ts';
import { RowsLaw } from './laws/rows.ts';
import { StagesLaw } from './laws/stages.ts';
import { TurnsLaw } from './laws/turns.ts';
import { lookAtTables } from './laws/mirror.ts';
import { lookAtLink, lookAtReceipts } from './laws/truth.ts';
import { lookAtView } from './laws/view.ts';
import { WireLaw } from './laws/wire.ts';
import { Loop } from './loop.ts';
import { scriptedAgent, scriptedToolbox, WORKSPACE } from './model.ts';
import { Network } from './network.ts';
import { Oracle, type Backup } from './oracle.ts';
import { gap } from './pace.ts';
import type { Outcome, Plan } from './play.ts';
import { HOST, SimServer, TOKEN } from './server.ts';
import type { SimTab } from './tab.ts';
import { Words } from './words.ts';

/** 2027, so that ids and dates look like something. */
const START = 1_800_000_000_000;

export class World {
  readonly plan: Plan;
  readonly loop = new Loop();
  readonly clock: WorldClock;
  readonly server: SimServer;
  readonly network: Network;
  readonly oracle: Oracle;
  readonly words: Words;
  readonly devices: SimDevice[] = [];
  readonly backups: Backup[] = [];
  readonly deleted = new Set<string>();
  readonly counters: Record<string, number> = {};
  readonly told: string[] = [];
  readonly chunkLimit: number;
  /** No more trouble, of any kind. */
  healed = false;
  /** Made so far. */
  sessions = 0;
  #calm = true;
  /** The server's next sealed chunk is the last thing that it does: it is on the disk, and nobody is told. */
  #diesSealing = false;
  #step = 0;
  #fault: Outcome['fault'] = null;
  /** Sends that wait for the end of a turn. */
  readonly #atEnd: number[] = [];
  #scripted = 0;
  #attempts = 0;
  #tools = 0;
  readonly #names = new Map<string, string>();
  readonly rows: RowsLaw;
  readonly #wire: WireLaw;
  readonly #accepted: AcceptedLaw;
  readonly #stages: StagesLaw;
  readonly #turns: TurnsLaw;

  constructor(plan: Plan) {
    this.plan = plan;
    const { seed } = plan;
    this.chunkLimit = new Chance(seed, 'limit').pick([16, 24, 64])!;
    this.clock = new WorldClock(START, this.loop, () => this.#looked());
    this.oracle = new Oracle(
      (law, words) => this.fault(law, words),
      (sessionId) => this.server.recordsOf(sessionId),
    );
    this.words = new Words(this);
    this.rows = new RowsLaw(this);
    this.#wire = new WireLaw((law, words) => this.fault(law, words));
    this.#accepted = new AcceptedLaw(this);
    this.#stages = new StagesLaw(this);
    this.#turns = new TurnsLaw(this);
    this.server = new SimServer({
      seed,
      // So few in a short history that some come back too late for them.
      replayRecords: plan.short === true ? new Chance(seed, 'replay').pick([6, 30, 5_000]) : undefined,
      clock: this.clock,
      timers: this.clock,
      agent: (timers) =>
        scriptedAgent({
          seed,
          timers,
          count: () => this.#attempts++,
          healed: () => this.healed,
          attempted: (request) => this.#wire.requested(request),
          mood: (mood) => this.count(`model-${mood}`),
        }),
      toolbox: (timers) => scriptedToolbox(seed, timers, () => this.#tools++),
      committed: (commit, races) => {
        if (races) this.count('cut-over-race');
        this.#turns.commit(commit);
        this.#stages.commit(commit);
        this.oracle.commit(commit);
        this.#ended(commit);
        if (!this.#diesSealing || !commit.records.some(({ kind }) => kind === 'chunk')) return;
        this.#diesSealing = false;
        this.count('crash-mid-seal');
        this.killServer();
      },
      reported: (event, facts) => this.reported('server', event, facts),
      began: (epoch) => this.oracle.began(epoch),
    });
    this.network = new Network({
      clock: this.clock,
      chance: new Chance(seed, 'network'),
      server: this.server,
      calm: () => this.#calm,
      count: (what) => this.count(what),
      answered: (place, asked, answer) => {
        if (answer.status === 401) this.count('401');
        if (answer.status >= 400 && asked.path.includes('/approvals/')) this.count(`decision-${answer.status}`);
        this.#accepted.answered(asked, answer);
        this.rows.answered(place, asked, answer);
      },
    });
  }

  // ---- what is told

  fault(law: string, words: string): void {
    this.#fault ??= { law, words: this.readable(words), step: this.#step };
  }
  get isFaulty(): boolean {
    return this.#fault !== null;
  }
  count(what: string): void {
    this.counters[what] = (this.counters[what] ?? 0) + 1;
  }
  tell(words: string): void {
    this.told.push(`${((this.clock.now() - START) / 1000).toFixed(3)} ${words}`);
  }
  reported(who: string, event: string, facts: unknown): void {
    this.count(`report:${event}`);
    const error = typeof facts === 'object' && facts !== null && 'error' in facts ? (facts.error as Error) : null;
    this.tell(`  ${who} reports ${event}${error === null ? '' : `: ${error.name}: ${error.message}`}`);
    // What nobody foresaw is never part of a history.
    if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
      this.fault('law-13', `${who} reports ${event}: ${error.stack ?? error.message}`);
  }
  /** A short name for an id, in the order in which they came up. */
  nameOf(id: string): string {
    let name = this.#names.get(id);
    if (name === undefined) this.#names.set(id, (name = `#${this.#names.size + 1}`));
    return name;
  }
  readable(words: string): string {
    return words.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => this.nameOf(id));
  }

  // ---- who is there

  tabs(): SimTab[] {
    return this.devices.flatMap(({ tabs }) => tabs);
  }
  watch(tab: SimTab): void {
    tab.screen.check = (view) => {
      if (tab.dead) return;
      lookAtView(tab, view);
      lookAtReceipts(tab, view.receipts);
      this.#stages.look(tab, view.receipts);
    };
  }
  /** A command of a tab, which nobody waits for: it may end at any time, or never, but not in an error. */
  doing(tab: SimTab, what: string, done: Promise<unknown>): void {
    done.catch((error: unknown) => {
      if (!tab.dead)
        this.fault(
          'law-17',
          `${what} in ${tab.name} was rejected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
        );
    });
  }
  async signIn(tab: SimTab, token: string): Promise<void> {
    const asked = await tab.commands.signIn(token);
    if (asked.ok) tab.place.leaving = false;
  }
  kill(tab: SimTab): void {
    if (tab.ownLost)
      this.words.excuse(
        (one) =>
          one.device === tab.place &&
          tab.engine.rows().some(({ id, command }) => id === one.inputId || ('inputId' in command && command.inputId === one.inputId)),
        'saving was off, and its tab is gone',
      );
    tab.kill();
  }
  /** A script asks for other words under an id that is known: they are never the ones of that id. */
  sameId({ id, sessionId, delivery }: Receipt): void {
    const body = { content: [{ type: 'text', text: 'other words' }], delivery, composedAt: this.clock.now() };
    const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
    const asked = { method: 'PUT', path: ROUTES.input(sessionId, id), headers, body: JSON.stringify(body) };
    this.server.ask(asked, (answer) => {
      this.count(`same-id-${answer.status}`);
      this.#accepted.answered(asked, answer);
    });
  }
  /** A script sends at the moment at which the next turn ends, or a moment later. */
  sendAtEnd(later: number): void {
    this.#atEnd.push(later);
  }
  #ended({ session, records }: Commit): void {
    if (isTombstone(session) || session.status !== 'idle' || !records.some(({ type }) => type === 'turn-settled')) return;
    const later = this.#atEnd.shift();
    if (later === undefined) return;
    const send = (): void => {
      this.count('sent-at-end');
      const id = newId(this.clock, new Chance(this.plan.seed, 'script', this.#scripted++));
      const body = { content: [{ type: 'text', text: 'one more' }], delivery: 'queue', composedAt: this.clock.now() };
      const headers = { host: HOST, authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
      this.server.ask({ method: 'PUT', path: ROUTES.input(session.id, id), headers, body: JSON.stringify(body) }, () => undefined);
    };
    if (later === 0) send();
    else this.clock.after(later - 1, send);
  }
  killServer(): void {
    if (!this.server.isUp) return;
    this.count('server-death');
    this.server.kill();
    this.#turns.down();
    this.network.serverDied();
  }
  dieSealing(): void {
    this.#diesSealing = true;
  }
  async startServer(): Promise<void> {
    const began = this.server.start();
    await this.loop.quiet();
    await began;
    // It may have died while it recovered.
    if (this.server.db !== null) this.oracle.compare(this.server.db);
  }
  restore(backup: Backup): void {
    this.count('restore');
    this.server.restore(backup.image, true);
    this.oracle.restore(backup, true);
    this.#wire.forget();
    this.#turns.forget();
    // What ran in what is no more, and has left its device long since, went with it.
    const { inputs } = backup.history;
    this.words.excuse((one) => {
      const lost = this.oracle.histories.at(-2)?.inputs.get(one.inputId);
      return lost?.state === 'promoted' && inputs.get(one.inputId) === undefined;
    }, 'the server lost it after it ran');
  }

  // ---- what happens

  async play(): Promise<Outcome> {
    this.loop.take();
    const unheard = (error: unknown): void =>
      this.fault('law-13', `a rejection that nobody took: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
    process.on('unhandledRejection', unheard);
    try {
      await this.#begin();
      await this.#act();
      if (!this.isFaulty) {
        this.#step = this.#steps();
        await heal(this);
      }
    } catch (error) {
      this.fault('world', error instanceof Error ? (error.stack ?? error.message) : String(error));
    } finally {
      for (const tab of this.tabs()) tab.kill();
      this.server.kill();
      for (const { disk } of this.devices) disk.close();
      await this.loop.quiet().catch(() => undefined);
      this.server.bury();
      this.loop.giveBack();
      process.off('unhandledRejection', unheard);
    }
    return { fault: this.#fault, told: this.told, counters: this.counters, digest: this.#digest() };
  }
  #steps(): number {
    const [least, most] = this.plan.short === true ? [8, 18] : [30, 80];
    return this.plan.steps ?? new Chance(this.plan.seed, 'steps').whole(least, most);
  }
  async #begin(): Promise<void> {
    await this.startServer();
    const chance = new Chance(this.plan.seed, 'devices');
    const short = this.plan.short === true;
    const count = short ? 2 : chance.whole(2, 3);
    for (let n = 0; n < count; n++) {
      const device = new SimDevice(this, `d${n}`, this.#disk(n), chance.is(0.85));
      this.devices.push(device);
      const tab = device.openTab();
      await this.clock.pass(20);
      this.doing(tab, 'sign-in', this.signIn(tab, TOKEN));
      if (n === 0) {
        await this.clock.pass(50);
        this.sessions++;
        const id = tab.commands.newId();
        this.doing(tab, 'create', tab.commands.createSession({ workspace: WORKSPACE, title: 's1', mode: 'auto' }, id));
        this.tell(`${tab.name} create ${this.nameOf(id)}`);
      }
      await this.clock.pass(100);
      if (chance.is(short ? 0.25 : 0.5)) device.openTab();
      await this.clock.pass(100);
      for (const one of device.tabs) {
        const first = [...one.screen.rows.keys()][0];
        if (first !== undefined) this.doing(one, 'open', one.commands.open(first));
      }
    }
    await this.clock.pass(100);
    this.#calm = false;
  }
  #disk(n: number): Disk {
    const row = new Chance(this.plan.seed, 'row', n);
    const count = (what: string): void => this.count(what);
    return this.plan.disk === 'memory'
      ? new MemoryDisk(count, () => row.whole(0, 6))
      : new IdbDisk(
          count,
          `d${n}`,
          () => row.whole(0, 6),
          () => this.loop.quiet(),
        );
  }
  async #act(): Promise<void> {
    const only = this.plan.only === undefined ? null : new Set(this.plan.only);
    const steps = this.#steps();
    for (let at = 0; at < steps && !this.isFaulty; at++) {
      if (only !== null && !only.has(at)) continue;
      this.#step = at;
      const chance = new Chance(this.plan.seed, 'act', at);
      const line = await this.#one(chance);
      if (line !== null) this.tell(`[${at}] ${this.readable(line)}`);
      await this.clock.pass(gap(chance, this.plan.short === true));
      await this.#look();
    }
  }
  /** One action, as its own chance has it. */
  async #one(chance: Chance): Promise<string | null> {
    if (chance.is(this.plan.short === true ? 0.4 : 0.3)) {
      const act: FaultAct = chance.weighted(this.plan.short === true ? SHORT_FAULTS : FAULTS);
      const done = await doFault(this, act, chance);
      if (done !== null) this.count(`act-${act}`);
      return done === null ? null : `${act} ${done}`;
    }
    const act: PeopleAct = chance.weighted(this.plan.short === true ? SHORT_PEOPLE : PEOPLE);
    const tab = chance.pick(this.tabs().filter((one) => one.ready && !one.frozen));
    const done = tab === undefined ? null : doInTab(tab, act, chance);
    if (done !== null) this.count(`act-${act}`);
    return done === null ? null : `${tab!.name} ${act} ${done}`;
  }

  /** After everything that happens: what costs next to nothing to look at. */
  #looked(): void {
    for (const tab of this.tabs()) lookAtLink(tab);
  }
  /** After every action. */
  async #look(): Promise<void> {
    for (const device of this.devices) {
      lookAtTables(device);
      // What a crash of the device takes was written since.
      if (this.#step % 4 === 0) device.disk.sync();
    }
    this.#accepted.look();
    this.#turns.look();
    await this.words.look();
    for (const tab of this.tabs()) {
      const disk = tab.screen.notices.filter(({ id }) => id === 'disk').length;
      if (disk > 1) this.fault('law-17', `${tab.name} was told ${disk} times that its history is kept no more`);
    }
  }
  /** For the end: the laws that are looked at after every action. */
  look(): Promise<void> {
    return this.#look();
  }
  calm(): void {
    this.#calm = true;
    this.#diesSealing = false;
  }
  #digest(): string {
    const hash = createHash('sha256');
    for (const line of this.told) hash.update(line);
    for (const { epoch, sessions } of this.oracle.histories)
      for (const [id, { texts }] of sessions) hash.update(`${epoch}/${id}`).update(texts.join('\n'));
    hash.update(JSON.stringify(this.counters)).update(JSON.stringify(this.#fault));
    return hash.digest('hex');
  }
}
