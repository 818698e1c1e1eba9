/**
 * The server: the real store on a database in memory, the real runner, the real request handler and feed, without a port. It
 * can die at any moment: then everything in memory is gone, and what was committed stays.
 */
import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import Database from 'better-sqlite3';
import type { Clock, Timers } from '#shared/ports.ts';
import type { LogRecord } from '#shared/protocol/records.ts';
import type { Agent } from '../../server/agent/port.ts';
import { createApp, type App } from '../../server/app.ts';
import { decisions } from '../../server/inbox/decisions.ts';
import { createRunner } from '../../server/runner/coordinator.ts';
import type { Commit, Store } from '../../server/store/port.ts';
import { storeOn } from '../../server/store/sqlite/open.ts';
import { recordOf } from '../../server/store/sqlite/data.ts';
import type { RecordRow } from '../../server/store/sqlite/rows.ts';
import { migrate } from '../../server/store/sqlite/schema.ts';
import type { Toolbox } from '../../server/tools/port.ts';
import { Chance } from './chance.ts';
import { exchange, requestOf, type Asked, type Answered } from './exchange.ts';
import { ServerEnd, type Wire } from './ws-pair.ts';

export const TOKEN = 'a-token-that-only-the-owner-has-0123456789';
const PORT = 4646;
export const ORIGIN = `http://127.0.0.1:${PORT}`;
export const HOST = `127.0.0.1:${PORT}`;

export interface ServerParts {
  seed: number;
  /** Missed records up to which a subscription replays them. */
  replayRecords?: number | undefined;
  clock: Clock;
  timers: Timers;
  /** Of one life. */
  agent(timers: Timers): Agent;
  toolbox(timers: Timers): Toolbox;
  /** `races`: somebody's subscription to that session is on its way. */
  committed(commit: Commit, races: boolean): void;
  reported(event: string, facts: unknown): void;
  /** It is up: `epoch` is the history that it serves. */
  began(epoch: string): void;
}

/** The schema, made once a process. */
let template: Buffer | null = null;
function emptyDatabase(): Buffer {
  if (template === null) {
    const db = new Database(':memory:');
    migrate(db);
    template = db.serialize();
    db.close();
  }
  return template;
}

/** From a start to its end. */
class Life {
  readonly db: Database.Database;
  readonly store: Store;
  readonly ends = new Set<ServerEnd>();
  app: App | null = null;
  over = false;
  readonly #parts: ServerParts;
  readonly #n: number;
  readonly #timers: Timers;
  readonly #upgrading = new Map<IncomingMessage, Wire>();
  readonly #agent: Agent;
  readonly #toolbox: Toolbox;

