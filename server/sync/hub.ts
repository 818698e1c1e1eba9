/**
 * The fan-out: what was committed and what streams, to the sockets that look on. Listens to the store and the runner once,
 * whatever the number of sockets.
 */
import type { WebSocket } from 'ws';
import type { Clock, Report, Timers } from '#shared/ports.ts';
import { type Boot, CLOSE } from '#shared/protocol/frames.ts';
import { isTombstone } from '#shared/protocol/summaries.ts';
import type { LiveFrame, LiveSource } from '../runner/port.ts';
import type { Commit, Store } from '../store/port.ts';
import { encode, EncodedCommit } from './encode.ts';
import type { Subscription } from './feed.ts';
import { FeedSocket } from './socket.ts';

const BEAT = 30_000;

export interface HubParts {
  store: Store;
  live: LiveSource;
  clock: Clock;
  timers: Timers;
  report: Report;
  /** The store's newest version at construction; from then on the hub follows the commits. */
  version: number;
  /** This process: told in every welcome, so that a client knows a restart from a link that was merely cut. */
  boot: Boot;
  replayRecords?: number | undefined;
}

export interface Hub {
  /** Takes over an open WebSocket that came through the door. */
  attach(ws: WebSocket, deviceId: string | null): void;
  /** A device was revoked: its sockets are closed with 4401. */
  closeDevice(deviceId: string): void;
  /** Sockets open now. */
  readonly size: number;
  /** Tells every socket to come back later, and stops listening. */
  close(): void;
}

export function createHub({ store, live, clock, timers, report, version, boot, replayRecords }: HubParts): Hub {
  const sockets = new Set<FeedSocket>();
  const bySession = new Map<string, Set<Subscription>>();
  /** Revoked while an upgrade of theirs may have been under way. */
  const revoked = new Set<string>();
  let newest = version;
  let closed = false;

  const socketParts = {
    store,
    live,
    clock,
    timers,
    report,
    boot,
    version: () => newest,
    replayRecords,
    add(subscription: Subscription): void {
      const looking = bySession.get(subscription.sessionId);
      if (looking) looking.add(subscription);
      else bySession.set(subscription.sessionId, new Set([subscription]));
    },
    remove(subscription: Subscription): void {
      const looking = bySession.get(subscription.sessionId);
      if (looking?.delete(subscription) && looking.size === 0) bySession.delete(subscription.sessionId);
    },
    closed: (socket: FeedSocket) => void sockets.delete(socket),
  };

  function committed(commit: Commit): void {
    newest = Math.max(newest, commit.session.version);
    if (sockets.size === 0) return;
    const looking = bySession.get(commit.sessionId);
    if (looking) {
      const encoded = new EncodedCommit(commit);
      for (const subscription of looking) subscription.commit(encoded);
    }
    const session = encode({ type: 'session', summary: commit.session });
    for (const socket of sockets) if (socket.ready) socket.send(session);
    if (looking && isTombstone(commit.session)) for (const subscription of looking) subscription.deleted();
  }

  function streamed(frame: LiveFrame): void {
    const looking = bySession.get(frame.sessionId);
    if (!looking) return;
    const { sessionId, turnId, step, attempt, phase, n, events } = frame;
    const bytes = encode({ type: 'live', sessionId, turnId, step, attempt, phase, n, events });
    for (const subscription of looking) subscription.liveFrame(bytes);
  }

  function beat(): void {
    for (const socket of sockets) socket.beat();
    cancelBeat = timers.after(BEAT, beat);
  }
  let cancelBeat = timers.after(BEAT, beat);
  const forget = [store.onCommit(committed), live.onFrame(streamed)];

  return {
    attach(ws, deviceId) {
      const socket = new FeedSocket(ws, deviceId, socketParts);
      sockets.add(socket);
      if (closed) socket.close(CLOSE.goingAway, 'shutting down');
      else if (deviceId !== null && revoked.has(deviceId)) socket.close(CLOSE.revoked, 'revoked');
    },
    closeDevice(deviceId) {
      revoked.add(deviceId);
      for (const socket of sockets) if (socket.deviceId === deviceId) socket.close(CLOSE.revoked, 'revoked');
    },
    get size() {
      return sockets.size;
    },
    close() {
      closed = true;
      cancelBeat();
      for (const off of forget) off();
      for (const socket of sockets) socket.close(CLOSE.goingAway, 'shutting down');
    },
  };
}
