/**
 * One client's socket: its hello, its subscriptions, and the bounds on what is held for it. A bad frame ends this socket and
 * nothing else; so does falling behind (law 15).
 */
import type { RawData, WebSocket } from 'ws';
import type { Clock, Report, Timers } from '#shared/ports.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { type Boot, CLOSE, type UpFrame } from '#shared/protocol/frames.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { PROTOCOL, PROTOCOL_MINIMUM } from '#shared/protocol/version.ts';
import type { LiveSource } from '../runner/port.ts';
import { encode } from './encode.ts';
import { type FeedLink, type FeedStore, Subscription } from './feed.ts';
import { readFrame } from './frame-in.ts';

/** What a socket may not be without for longer than this: its hello, in milliseconds. */
const HELLO_WITHIN = 10_000;
/** A socket that was told to go gets this long to hear it. */
const CLOSE_WITHIN = 5_000;
/** RFC 6455: the server met an unexpected condition. */
const INTERNAL = 1011;
const TEXT = { binary: false, compress: false, fin: true };

export interface SocketParts {
  store: FeedStore;
  live: Pick<LiveSource, 'snapshot'>;
  clock: Clock;
  timers: Timers;
  report: Report;
  boot: Boot;
  replayRecords?: number | undefined;
  /** Newest global version of the sessions. */
  version(): number;
  /** Index by session, for the fan-out. */
  add(subscription: Subscription): void;
  remove(subscription: Subscription): void;
  closed(socket: FeedSocket): void;
}

export class FeedSocket implements FeedLink {
  /** Null: signed in by the owner's token. */
  readonly deviceId: string | null;
  readonly #ws: WebSocket;
  readonly #parts: SocketParts;
  readonly #subscriptions = new Map<string, Subscription>();
  /**
   * Subscriptions waiting for their replay: one at a time, so that a socket never holds more than one page of replay. One that
   * is dropped or replaced waits no more: what waits is bounded by the subscriptions, not by how often they were asked for.
   */
  readonly #waiting = new Map<Subscription, () => Promise<void>>();
  #replaying = false;
  #greeted = false;
  #closing = false;
  #heard = true;
  #buffered = 0;
  readonly #cancelHello: () => void;

  constructor(ws: WebSocket, deviceId: string | null, parts: SocketParts) {
    this.#ws = ws;
    this.deviceId = deviceId;
    this.#parts = parts;
    this.#cancelHello = parts.timers.after(HELLO_WITHIN, () => this.close(CLOSE.badFrame, 'no hello'));
    ws.on('message', (data, isBinary) => this.#message(data, isBinary));
    ws.on('pong', () => (this.#heard = true));
    ws.on('close', () => this.#gone());
    // An oversized or malformed message, or a lost connection: `ws` closes by itself, and `close` follows.
    ws.on('error', (error) => parts.report('socket-error', { deviceId, error: error.message }));
  }

  /** It said hello and may be told things. */
  get ready(): boolean {
    return this.#greeted && !this.#closing;
  }

  send(bytes: Buffer): void {
    if (this.#closing) return;
    if (this.#ws.bufferedAmount > LIMITS.socketBufferBytes) return this.close(CLOSE.slow, 'too slow');
    this.#ws.send(bytes, TEXT);
  }

  flush(bytes: Buffer): Promise<void> {
    if (this.#closing) return Promise.resolve();
    return new Promise((resolve) => this.#ws.send(bytes, TEXT, () => resolve()));
  }

  /** Says why and ends. Nothing more is sent or heard; a peer that does not take part is dropped. */
  close(code: number, reason: string): void {
    if (this.#closing) return;
    this.#stop();
    this.#ws.close(code, reason);
    const cancel = this.#parts.timers.after(CLOSE_WITHIN, () => this.#ws.terminate());
    this.#ws.once('close', cancel);
  }

  /** Called at a steady beat: a peer that gave no sign of life since the last one is dropped. Taking what we sent is a sign too. */
  beat(): void {
    if (this.#closing) return;
    const taking = this.#ws.bufferedAmount < this.#buffered;
    if (!this.#heard && !taking) {
      this.#stop();
      this.#ws.terminate();
      return;
    }
    this.#heard = false;
    this.#buffered = this.#ws.bufferedAmount;
    this.#ws.ping();
  }

  #message(data: RawData, isBinary: boolean): void {
    if (this.#closing) return;
    this.#heard = true;
    try {
      this.#take(readFrame(data, isBinary));
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      this.close(CLOSE.badFrame, error.message);
    }
  }

  #take(frame: UpFrame): void {
    if (!this.#greeted && frame.type !== 'hello') throw new CodedError('bad-request', 'hello comes first');
    switch (frame.type) {
      case 'hello':
        return this.#hello(frame.protocol);
      case 'subscribe':
        return this.#subscribe(frame);
      case 'unsubscribe':
        return this.#drop(frame.sessionId);
      case 'ping':
        return this.send(encode({ type: 'pong' }));
    }
  }

  #hello(protocol: number): void {
    if (this.#greeted) throw new CodedError('bad-request', 'hello comes once');
    this.#cancelHello();
    if (protocol < PROTOCOL_MINIMUM) return this.close(CLOSE.tooOld, 'update needed');
    this.#greeted = true;
    const { store, version, boot, clock } = this.#parts;
    this.send(encode({ type: 'welcome', protocol: PROTOCOL, epoch: store.epoch, version: version(), boot, now: clock.now() }));
  }

  /** Again for the same session: the new cursor replaces the old subscription. */
  #subscribe(cursor: Extract<UpFrame, { type: 'subscribe' }>): void {
    this.#drop(cursor.sessionId);
    if (this.#subscriptions.size >= LIMITS.subscriptionsPerSocket) throw new CodedError('bad-request', 'too many subscriptions');
    const subscription = new Subscription(cursor, {
      store: this.#parts.store,
      live: this.#parts.live,
      replayRecords: this.#parts.replayRecords,
      link: this,
      over: (ended) => this.#forget(ended),
      behind: (late) => this.#queue(late, () => late.resume()),
    });
    this.#subscriptions.set(cursor.sessionId, subscription);
    this.#parts.add(subscription);
    this.#queue(subscription, () => subscription.run());
  }

  #drop(sessionId: string): void {
    const subscription = this.#subscriptions.get(sessionId);
    if (!subscription) return;
    subscription.end();
    this.#forget(subscription);
  }

  #forget(subscription: Subscription): void {
    if (this.#subscriptions.get(subscription.sessionId) === subscription) this.#subscriptions.delete(subscription.sessionId);
    this.#waiting.delete(subscription);
    this.#parts.remove(subscription);
  }

  #queue(subscription: Subscription, replay: () => Promise<void>): void {
    this.#waiting.set(subscription, replay);
    if (this.#replaying) return;
    this.#replaying = true;
    this.#replayAll().catch((error: unknown) => {
      this.#parts.report('feed-failed', { error });
      this.close(INTERNAL, 'internal');
    });
  }

  async #replayAll(): Promise<void> {
    try {
      // A map hands out what is added while it is walked, and nothing that was taken out.
      for (const [subscription, replay] of this.#waiting) {
        this.#waiting.delete(subscription);
        await replay();
      }
    } finally {
      this.#replaying = false;
    }
  }

  #stop(): void {
    this.#closing = true;
    this.#cancelHello();
    this.#waiting.clear();
    for (const subscription of this.#subscriptions.values()) {
      subscription.end();
      this.#parts.remove(subscription);
    }
    this.#subscriptions.clear();
  }

  #gone(): void {
    if (!this.#closing) this.#stop();
    this.#parts.closed(this);
  }
}
