/**
 * The engine: the link, the list, the replicas, the outbox and the open session, wired to each other. It decides little
 * itself: the tables in `state.ts` and `subscription.ts`, the rules of the outbox and of the mirror do.
 */
import type { DownFrame } from '#shared/protocol/frames.ts';
import { isEvent, type LogRecord } from '#shared/protocol/records.ts';
import type { Receipt } from '#shared/protocol/summaries.ts';
import type { OutboxRow } from '../own/port.ts';
import { ChunkLimit } from './chunk-limit.ts';
import { ClockWatch } from './clock-watch.ts';
import { Histories } from './histories.ts';
import { flushLock, type FlushLock } from './flush-lock.ts';
import { http, type WatchedHttp } from './http.ts';
import { CopyingLater } from './copying-later.ts';
import { Drafts } from './drafts.ts';
import { Leaving } from './leaving.ts';
import { Link, type Welcome } from './link.ts';
import { LinkShown } from './link-shown.ts';
import { ListSync } from './list-sync.ts';
import { SessionList } from './list.ts';
import { answered, refusing } from './answered.ts';
import { ThisDevice } from './losses.ts';
import { ModelWatch } from './model-facts.ts';
import { NOTICES } from './notices.ts';
import { orphan } from './orphans.ts';
import { Outbox } from './outbox.ts';
import { isOutstanding } from './outbox-rules.ts';
import { OpenSession } from './open-session.ts';
import type { SyncParts } from './ports.ts';
import { Promoted, promptsIn } from './promoted.ts';
import type { Replica, ReplicaNews } from './replica.ts';
import { Replicas, wantedSessions } from './replicas.ts';
import { heedTabs } from './tab-news.ts';
import type { Transcript } from './transcript.ts';
import type { LinkView } from './views.ts';

export class Engine {
  readonly parts: SyncParts;
  readonly http: WatchedHttp;
  readonly list: SessionList;
  readonly outbox: Outbox;
  readonly link: Link;
  readonly copying: CopyingLater;
  readonly drafts: Drafts;
  readonly limit: ChunkLimit;
  readonly #device: ThisDevice;
  readonly #lock: FlushLock;
  readonly #clockWatch: ClockWatch;
  readonly #shown: LinkShown;
  readonly #replicas: Replicas;
  readonly #promoted = new Promoted();
  readonly #open: OpenSession;
  readonly #listSync: ListSync;
  readonly #models: ModelWatch;
  readonly #histories: Histories;
  readonly #leaving: Leaving;
  #rows: readonly OutboxRow[] = [];

