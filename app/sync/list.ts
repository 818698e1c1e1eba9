/** The session list: the mirror's copy, kept in step by version, shown with what waits here. */
import { LIMITS } from '#shared/protocol/limits.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { SessionEntry, SessionSummary } from '#shared/protocol/summaries.ts';
import type { Timers } from '#shared/ports.ts';
import type { Mirror, MirroredSession } from '../mirror/port.ts';
import type { OutboxRow } from '../own/port.ts';
import type { Http } from './http.ts';
import type { Screen } from './ports.ts';
import { rowChanges, sessionRows } from './session-rows.ts';
import type { SessionRow } from './views.ts';

export interface ListParts {
  mirror: Mirror;
  http: Http;
  timers: Timers;
  screen: Screen;
  rows(): readonly OutboxRow[];
  openId(): string | null;
  /** The server's list is of another history than the one here. */
  reset(epoch: string): Promise<void>;
  removed(sessionIds: readonly string[]): Promise<void>;
  /** The server's newer word about a session. */
  told(summary: SessionSummary): void;
}
/** Where the server's list was at its greeting. */
export interface Told {
  readonly epoch: string;
  readonly version: number;
}
type ListAnswer = { sessions: SessionEntry[]; version: number; more: boolean } | { reset: true; epoch: string; version: number };

/** Milliseconds between the screen showing words and their being noted as read. */
const READ_AFTER = 1_000;

export class SessionList {
  readonly #parts: ListParts;
  #sessions = new Map<string, MirroredSession>();
  #shown: ReadonlyMap<string, SessionRow> = new Map();
  #fresh = false;
  /** No change was missed since the mirror's version: each that the socket tells of raises it. */
  #inStep = false;
  /** Entries that the socket told are put one after another. */
  #telling: Promise<void> = Promise.resolve();
  #doubted = false;
  readonly #reading = new Map<string, () => void>();

  constructor(parts: ListParts) {
    this.#parts = parts;
  }

  summary(sessionId: string): SessionSummary | null {
    return this.#sessions.get(sessionId)?.summary ?? null;
  }
  newestFirst(): SessionSummary[] {
    return [...this.#sessions.values()].map(({ summary }) => summary).sort((a, b) => b.updatedAt - a.updatedAt);
  }
  /** Reads the mirror anew. */
  async load(): Promise<void> {
    this.#sessions = new Map((await this.#parts.mirror.sessions()).map((session) => [session.id, session]));
    this.publish();
  }
  /** The link is down: from now on it is what was last seen. */
  stale(): void {
    this.#fresh = false;
    this.#inStep = false;
    this.publish();
  }
  /** Whether the link is there at all: a socket that does not answer makes no word fresh, however open it is. */
  doubt(doubted: boolean): void {
    if (doubted === this.#doubted) return;
    this.#doubted = doubted;
    this.publish();
  }
  /** A turn runs in one of them, as far as is known. */
  runs(): boolean {
    return [...this.#sessions.values()].some(({ summary }) => summary.status === 'running' || summary.status === 'waiting');
  }
  publish(): void {
    const next = sessionRows({
      sessions: [...this.#sessions.values()],
      rows: this.#parts.rows(),
      openId: this.#parts.openId(),
      fresh: this.#fresh && !this.#doubted,
    });
    const { changed, removed } = rowChanges(this.#shown, next);
    this.#shown = next;
    if (changed.length > 0 || removed.length > 0) this.#parts.screen.sessions(changed, removed);
  }

  /**
   * Asks for all that changed since the mirror's version, tombstones too. True: the list is the server's word of now.
   * `told`: where the server was when it greeted; with nothing new since, nothing is asked.
   */
  async sync(told: Told): Promise<boolean> {
    for (;;) {
      const { epoch, version, guard } = await this.#parts.mirror.facts();
      if (epoch === told.epoch && version === told.version) break;
      const query = `since=${version}&limit=${LIMITS.sessionsPerPage}${epoch === null ? '' : `&epoch=${encodeURIComponent(epoch)}`}`;
      const answer = await this.#parts.http.ask('GET', `${ROUTES.sessions()}?${query}`);
      if (answer.kind !== 'ok') return false;
      const list = answer.value as ListAnswer;
      if ('reset' in list) {
        await this.#parts.reset(list.epoch);
        continue;
      }
      const reached = list.more ? (list.sessions.at(-1)?.version ?? list.version) : list.version;
      const put = await this.#parts.mirror.putSessions(guard, list.sessions, reached);
      await this.#take(put.changed, put.removed);
      if (put.ok && !list.more) break;
    }
    this.#fresh = true;
    this.#inStep = true;
    this.publish();
    return true;
  }
  /** One entry as an answer of the server says it: others may have changed before it. `epoch`: of the history that it is of. */
  take(entry: SessionEntry, epoch: string): Promise<void> {
    return this.#put(entry, epoch, null);
  }
  /** One entry as the socket tells it. They come in order and none is left out, so that in step the list stays so. */
  told(entry: SessionEntry, epoch: string): Promise<void> {
    const put = this.#telling.then(() => this.#put(entry, epoch, this.#inStep ? entry.version : null));
    // What could not be kept is asked for again after the next greeting.
    this.#telling = put.catch(() => void (this.#inStep = false));
    return put;
  }
  /** What was said of another history means nothing here, however new it looks: its versions were counted apart (B4). */
  async #put(entry: SessionEntry, of: string, version: number | null): Promise<void> {
    const { epoch, guard } = await this.#parts.mirror.facts();
    if (epoch !== of) return;
    const { ok, changed, removed } = await this.#parts.mirror.putSessions(guard, [entry], version);
    if (!ok) this.#inStep = false;
    await this.#take(changed, removed);
    this.publish();
  }
  async #take(changed: readonly MirroredSession[], removed: readonly string[]): Promise<void> {
    for (const session of changed) {
      this.#sessions.set(session.id, session);
      this.#parts.told(session.summary);
    }
    for (const id of removed) this.#sessions.delete(id);
    if (removed.length > 0) await this.#parts.removed(removed);
  }
  /** The mirror projected records onto this summary. */
  projected(summary: SessionSummary): void {
    const held = this.#sessions.get(summary.id);
    if (held !== undefined && (held.summary.version > summary.version || held.summary.head > summary.head)) return;
    this.#sessions.set(summary.id, { id: summary.id, summary, readTotal: held?.readTotal ?? summary.total });
    this.publish();
  }

  /** The user sees the newest words of this session. */
  read(sessionId: string, total: number): void {
    const held = this.#sessions.get(sessionId);
    if (held === undefined || held.readTotal === total) return;
    this.#sessions.set(sessionId, { ...held, readTotal: total });
    this.#reading.get(sessionId)?.();
    const cancel = this.#parts.timers.after(READ_AFTER, () => {
      this.#reading.delete(sessionId);
      void this.#parts.mirror.markRead(sessionId, total);
    });
    this.#reading.set(sessionId, cancel);
  }
}
