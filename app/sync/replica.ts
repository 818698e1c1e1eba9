/**
 * One session kept in step with the server: performs the effects of `subscription.ts`, one event after another, and tells what
 * changed. Records go to the mirror first and are told only then (law 7).
 */
import { isTombstone, type Timeline } from '#shared/protocol/summaries.ts';
import { backoff } from '#shared/backoff.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { UpFrame } from '#shared/protocol/frames.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { Random, Report, Timers } from '#shared/ports.ts';
import { APPLY_RECORDS, START, type Applied, type Guard, type Mirror, type Projections } from '../mirror/port.ts';
import type { Http } from './http.ts';
import { downAt, subscription, type SessionFrame, type SubEffect, type SubEvent, type SubState } from './subscription.ts';

export interface ReplicaParts {
  mirror: Mirror;
  http: Http;
  timers: Timers;
  random: Random;
  report: Report;
  send(frame: UpFrame): void;
  epoch(): string | null;
  /** A change, in order; `news.records` are in the mirror. */
  changed(replica: Replica, news: ReplicaNews): void;
  /** The server says that the session is deleted. */
  gone(sessionId: string): void;
}
export interface ReplicaNews {
  records: readonly LogRecord[];
  /** Projections after the change; null: only the live part or the phase changed. */
  now: Projections | null;
  /** The cursor jumped or the log was dropped: what is shown must be read anew. */
  jumped: boolean;
}
/** Records of the first load: some screens full, and less than a page's worth of bytes. */
const TIMELINE_RECORDS = 200;
const RETRY = { base: 500, cap: 30_000 };

type RecordsFrame = Extract<SessionFrame, { type: 'records' }>;

export class Replica {
  readonly sessionId: string;
  state: SubState = downAt(START);
  /** The server said that it has nothing of this session. */
  refused = false;
  readonly #parts: ReplicaParts;
  readonly #queue: (() => Promise<void>)[] = [];
  #busy = false;
  /** The newest frame that waits its turn, if it is one of records. */
  #last: RecordsFrame | null = null;
  #guard: Guard = { epoch: null, generation: 0 };
  /** Failures in a row, and the wait that they earned. */
  #failed = 0;
  #cancelRetry: (() => void) | null = null;
  /** Raised by each `up` and `down`: a load that was asked for before means nothing after. */
  #round = 0;

  constructor(sessionId: string, parts: ReplicaParts) {
    this.sessionId = sessionId;
    this.#parts = parts;
  }

  /** The link is up: subscribe from the mirror's cursor. */
  up(): void {
    this.#round++;
    this.#failed = 0;
    this.refused = false;
    this.#restart('up');
  }
  /** The link is down: what was live is void at once. */
  down(): void {
    this.#round++;
    this.#last = null;
    this.#cancelRetry?.();
    this.#step({ type: 'down' });
    this.#tell([], null, false);
  }
  /** The session is deleted: there is nothing to be in step with, and nothing more is waited for. */
  gone(): void {
    this.refused = true;
    this.down();
  }
  take(frame: SessionFrame): void {
    if (!this.#busy) {
      // Most frames are live ones, which change nothing durable: they need not wait for a turn of the queue.
      const { state, effects } = subscription(this.state, { type: 'frame', frame });
      if (effects.length === 0) {
        const same = state === this.state;
        this.state = state;
        if (!same) this.#tell([], null, false);
        return;
      }
    }
    if (frame.type === 'records') return this.#arrived(frame);
    this.#last = null;
    void this.run(() => this.#event({ type: 'frame', frame }));
  }
  /** Records that come while others are being written are written together: a replay costs fewer transactions than it has frames. */
  #arrived(frame: RecordsFrame): void {
    const last = this.#last;
    if (last !== null && last.records.at(-1)!.seq + 1 === frame.records[0]?.seq) {
      last.records.push(...frame.records);
      return;
    }
    const next = { ...frame, records: [...frame.records] };
    this.#last = next;
    void this.run(() => {
      if (this.#last === next) this.#last = null;
      return this.#event({ type: 'frame', frame: next });
    });
  }

  /** Runs `task` when all that came before it is done, and nothing else meanwhile. */
  run<T>(task: () => Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push(() => task().then(resolve, reject));
      if (!this.#busy) void this.#drain();
    });
  }
  async #drain(): Promise<void> {
    this.#busy = true;
    for (let task = this.#queue.shift(); task !== undefined; task = this.#queue.shift()) await task();
    this.#busy = false;
  }

