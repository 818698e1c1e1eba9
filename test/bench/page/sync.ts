/** In a page of the app's origin: the app's own engine over its own mirror, coming back; and the bare limit of the same way. */
import type { DownFrame, UpFrame } from '#shared/protocol/frames.ts';
import { EPOCH_HEADER, PROTOCOL } from '#shared/protocol/version.ts';
import { ROUTES } from '#shared/protocol/routes.ts';
import type { SessionSummary } from '#shared/protocol/summaries.ts';
import { diskMirror } from '../../../app/mirror/indexeddb.ts';
import type { Mirror } from '../../../app/mirror/port.ts';
import { memoryOwn } from '../../../app/own/memory.ts';
import { Copying } from '../../../app/sync/copying.ts';
import { Engine } from '../../../app/sync/engine.ts';
import { Transcript } from '../../../app/sync/transcript.ts';
import type { Screen } from '../../../app/sync/ports.ts';
import type { LinkView } from '../../../app/sync/views.ts';
import { headOf, recordAt, type Plan } from '../log/history.ts';
import { openBare } from './bare.ts';
import { offer } from './offer.ts';

/** Nothing is given up for being late here: how long it takes is the question. */
const disk = { indexedDB: window.indexedDB, IDBKeyRange: window.IDBKeyRange, timers: { after: () => () => undefined } };
/** Milliseconds. */
const LOOK = 4;
const ignore = (): void => undefined;

/** What the plans have, and how many of the newest of it this device has missed. */
export interface Missed {
  readonly plans: readonly Plan[];
  readonly missed: number;
}
interface Tab {
  engine: Engine;
  mirror: Mirror;
  /** Paths asked for over HTTP. */
  asked: string[];
  link: LinkView | null;
  close(): Promise<void>;
}

