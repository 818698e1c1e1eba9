/**
 * One open session without a network: the app's real replica and transcript over a mirror, and a server that is played. It speaks as the feed does:
 * records in order, numbered live frames, a replay with a snapshot for each subscribe. Frames wait in the pipe until
 * they are delivered, so that a test says what arrives when, twice, or never.
 */
import { createHash } from 'node:crypto';
import { explode } from '#shared/chunks/explode.ts';
import { emptyFold, fold, snapshotOf, type LiveFold, type LiveKey } from '#shared/chunks/fold.ts';
import type { StepEvent } from '#shared/protocol/agent-events.ts';
import type { UpFrame } from '#shared/protocol/frames.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import type { BlobRef, ChunkRecord, EventDataByType, EventType, LogRecord } from '#shared/protocol/records.ts';
import type { Phase, Receipt, SessionSummary } from '#shared/protocol/summaries.ts';
import { memoryMirror } from '../../../app/mirror/memory.ts';
import type { Mirror } from '../../../app/mirror/port.ts';
import type { OutboxRow } from '../../../app/own/port.ts';
import type { Answer, Http } from '../../../app/sync/http.ts';
import type { Screen } from '../../../app/sync/ports.ts';
import { Promoted } from '../../../app/sync/promoted.ts';
import { Replica, type ReplicaNews } from '../../../app/sync/replica.ts';
import type { SessionFrame } from '../../../app/sync/subscription.ts';
import { Transcript } from '../../../app/sync/transcript.ts';
import { NotedScreen, realTimers } from './device.ts';
import { random } from '../http-stand.ts';
import { eventRecord, promptChunk, summaryOf } from './records.ts';

export const SESSION = 's';
export const EPOCH = 'epoch-1';
const NO_ROWS: readonly OutboxRow[] = [];

export interface PlayedOptions<S extends Screen> {
  screen: S;
  mirror?: Mirror;
  limit?: number;
}

export class Played<S extends Screen = NotedScreen> {
  readonly log: LogRecord[] = [];
  readonly screen: S;
  readonly mirror: Mirror;
  readonly replica: Replica;
  readonly transcript: Transcript;
  readonly promoted = new Promoted();
  readonly reports: unknown[] = [];
  /** Accepted, and not promoted yet. */
  readonly pending: Receipt[] = [];
  /** Requests, as `log after..to` or `timeline`. */
  readonly asked: string[] = [];
  /** Frames on their way. */
  readonly pipe: SessionFrame[] = [];
  limit: number;
  /** Whether requests are answered; a promise: not before it is settled. */
  answers: boolean | Promise<void> = true;
  /** An answer ends early after so many records, as one does past its bound of bytes. */
  most = Infinity;
  /** Answers of the log that still come; then there is none. */
  left = Infinity;
  epoch = EPOCH;
  up = false;
  #isIdle = false;
  #waiting: (() => void)[] = [];
  /** Subscribes so far. */
  subscribed = 0;
  #subscribed = false;
  #live: { fold: LiveFold; n: number; afterSeq: number } | null = null;
  #turn: string | null = null;