  #restart(type: 'up' | 'adrift'): void {
    const round = this.#round;
    this.#last = null;
    void this.run(async () => {
      const { cursor } = await this.#parts.mirror.projections(this.sessionId);
      if (round === this.#round) await this.#event({ type, cursor });
    }).catch((error: unknown) => this.#fault('replica.restart', error));
  }
  #fault(event: string, error: unknown): void {
    this.#parts.report(event, { sessionId: this.sessionId, error });
  }
  /** Again after a wait that grows, so that a server or disk that disagrees with us is not asked in a circle. */
  #later(action: () => void): void {
    const round = this.#round;
    this.#cancelRetry?.();
    this.#cancelRetry = this.#parts.timers.after(backoff(this.#failed++, RETRY, this.#parts.random), () => {
      if (round === this.#round) action();
    });
  }

  #step(event: SubEvent): readonly SubEffect[] {
    const { state, effects } = subscription(this.state, event);
    this.state = state;
    return effects;
  }
  async #event(event: SubEvent): Promise<void> {
    const before = this.state;
    try {
      for (const effect of this.#step(event)) await this.#perform(effect);
    } catch (error) {
      this.#fault('replica.effect', error);
      this.#later(() => this.#restart('adrift'));
    }
    if (this.state !== before) this.#tell([], null, false);
  }
  #tell(records: readonly LogRecord[], now: Projections | null, jumped: boolean): void {
    this.#parts.changed(this, { records, now, jumped });
  }

  async #perform(effect: SubEffect): Promise<void> {
    const { mirror } = this.#parts;
    switch (effect.type) {
      case 'subscribe': {
        this.#guard = await mirror.guard(this.sessionId);
        const { seq: after, lastId } = effect.cursor;
        return this.#parts.send({ type: 'subscribe', sessionId: this.sessionId, epoch: this.#parts.epoch(), after, lastId });
      }
      case 'load-timeline':
        return void this.#load();
      case 'apply':
        return this.#apply(effect.records);
      case 'put-input':
        return void (await mirror.putInput(this.#guard, effect.receipt), await this.#tellNow());
      case 'replace-inputs':
        this.#failed = 0;
        return void (await mirror.replaceInputs(this.#guard, this.sessionId, effect.receipts, effect.head), await this.#tellNow());
      case 'drop-log':
        await mirror.dropLog(this.sessionId);
        return this.#tell([], await mirror.projections(this.sessionId), true);
    }
  }
  async #tellNow(): Promise<void> {
    this.#tell([], await this.#parts.mirror.projections(this.sessionId), false);
  }

  async #apply(records: readonly LogRecord[]): Promise<void> {
    for (let at = 0; at < records.length; at += APPLY_RECORDS) {
      const part = records.slice(at, at + APPLY_RECORDS);
      const applied = await this.#parts.mirror.apply(this.#guard, { kind: 'records', sessionId: this.sessionId, records: part });
      if (!applied.ok) return this.#adrift(applied);
      this.#failed = 0;
      const last = part.at(-1)!;
      const again = this.#step({ type: 'applied', cursor: { seq: last.seq, lastId: last.id }, records: part });
      this.#tell(part, applied.now, false);
      for (const effect of again) await this.#perform(effect);
    }
  }
  #adrift(applied: Applied & { ok: false }): void {
    this.#parts.report('replica.adrift', { sessionId: this.sessionId, reason: applied.reason });
    this.#step({ type: 'lost' });
    if (this.#failed === 0) {
      this.#failed = 1;
      this.#restart('adrift');
    } else this.#later(() => this.#restart('adrift'));
  }

  /** Not awaited by the queue: reading goes on while the server answers. */
  async #load(): Promise<void> {
    const round = this.#round;
    try {
      const guard = await this.#parts.mirror.guard(this.sessionId);
      const answer = await this.#parts.http.ask('GET', `${ROUTES.timeline(this.sessionId)}?limit=${TIMELINE_RECORDS}`);
      if (round !== this.#round) return;
      if (answer.kind === 'ok') await this.run(() => this.#loaded(guard, answer.value as Timeline, round));
      else if (answer.kind === 'refused' && !answer.retryable) {
        // Not known there, or deleted: nothing to be in step with until somebody says otherwise.
        this.refused = true;
        this.#step({ type: 'down' });
        this.#tell([], null, false);
        if (answer.code === 'session-deleted' || answer.code === 'gone') this.#parts.gone(this.sessionId);
      } else this.#later(() => void this.#load());
    } catch (error) {
      this.#fault('replica.load', error);
      this.#later(() => this.#restart('adrift'));
    }
  }
  async #loaded(guard: Guard, timeline: Timeline, round: number): Promise<void> {
    if (round !== this.#round) return;
    if (isTombstone(timeline.session)) return this.#parts.gone(this.sessionId);
    const change = { kind: 'timeline' as const, sessionId: this.sessionId, timeline };
    const applied = await this.#parts.mirror.apply(guard, change);
    if (!applied.ok) return this.#adrift(applied);
    this.#tell(timeline.records, applied.now, true);
    await this.#event({ type: 'loaded', cursor: applied.now.cursor });
  }
}