function tab(name: string): Tab {
  const asked: string[] = [];
  const mirror = diskMirror(name, disk);
  const screen: Screen = {
    link: (view) => void (made.link = view),
    memoryOnly: ignore,
    notice: ignore,
    model: ignore,
    copying: ignore,
    sessions: ignore,
    sessionsLoaded: ignore,
    transcript: ignore,
    clear: ignore,
  };
  const engine = new Engine({
    clock: { now: () => Date.now() },
    random: { unit: () => Math.random(), bytes: (count) => crypto.getRandomValues(new Uint8Array(count)) },
    timers: {
      after(ms, callback) {
        const timer = setTimeout(callback, ms);
        return () => clearTimeout(timer);
      },
    },
    report: (event, facts) => console.warn(event, facts),
    fetch: (path, init) => {
      asked.push(path);
      return fetch(path, { ...init, credentials: 'same-origin' });
    },
    socket({ opened, message, closed }) {
      const raw = liveSocket();
      raw.addEventListener('open', opened);
      raw.addEventListener('message', (event) => message(event.data));
      raw.addEventListener('close', (event) => closed(event.code));
      return raw;
    },
    locks: null,
    channel: null,
    page: { visible: () => true, onWake: ignore, onHide: ignore },
    // The copying of what is older has a figure of its own.
    idle: () => new Promise<void>(ignore),
    roomUsed: async () => null,
    mirror,
    own: memoryOwn(),
    screen,
    transcripts: async () => Transcript,
    copying: async () => Copying,
    chunkLimit: 256,
  });
  const made: Tab = {
    engine,
    mirror,
    asked,
    link: null,
    async close() {
      engine.link.dispatch({ type: 'stop' });
      await engine.http.quiet();
      mirror.close();
      await dropDatabase(name);
    },
  };
  return made;
}
function liveSocket(): WebSocket {
  return new WebSocket(`ws://${location.host}${ROUTES.live()}`);
}
function dropDatabase(name: string): Promise<void> {
  const dropping = indexedDB.deleteDatabase(name);
  return new Promise((resolve, reject) => {
    dropping.addEventListener('success', () => resolve());
    dropping.addEventListener('error', () => reject(dropping.error ?? new Error('not dropped')));
  });
}
async function epochOf(): Promise<string> {
  const epoch = (await fetch(ROUTES.health())).headers.get(EPOCH_HEADER);
  if (epoch === null) throw new Error('the server told no epoch');
  return epoch;
}
/** Looked at now and then: by frames it would measure the screen, and without a pause take the time of what it waits for. */
async function until(what: () => boolean, words: string): Promise<void> {
  for (const late = performance.now() + 120_000; !what();) {
    if (performance.now() > late) throw new Error(`never came: ${words}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK));
  }
}

/** The mirror of a device that was in step up to the missed ones. */
async function fill(mirror: Mirror, { plans, missed }: Missed): Promise<void> {
  const epoch = await epochOf();
  await mirror.adopt(epoch, false);
  for (const plan of plans) {
    const head = headOf(plan) - missed;
    const records = Array.from({ length: head }, (_, at) => recordAt(plan, at + 1));
    const facts = {
      title: '',
      workspace: '',
      model: null,
      effort: null,
      mode: 'auto',
      status: 'idle',
      turnId: null,
      paused: null,
    } as const;
    const counts = { head, total: head, version: 1, rev: 1, pinned: false, archived: false, createdAt: 1, updatedAt: 1, lastWords: '' };
    const session: SessionSummary = { id: plan.sessionId, ...facts, ...counts };
    const timeline = { session, records, pendingInputs: [], approvals: [], live: null, head, epoch };
    const applied = await mirror.apply(await mirror.guard(plan.sessionId), { kind: 'timeline', sessionId: plan.sessionId, timeline });
    if (!applied.ok) throw new Error(`the mirror did not take it: ${applied.reason}`);
  }
}
const inStep = ({ engine, link }: Tab, plans: readonly Plan[]): boolean =>
  link?.kind === 'live' &&
  plans.every((plan) => {
    const state = engine.replica(plan.sessionId)?.state;
    return state?.phase === 'live' && state.cursor.seq === headOf(plan);
  });

let runs = 0;
let kept: Tab | null = null;
/** A tab that stays, for `again`. */
function current(): Tab {
  if (kept === null) throw new Error('nothing was started');
  return kept;
}

const bench = {
  /** Milliseconds from looking for the server until everything missed is in the mirror and the link says so. */
  async catchUp(asked: Missed): Promise<number> {
    const one = tab(`sync-${++runs}`);
    try {
      await fill(one.mirror, asked);
      await one.engine.paint();
      for (const plan of asked.plans) await one.engine.open(plan.sessionId);
      const started = performance.now();
      one.engine.connect();
      await until(() => inStep(one, asked.plans), 'all that was missed');
      return performance.now() - started;
    } finally {
      await one.close();
    }
  },
  /** The same records over the same kind of socket, put into bare pages as they come. */
  async bare({ plans, missed }: Missed): Promise<number> {
    const epoch = await epochOf();
    const name = `bare-${++runs}`;
    const pages = await openBare(name);
    const started = performance.now();
    const socket = liveSocket();
    const puts: Promise<void>[] = [];
    let left = plans.length;
    const say = (frame: UpFrame): void => socket.send(JSON.stringify(frame));
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => say({ type: 'hello', protocol: PROTOCOL, device: null }));
      socket.addEventListener('close', () => reject(new Error('the socket was closed')));
      socket.addEventListener('message', (event) => {
        const frame = JSON.parse(event.data as string) as DownFrame;
        if (frame.type === 'records') puts.push(pages.put(frame.sessionId, frame.records));
        else if (frame.type === 'caught-up' && --left === 0) resolve();
        else if (frame.type === 'welcome')
          for (const plan of plans) {
            const after = headOf(plan) - missed;
            say({ type: 'subscribe', sessionId: plan.sessionId, epoch, after, lastId: recordAt(plan, after).id });
          }
      });
    });
    await Promise.all(puts);
    const took = performance.now() - started;
    socket.close();
    pages.close();
    await dropDatabase(name);
    return took;
  },
  /** A device with these sessions in step; the first is the open one. Answers what it asked for over HTTP. */
  async start({ plans, missed }: Missed): Promise<string[]> {
    kept = tab(`sync-${++runs}`);
    if (missed === 0) await fill(kept.mirror, { plans, missed });
    await kept.engine.paint();
    for (const plan of plans.toReversed()) await kept.engine.open(plan.sessionId);
    kept.engine.connect();
    await until(() => inStep(current(), plans), 'the link');
    await kept.engine.http.quiet();
    return kept.asked;
  },
  /** Looks for the server again with what is mirrored by now, as after a restart of the app. */
  async restart(plans: readonly Plan[]): Promise<string[]> {
    const { engine, asked } = current();
    engine.link.dispatch({ type: 'stop' });
    asked.length = 0;
    engine.link.dispatch({ type: 'start' });
    await until(() => inStep(current(), plans), 'the link');
    await engine.http.quiet();
    return asked;
  },
  /** When the link was lost and is there again, with all of it in step. */
  async again(plans: readonly Plan[]): Promise<void> {
    await until(() => !inStep(current(), plans), 'the loss of the link');
    await until(() => inStep(current(), plans), 'the link again');
    await current().engine.http.quiet();
  },
  async end(): Promise<void> {
    await current().close();
    kept = null;
  },
};
export type BenchSync = typeof bench;
offer({ sync: bench });
