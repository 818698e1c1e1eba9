/**
 * Keeps the newest sessions mirrored also when nobody has them open, so that they read the same in a tunnel. One request at a
 * time, newest first, only while the link is up, and only their newest records: the rest is paged in when it is asked for.
 */
import type { LogRecord } from '#shared/protocol/records.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { SessionSummary, Timeline } from '#shared/protocol/summaries.ts';
import type { Report, Timers } from '#shared/ports.ts';
import type { Mirror } from '../mirror/port.ts';
import type { Http } from './http.ts';

export interface KeeperParts {
  mirror: Mirror;
  http: Http;
  timers: Timers;
  report: Report;
  newestFirst(): SessionSummary[];
  /** Subscribed: its replica keeps it. */
  isReplicated(sessionId: string): boolean;
  isUp(): boolean;
  applied(sessionId: string, records: readonly LogRecord[]): void;
}
const KEPT = 20;
const RECORDS = 200;
/** Milliseconds after news of other sessions: a running one would else be fetched at every step. */
const SOON = 10_000;

export class Keeper {
  readonly #parts: KeeperParts;
  #running = false;
  #planned = false;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }
  soon(): void {
    if (this.#planned) return;
    this.#planned = true;
    this.#parts.timers.after(SOON, () => {
      this.#planned = false;
      this.run();
    });
  }
  run(): void {
    if (this.#running) return;
    this.#running = true;
    this.#all()
      .catch((error: unknown) => this.#parts.report('keeper.run', { error }))
      .finally(() => {
        this.#running = false;
      });
  }

  async #all(): Promise<void> {
    const { mirror } = this.#parts;
    for (const { id, head, archived } of this.#parts.newestFirst().slice(0, KEPT)) {
      if (!this.#parts.isUp()) return;
      if (archived || this.#parts.isReplicated(id) || (await mirror.projections(id)).cursor.seq >= head) continue;
      if (!(await this.#newestOf(id))) return;
    }
  }
  /** False: no answer, so there is no point in asking for the next. */
  async #newestOf(sessionId: string): Promise<boolean> {
    const guard = await this.#parts.mirror.guard(sessionId);
    const answer = await this.#parts.http.ask('GET', `${ROUTES.timeline(sessionId)}?limit=${RECORDS}`);
    if (answer.kind === 'trouble') return false;
    if (answer.kind === 'refused' || this.#parts.isReplicated(sessionId)) return true;
    const timeline = answer.value as Timeline;
    const applied = await this.#parts.mirror.apply(guard, { kind: 'timeline', sessionId, timeline });
    if (applied.ok) this.#parts.applied(sessionId, timeline.records);
    return true;
  }
}
