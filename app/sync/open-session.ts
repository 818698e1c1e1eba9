/** Which session is open: one transcript at a time, over the replica that the engine keeps of it. */
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import { CLOSED, type Screen, type SyncParts } from './ports.ts';
import type { Replica, ReplicaNews } from './replica.ts';
import { RECENT } from './replicas.ts';
import type { Transcript, TranscriptParts } from './transcript.ts';

export interface OpenSessionParts extends Omit<TranscriptParts, 'isMade' | 'canLoad' | 'screen'> {
  screen: Screen;
  transcripts: SyncParts['transcripts'];
  replica(sessionId: string): Replica | null;
  isUp(): boolean;
  /** False while the session is made on this device only. */
  isMade(sessionId: string): boolean;
  /** Another session is open, or none. */
  changed(): void;
  /** What was opened lately is another list: those are kept in step. */
  recentChanged(): void;
}

export class OpenSession {
  transcript: Transcript | null = null;
  /** Opened lately, the newest first. */
  recent: readonly string[] = [];
  readonly #parts: OpenSessionParts;
  #Transcript: typeof Transcript | null = null;
  /** Raised by each wish: a session that is still being brought up when another is wanted is not shown. */
  #wish = 0;

  constructor(parts: OpenSessionParts) {
    this.#parts = parts;
  }
  get id(): string | null {
    return this.transcript?.sessionId ?? null;
  }

  async open(sessionId: string | null, at: number | null): Promise<void> {
    const wish = ++this.#wish;
    if (sessionId !== null && this.#Transcript === null) {
      this.#Transcript = await this.#parts.transcripts();
      if (wish !== this.#wish) return;
    }
    if (sessionId !== null && sessionId === this.id) return void (at !== null && (await this.transcript!.showAt(at)));
    this.#close();
    if (sessionId === null) {
      this.#parts.screen.transcript(CLOSED);
      this.#parts.changed();
      return;
    }
    this.recent = [sessionId, ...this.recent.filter((id) => id !== sessionId)].slice(0, RECENT);
    this.#parts.recentChanged();
    await this.#show(sessionId, at);
  }
  /** The mirror is another one: what is open is read anew. */
  async reload(): Promise<void> {
    const sessionId = this.id;
    if (sessionId === null) return;
    this.#close();
    await this.#show(sessionId, null);
  }
  async #show(sessionId: string, at: number | null): Promise<void> {
    const parts = this.#parts;
    const transcript = new this.#Transcript!(parts.replica(sessionId)!, {
      ...parts,
      isMade: () => parts.isMade(sessionId),
      canLoad: () => parts.isUp() && parts.isMade(sessionId),
    });
    this.transcript = transcript;
    parts.changed();
    await transcript.open(at);
  }
  #close(): void {
    this.transcript?.close();
    this.transcript = null;
  }

  /** True: it was news of the open one. */
  take(replica: Replica, news: ReplicaNews): boolean {
    if (replica.sessionId !== this.id) return false;
    this.transcript!.take(news);
    return true;
  }
  told(summary: SessionSummary): void {
    this.transcript?.told(summary);
  }
  refresh(): void {
    this.transcript?.refresh();
  }
  /** Deleted: an open one stays, empty, for the words that were written here. */
  removed(sessionIds: readonly string[]): void {
    if (this.id !== null && sessionIds.includes(this.id)) this.transcript!.gone();
    this.recent = this.recent.filter((id) => !sessionIds.includes(id) || id === this.id);
  }
  /** All that came from the mirror is gone. */
  wiped(): void {
    this.#close();
    this.recent = [];
  }
}