  constructor(parts: SyncParts) {
    this.parts = parts;
    const { clock, timers, random, report, mirror, own, screen, idle } = parts;
    this.drafts = new Drafts(parts);
    this.limit = new ChunkLimit(own, parts.chunkLimit);
    this.#device = new ThisDevice(parts);
    this.#clockWatch = new ClockWatch(clock, own);
    this.#shown = new LinkShown({
      ...parts,
      clockWatch: this.#clockWatch,
      runs: () => this.list.runs(),
      notice: (notice) => screen.notice(notice),
      facts: () => ({
        link: this.link.state,
        synced: this.#listSync.synced,
        replica: (this.#open.id === null ? null : this.replica(this.#open.id))?.state ?? null,
        rows: this.#rows,
      }),
      show: (view, before) => this.#linkChanged(view, before),
    });
    this.#histories = new Histories({ mirror, report, restored: () => this.#restored() });
    this.#leaving = new Leaving({
      ...parts,
      letGo: () => this.link.dispatch({ type: 'signed-out' }),
      wiped: () => this.#wiped(),
    });
    this.http = http({ fetch: parts.fetch, clock, timers, heard: (epoch, skew) => this.#heard(epoch, skew) });
    this.#models = new ModelWatch(this.http, (facts) => screen.model(facts));
    this.link = new Link({
      socket: parts.socket,
      http: this.http,
      timers,
      random,
      report,
      device: () => this.#device.id,
      up: (welcome) => void this.#up(welcome).catch((error: unknown) => report('engine.up', { error })),
      down: () => this.#down(),
      frame: (frame, epoch) => this.#frame(frame, epoch),
      heard: () => this.#shown.heard(),
      changed: () => this.publishLink(),
      signedOut: (revoked) => void this.signedOut(revoked),
    });
    this.list = new SessionList({
      mirror,
      http: this.http,
      timers,
      screen,
      rows: () => this.#rows,
      openId: () => this.#open.id,
      reset: (epoch) => this.#histories.adopt(epoch, true),
      removed: (ids) => this.#removed(ids),
      told: (summary) => (this.#open.told(summary), this.#replicas.told(summary.id)),
    });
    this.#listSync = new ListSync({
      list: this.list,
      timers,
      random,
      report,
      socket: () => (this.isUp() ? this.link.state.socket : null),
      changed: () => this.publishLink(),
      done: () => this.copying.run(),
    });
    this.#lock = flushLock({ locks: parts.locks, own, timers, page: parts.page });
    this.outbox = new Outbox({
      own,
      http: this.http,
      lock: this.#lock,
      random,
      timers,
      report,
      epoch: () => (this.isUp() ? this.#histories.epoch : null),
      clockFacts: () => this.#clockWatch.facts(),
      isMirrored: (id, receipt) => this.#isMirrored(id, receipt),
      changed: () => this.rowsChanged(),
      answered: (row, verdict) => answered(this, row, verdict),
      refusing: (row, verdict) => refusing(this, row, verdict),
      signedOut: (revoked) => void this.signedOut(revoked),
    });
    this.#replicas = new Replicas({
      mirror,
      http: this.http,
      timers,
      random,
      report,
      send: (frame) => this.link.send(frame),
      epoch: () => this.#histories.epoch,
      isUp: () => this.isUp(),
      isMade: (id) => this.#isMade(id),
      changed: (from, news) => this.#replicaChanged(from, news),
      gone: (id) => void this.#removed([id]),
    });
    this.#open = new OpenSession({
      transcripts: () => parts.transcripts(),
      mirror,
      http: this.http,
      screen,
      report,
      idle: (within) => idle(within),
      replica: (id) => this.#replicas.get(id),
      chunkLimit: () => this.limit.value,
      rows: () => this.#rows,
      isPromoted: (id) => this.#promoted.has(id),
      promotedChanges: () => this.#promoted.changes(),
      promoted: (ids) => this.#promoted.note(ids),
      isUp: () => this.isUp(),
      isMade: (id) => this.#isMade(id),
      mayLoad: () => this.#shown.mayLoad(),
      isDoubted: () => !this.#shown.isInTouch(),
      read: (id, total) => this.list.read(id, total),
      changed: () => this.list.publish(),
      recentChanged: () => this.#subscribeWanted(),
    });
    this.copying = new CopyingLater(() => parts.copying(), {
      ...parts,
      http: this.http,
      newestFirst: () => this.list.newestFirst(),
      openId: () => this.#open.id,
      isReplicated: (id) => this.#replicas.has(id),
      isUp: () => this.isUp(),
      applied: (sessionId, records) => this.#applied(sessionId, records),
    });
  }

  /** Reads this device: list, outbox and whatever is open paint with no server at all. */
  async paint(): Promise<void> {
    const { mirror, screen } = this.parts;
    await this.#device.load();
    await this.#clockWatch.load();
    await this.#shown.load();
    await this.limit.load();
    this.#histories.epoch = (await mirror.facts()).epoch;
    await this.list.load();
    await this.#reloadRows();
    screen.sessionsLoaded();
  }
  /** Listens to the page and the other tabs, and looks for the server. */
  connect(): void {
    const { page } = this.parts;
    heedTabs({
      ...this.parts,
      own: async () => {
        this.#lock.progress();
        await this.#reloadRows();
        this.outbox.kick();
      },
      applied: async (sessionId) => {
        await this.#histories.follow();
        if (this.#open.id === sessionId && !this.isUp()) await this.#open.transcript!.catchUp();
      },
      draft: (sessionId, text) => this.drafts.heard(sessionId, text),
      signedIn: () => this.isUp() || this.link.dispatch({ type: 'signed-in' }),
      wiped: () => this.#leaving.toldOfWipe(),
    });
    page.onWake(() => this.link.dispatch({ type: 'wake' }));
    page.onHide(() => {
      this.#shown.note();
      this.link.dispatch({ type: 'hide' });
    });
    this.link.dispatch({ type: 'start' });
  }

  isUp(): boolean {
    return this.link.state.phase === 'up';
  }
  rows(): readonly OutboxRow[] {
    return this.#rows;
  }
  transcript(): Transcript | null {
    return this.#open.transcript;
  }
  replica(sessionId: string): Replica | null {
    return this.#replicas.get(sessionId);
  }
  isPromoted(inputId: string): boolean {
    return this.#promoted.has(inputId);
  }
  /** An answer changed what the mirror holds about a session: the open one shows it. */
  async projected(sessionId: string): Promise<void> {
    if (this.#open.id === sessionId) await this.#open.transcript!.reproject();
  }

  skew(): number | null {
    return this.#clockWatch.known();
  }
  /** This device may come in again, in every tab of it. `id`: what the server calls it. */
  async signedIn(id: string | null): Promise<void> {
    if (id !== null) await this.#device.is(id);
    this.link.dispatch({ type: 'signed-in' });
    this.parts.channel?.tell({ type: 'signed-in' });
  }

  /** Most sealed chunks in the window, from now on. */
  async setChunkLimit(limit: number): Promise<void> {
    await this.limit.set(limit);
    this.#open.refresh();
  }
  /** Shows a session, or none; `at`: the part about this seq, if it can be had. */
  open(sessionId: string | null, at: number | null = null): Promise<void> {
    return this.#open.open(sessionId, at);
  }

  /** Rows of the outbox changed here: every view of them, the other tabs, and the flush want to know. */
  async rowsChanged(): Promise<void> {
    await this.#reloadRows();
    this.parts.channel?.tell({ type: 'own' });
  }
  async #reloadRows(): Promise<void> {
    this.#rows = await this.parts.own.rows();
    this.#subscribeWanted();
    this.list.publish();
    this.#open.refresh();
    this.link.dispatch({ type: 'holding', some: this.#rows.some(isOutstanding) });
    this.publishLink();
  }

  publishLink(): void {
    this.#shown.publish();
  }
  #linkChanged(view: LinkView, before: LinkView): void {
    this.parts.screen.link(view);
    if (view.kind === before.kind) return;
    this.list.doubt(!this.#shown.isInTouch());
    this.#open.refresh();
  }

  // ---- the link

  #heard(epoch: string, skew: number | null): void {
    this.#clockWatch.heard(skew);
    this.publishLink();
    if (this.#histories.epoch !== null && epoch !== this.#histories.epoch && this.isUp()) void this.#histories.adopt(epoch, false);
  }
  async #up(welcome: Welcome): Promise<void> {
    this.#shown.welcome(welcome);
    await this.#histories.adopt(welcome.epoch, false);
    if (!this.isUp()) return;
    this.#replicas.up();
    this.#open.refresh();
    this.outbox.linkUp();
    void this.#models.greeted(welcome.boot?.id);
    await this.#device.letIn(this.http);
    await this.#listSync.run(welcome);
  }
  #down(): void {
    this.#replicas.down();
    this.#open.refresh();
    this.#listSync.stale();
    this.#clockWatch.note();
    this.#shown.down();
  }
  #frame(frame: DownFrame, epoch: string): void {
    if (frame.type === 'session') {
      void this.list
        .told(frame.summary, epoch)
        .then(() => this.copying.soon())
        .catch((error: unknown) => this.parts.report('engine.list', { error }));
      return;
    }
    if (!('sessionId' in frame)) return;
    this.#replicas.take(frame);
    if (frame.type === 'input') void this.outbox.heard(frame.receipt.id, frame.receipt);
  }
  /** The server is another one than before, or itself again from a backup: what stayed here is held against it. */
  async #restored(): Promise<void> {
    this.parts.screen.notice(NOTICES.restored());
    await this.#reload();
    this.outbox.linkUp();
  }
  /** The mirror is another one: list and open session are read anew. */
  async #reload(): Promise<void> {
    this.#promoted.clear();
    this.copying.reset();
    await this.list.load();
    await this.#open.reload();
    if (this.isUp()) this.#replicas.up();
  }
  /** The mirror is another one than what is shown was read from, and may hold nothing. */
  async mirrorAgain(): Promise<void> {
    await this.#histories.again();
    await this.#reload();
    if (this.isUp()) await this.#listSync.anew();
  }

  // ---- sessions

  /** What is open, was open lately, or has inputs on their way is kept in step. */
  #subscribeWanted(): void {
    this.#replicas.want(wantedSessions(this.#open.recent, this.#rows));
  }
  #replicaChanged(replica: Replica, news: ReplicaNews): void {
    if (news.jumped) this.copying.jumped(replica.sessionId);
    if (news.jumped) void this.outbox.jumped(replica.sessionId);
    if (news.records.length > 0) this.#applied(replica.sessionId, news.records);
    if (news.now?.summary) this.list.projected(news.now.summary);
    if (this.#open.take(replica, news)) this.publishLink();
  }
  /** In the mirror, and told: a row that went before its chunk is on the screen would leave its prompt nowhere for a moment (I34). */
  async #isMirrored(inputId: string, { sessionId, promotedSeq }: Receipt): Promise<boolean> {
    if (this.#promoted.has(inputId) || promotedSeq === null) return promotedSeq !== null;
    const look = async (): Promise<boolean> => (await this.parts.mirror.projections(sessionId)).cursor.seq >= promotedSeq;
    return (await this.replica(sessionId)?.run(look)) ?? look();
  }
  /** False while it is made on this device only. */
  #isMade(sessionId: string): boolean {
    return !this.#rows.some((row) => row.command.kind === 'create' && row.sessionId === sessionId);
  }
  /** Records are in the mirror: inputs among them are settled, and other tabs may read them. */
  #applied(sessionId: string, records: readonly LogRecord[]): void {
    const prompts = promptsIn(records);
    this.#promoted.note(prompts);
    if (prompts.length > 0) void this.outbox.retire(records);
    for (const record of records) if (isEvent(record, 'admitted')) void this.outbox.heard(record.data.inputId, null);
    this.copying.applied(sessionId, records);
    this.parts.channel?.tell({ type: 'applied', sessionId });
  }
  async #removed(sessionIds: readonly string[]): Promise<void> {
    for (const id of sessionIds) this.replica(id)?.gone();
    this.#open.removed(sessionIds);
    if (await orphan(this.parts.own, this.#rows, sessionIds)) await this.rowsChanged();
  }

  signedOut(revoked: boolean): Promise<void> {
    return this.#leaving.signedOut(revoked);
  }
  async forget(): Promise<void> {
    this.#device.id = null;
    await this.#leaving.forget();
  }
  async #wiped(): Promise<readonly OutboxRow[]> {
    this.#histories.epoch = null;
    this.#open.wiped();
    this.#promoted.clear();
    this.#rows = await this.parts.own.rows();
    this.#replicas.clear();
    this.#subscribeWanted();
    this.copying.reset();
    this.parts.screen.clear();
    await this.list.load();
    this.publishLink();
    return this.#rows;
  }
}