  constructor(parts: ServerParts, image: Buffer, n: number) {
    this.#parts = parts;
    this.#n = n;
    this.#timers = { after: (ms, callback) => parts.timers.after(ms, () => this.over || callback()) };
    this.db = new Database(image);
    this.db.pragma('foreign_keys = ON');
    this.store = storeOn(
      this.db,
      { clock: parts.clock, random: new Chance(parts.seed, 'store', n), report: this.#report, decisions },
      () => undefined,
    );
    this.store.onCommit((commit) => {
      if (!this.over)
        parts.committed(
          commit,
          [...this.ends].some((end) => end.isComing(commit.sessionId)),
        );
    });
    const agent = parts.agent(this.#timers);
    // Whoever died in the middle of something asks nobody any more.
    this.#agent = { ...agent, attempt: (...asked) => (this.over ? new Promise(() => undefined) : agent.attempt(...asked)) };
    this.#toolbox = parts.toolbox(this.#timers);
  }
  readonly #report = (event: string, facts?: Record<string, unknown>): void => {
    if (!this.over) this.#parts.reported(event, facts);
  };

  async begin(): Promise<void> {
    const { seed, clock } = this.#parts;
    const rooms = { store: this.store, agent: this.#agent, toolbox: this.#toolbox, clock, timers: this.#timers, report: this.#report };
    const runner = createRunner({ ...rooms, random: new Chance(seed, 'runner', this.#n) });
    const app = await createApp({
      ...rooms,
      runner,
      random: new Chance(seed, 'http', this.#n),
      token: TOKEN,
      version: '0.0.0-sim',
      tls: false,
      origins: [],
      shell: null,
      ...(this.#parts.replayRecords === undefined ? {} : { replayRecords: this.#parts.replayRecords }),
      bound: () => ({ address: '127.0.0.1', port: PORT }),
      handshake: (request, _socket, _head, then) => {
        const wire = this.#upgrading.get(request)!;
        this.#upgrading.delete(request);
        const end = new ServerEnd({
          down: (text, gone) => this.over || wire.down(text, gone),
          ping: () => this.over || wire.ping(),
          closed: (code) => {
            this.ends.delete(end);
            if (!this.over) wire.closed(code);
          },
        });
        this.ends.add(end);
        wire.opened(end);
        then(end.asWs);
      },
    });
    if (this.over) return;
    this.app = app;
    this.#parts.began(this.store.epoch);
    await runner.recover();
    app.open();
  }
  upgrade(headers: Readonly<Record<string, string>>, wire: Wire, refused: () => void): void {
    const request = requestOf({ method: 'GET', path: '/api/live', headers: { ...headers, upgrade: 'websocket' }, body: undefined });
    this.#upgrading.set(request, wire);
    const socket = Object.assign(new EventEmitter(), { destroyed: false, destroy: refused, end: refused });
    this.app!.upgrade(request, socket as unknown as Duplex, Buffer.alloc(0));
  }
  /** Everything that was only in memory is gone; answers what is on the disk. */
  kill(): Buffer {
    this.over = true;
    return this.db.serialize();
  }
  /** Nothing of it is under way any more. */
  close(): void {
    this.db.close();
  }
}

export class SimServer {
  readonly #parts: ServerParts;
  #life: Life | null = null;
  /** Dead ones that may still be in the middle of something, which comes to nothing. */
  readonly #dead: Life[] = [];
  #image: Buffer = emptyDatabase();
  #lives = 0;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }
  get isUp(): boolean {
    return this.#life?.app != null;
  }
  /** For looking at it, while it is up. */
  get store(): Store | null {
    return this.#life?.store ?? null;
  }
  get db(): Database.Database | null {
    return this.#life?.db ?? null;
  }
  /** A log as it is on the disk. */
  recordsOf(sessionId: string): LogRecord[] {
    const rows = this.#life!.db.prepare(
      `SELECT seq, id, kind, turn_id, step, role, type, data, created_at, blob FROM record
         WHERE session_key = (SELECT key FROM session WHERE id = ?) ORDER BY seq`,
    ).all(sessionId) as RecordRow[];
    return rows.map((row) => recordOf(sessionId, row, (event, facts) => this.#parts.reported(event, facts)));
  }

  /** Resolves when its doors are open. */
  async start(): Promise<void> {
    if (this.#life !== null) return;
    this.#life = new Life(this.#parts, this.#image, this.#lives++);
    await this.#life.begin();
  }
  /** As by `kill -9`. */
  kill(): void {
    if (this.#life === null) return;
    const life = this.#life;
    this.#life = null;
    this.#image = life.kill();
    this.#dead.push(life);
  }
  /** At rest: what the dead held is let go. */
  bury(): void {
    for (const life of this.#dead.splice(0)) life.close();
  }
  /** A copy of the database as it is. */
  backUp(): Buffer {
    return this.#life === null ? this.#image : this.#life.db.serialize();
  }
  /** While it is down: its disk is this from now on. `afresh`: as one that was made anew, under an epoch of its own. */
  restore(image: Buffer, afresh: boolean): void {
    this.#image = image;
    if (!afresh) return;
    const db = new Database(image);
    db.exec(`DELETE FROM meta WHERE key = 'epoch'`);
    this.#image = db.serialize();
    db.close();
  }

  /** Hands a request over; no answer ever comes from a server that died in the meantime. */
  ask(asked: Asked, answered: (answer: Answered) => void): void {
    const life = this.#life;
    if (life?.app == null) return;
    exchange(
      (request, response) => life.app!.request(request, response),
      asked,
      () => this.#parts.clock.now(),
      (answer) => life.over || answered(answer),
    );
  }
  upgrade(headers: Readonly<Record<string, string>>, wire: Wire, refused: () => void): void {
    this.#life!.upgrade(headers, wire, refused);
  }
}