  constructor({ screen, mirror = memoryMirror(), limit = 256 }: PlayedOptions<S>) {
    this.screen = screen;
    this.mirror = mirror;
    this.limit = limit;
    const http: Http = { ask: (_method, path, _body, signal) => this.#ask(path, signal) };
    this.replica = new Replica(SESSION, {
      mirror,
      http,
      timers: realTimers,
      random,
      report: (event, facts) => void this.reports.push({ event, facts }),
      send: (frame) => this.#heard(frame),
      epoch: () => EPOCH,
      changed: (_replica, news) => this.#changed(news),
      gone: () => undefined,
    });
    this.transcript = new Transcript(this.replica, {
      mirror,
      http,
      screen,
      report: (event, facts) => void this.reports.push({ event, facts }),
      idle: () => (this.#isIdle ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve))),
      chunkLimit: () => this.limit,
      rows: () => NO_ROWS,
      isPromoted: (id) => this.promoted.has(id),
      promotedChanges: () => this.promoted.changes(),
      promoted: (ids) => this.promoted.note(ids),
      isMade: () => true,
      canLoad: () => this.up,
      mayLoad: () => this.up,
      isDoubted: () => !this.up,
      read: () => undefined,
    });
  }
  #changed(news: ReplicaNews): void {
    this.transcript.take(news);
  }
  get head(): number {
    return this.log.length;
  }
  get summary(): SessionSummary {
    const total = this.log.filter(({ kind, type }) => kind === 'chunk' && type !== 'usage').length;
    return summaryOf(SESSION, { head: this.head, total, version: this.head, turnId: this.#turn });
  }

  // ---- this device

  /** Puts records of the log into the mirror as if they had been got before: `from … to`, and the cursor at `to` if it is the newest. */
  async mirrored(to = this.head, from = 1): Promise<void> {
    await this.mirror.adopt(EPOCH, false);
    const guard = await this.mirror.guard(SESSION);
    for (let at = from - 1; at < to; at += 900) {
      const records = this.log.slice(at, Math.min(to, at + 900));
      const timeline = { session: { ...this.summary, head: at + records.length }, records, pendingInputs: [], approvals: [], live: null };
      await this.mirror.apply(guard, {
        kind: 'timeline',
        sessionId: SESSION,
        timeline: { ...timeline, head: at + records.length, epoch: EPOCH },
      });
    }
  }
  /** The page has nothing to do from now on: what waits for that comes. */
  rest(): void {
    this.#isIdle = true;
    for (const go of this.#waiting.splice(0)) go();
  }
  connect(): void {
    this.up = true;
    this.replica.up();
    this.transcript.refresh();
  }
  cut(): void {
    this.up = false;
    this.pipe.length = 0;
    this.#subscribed = false;
    this.replica.down();
    this.transcript.refresh();
  }
  /** Until the replica's queue has done what was asked of it. */
  async idle(): Promise<void> {
    for (let n = 0; n < 4; n++) await this.replica.run(async () => undefined);
  }
  /** Lets `count` frames arrive, or all. */
  deliver(count = Infinity): void {
    for (let n = 0; n < count && this.pipe.length > 0; n++) this.replica.take(structuredClone(this.pipe.shift()!));
  }
  async settle(): Promise<void> {
    for (;;) {
      this.deliver();
      await this.idle();
      if (this.pipe.length === 0) return;
    }
  }

  // ---- the server

  async #ask(path: string, signal?: AbortSignal): Promise<Answer> {
    const url = new URL(path, 'http://played');
    const isLog = url.pathname.endsWith('/log');
    const after = Number(url.searchParams.get('after'));
    const limit = Number(url.searchParams.get('limit'));
    this.asked.push(isLog ? `log ${after + 1}..${after + limit}` : 'timeline');
    if (this.answers === false || (isLog && this.left-- <= 0)) return { kind: 'trouble', reason: 'no-answer' };
    if (this.answers !== true) await this.answers;
    if (signal?.aborted === true) return { kind: 'trouble', reason: 'aborted' };
    const records = isLog ? this.log.slice(after, after + Math.min(limit, this.most)) : this.log.slice(-limit);
    const value = isLog
      ? { records, head: this.head, epoch: this.epoch }
      : { session: this.summary, records, pendingInputs: this.pending, approvals: [], live: null, head: this.head, epoch: this.epoch };
    return { kind: 'ok', status: 200, epoch: this.epoch, value: structuredClone(value) };
  }
  #heard(frame: UpFrame): void {
    if (frame.type !== 'subscribe' || !this.up) return;
    this.#subscribed = true;
    this.subscribed++;
    const records = this.log.slice(frame.after);
    if (records.length > 0) this.pipe.push({ type: 'records', sessionId: SESSION, records });
    for (const receipt of this.pending) this.pipe.push({ type: 'input', sessionId: SESSION, receipt });
    this.pipe.push({ type: 'caught-up', sessionId: SESSION, head: this.head }, this.#snapshot());
  }
  #snapshot(): SessionFrame {
    if (this.#live === null) return { type: 'live-snapshot', sessionId: SESSION, turnId: null };
    return { type: 'live-snapshot', sessionId: SESSION, ...snapshotOf(this.#live.fold, this.#live.n, this.#live.afterSeq) };
  }
  #send(frame: SessionFrame): void {
    if (this.#subscribed) this.pipe.push(frame);
  }

  admit(receipt: Receipt): void {
    this.pending.push(receipt);
    this.#send({ type: 'input', sessionId: SESSION, receipt });
  }
  append(records: LogRecord[]): void {
    if (records.length === 0) return;
    this.log.push(...records);
    this.#send({ type: 'records', sessionId: SESSION, records });
  }
  event<T extends EventType>(type: T, data: EventDataByType[T]): void {
    this.append([{ ...eventRecord(SESSION, this.head + 1, type, data), turnId: this.#turn }]);
  }
  /** A prompt; untagged unless a turn runs. */
  prompt(id: string): void {
    this.append([{ ...promptChunk(SESSION, this.head + 1, id), turnId: this.#turn, step: null }]);
  }
  /** A row of the server's own: `turnId` and `step` null. */
  note(id: string): void {
    const data = { kind: 'notice', text: id };
    const seq = this.head + 1;
    this.append([
      { kind: 'chunk', sessionId: SESSION, seq, id, turnId: null, step: null, role: 'system', type: 'system', data, createdAt: seq },
    ]);
  }
  openTurn(turnId: string): void {
    this.#turn = turnId;
    this.prompt(`${turnId}-prompt`);
    this.event('turn-started', { turnId });
  }
  begin(step: number, phase: Phase): void {
    const key: LiveKey = { turnId: this.#turn!, step, attempt: 0, phase };
    this.#live = { fold: emptyFold(key), n: 0, afterSeq: this.head };
  }
  get live(): LiveFold | null {
    return this.#live?.fold ?? null;
  }
  stream(events: readonly StepEvent[]): void {
    const live = this.#live!;
    const { turnId, step, attempt, phase } = live.fold;
    const all = events.map((event) => ({ ...event, turnId, step }));
    live.fold = fold(live.fold, all);
    live.n += 1;
    this.#send({ type: 'live', sessionId: SESSION, turnId, step, attempt, phase, n: live.n, events: all });
  }
  /** Seals what is live, or of it only `i`. */
  seal(i: number | null = null): ChunkRecord[] {
    const { fold: live } = this.#live!;
    const sealed = i === null ? live.chunks : live.chunks.filter((chunk) => chunk.i === i);
    const rows = explode({ ...live, chunks: sealed }, 'complete').map((draft, at): ChunkRecord => {
      const seq = this.head + 1 + at;
      return { kind: 'chunk', sessionId: SESSION, seq, createdAt: seq, ...draft, data: kept(draft.data) };
    });
    if (i === null) this.#live = null;
    else this.#live!.fold = { ...live, chunks: live.chunks.filter((chunk) => chunk.i !== i) };
    this.append(rows);
    return rows;
  }
  endTurn(): void {
    const turnId = this.#turn!;
    this.#live = null;
    this.event('turn-settled', { turnId, reason: 'done' });
    this.#turn = null;
  }
  /** A long history: one turn of `count` text chunks, and a usage row after every tenth. */
  history(count: number, words = (n: number): string => `h${n}`): void {
    this.openTurn('old');
    for (let n = 0; n < count; n++) {
      const seq = this.head + 1;
      const base = { kind: 'chunk' as const, sessionId: SESSION, turnId: 'old', step: Math.floor(n / 10), createdAt: seq };
      this.append([{ ...base, seq, id: `old.${base.step}.m.${n % 10}`, role: 'assistant', type: 'text', data: { text: words(n) } }]);
      if (n % 10 === 9) {
        const data = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, model: 'm' };
        this.append([{ ...base, seq: seq + 1, id: `old.${base.step}.s.0`, role: 'system', type: 'usage', data }]);
      }
    }
    this.endTurn();
  }
}

/** Data as the server keeps it: by reference when it is long. */
function kept(data: unknown): unknown {
  const bytes = Buffer.from(JSON.stringify(data));
  if (bytes.length <= LIMITS.inlineDataBytes) return data;
  const reference: BlobRef = {
    blob: { sha256: createHash('sha256').update(bytes).digest('hex'), size: bytes.length },
    preview: bytes.toString().slice(0, 100),
  };
  return reference;
}

/** One with a noted screen. */
export function played(options: Partial<PlayedOptions<NotedScreen>> = {}): Played {
  return new Played({ screen: new NotedScreen(), ...options });
}
