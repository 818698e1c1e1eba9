/**
 * What the figures are measured on, made when first asked for: a server with a session of a million chunks and one of a thousand,
 * both mirrored in a browser; and a server with a model that streams what it is told to, with a browser or without.
 */
import { newId } from '#shared/ids.ts';
import type { Timeline } from '#shared/protocol/summaries.ts';
import { randomBytes } from 'node:crypto';
import type { BrowserChoice } from '../../e2e/harness/browser.ts';
import { freePort, LinkProxy } from '../../e2e/harness/link-proxy.ts';
import { CairnServer, type ServerOptions } from '../../e2e/harness/server.ts';
import { headOf, shownSize, type Plan } from '../log/history.ts';
import type { BenchMirror } from '../page/mirror.ts';
import { count } from './figure.ts';
import { Model } from './model.ts';
import { remote } from './probing.ts';
import { Profile } from './profile.ts';
import { seedServer } from './seed.ts';

export interface Archive {
  readonly server: CairnServer;
  readonly profile: Profile;
  /** A million shown chunks. */
  readonly million: Plan;
  /** A thousand. */
  readonly thousand: Plan;
  /** Another, to come from: 30,000. */
  readonly other: Plan;
}
export interface ServerRoom {
  readonly server: CairnServer;
  readonly model: Model;
}
export interface LinkedRoom {
  readonly server: CairnServer;
  /** Between browser and server. */
  readonly link: LinkProxy;
  readonly profile: Profile;
  sessions: MakeSessions;
}
type MakeSessions = (count: number, messages: number) => Promise<Plan[]>;
export interface LiveRoom extends ServerRoom {
  readonly profile: Profile;
  /** New sessions, each with so many short messages in it already. */
  sessions: MakeSessions;
}

const clock = { now: () => Date.now() };
const random = { unit: () => Math.random(), bytes: (n: number) => randomBytes(n) };

export class Stage {
  readonly seed: number;
  readonly #choice: () => Promise<BrowserChoice>;
  readonly #say: (words: string) => void;
  readonly #ends: (() => Promise<unknown>)[] = [];
  #archive: Promise<Archive> | null = null;
  #live: Promise<LiveRoom> | null = null;

  constructor(choice: () => Promise<BrowserChoice>, seed: number, say: (words: string) => void) {
    this.#choice = choice;
    this.seed = seed;
    this.#say = say;
  }
  say(words: string): void {
    this.#say(words);
  }
  archive(): Promise<Archive> {
    this.#archive ??= this.#makeArchive();
    return this.#archive;
  }
  live(): Promise<LiveRoom> {
    this.#live ??= this.#makeLive();
    return this.#live;
  }
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  async #server(options: ServerOptions): Promise<CairnServer> {
    const server = await CairnServer.create(options);
    this.#ends.push(() => server.dispose());
    return server.start();
  }
  async #profile(): Promise<Profile> {
    const profile = await Profile.create(await this.#choice());
    this.#ends.push(() => profile.close());
    return profile;
  }

  async #makeArchive(): Promise<Archive> {
    const server = await this.#server({});
    const million = await planned(server, 'A million', 'work', 50_000);
    const thousand = await planned(server, 'A thousand', 'work', 50);
    const other = await planned(server, 'Another', 'work', 1_500);
    await server.stop();
    const plans = [million, thousand, other];
    await this.#timed(`${count(million.turns * shownSize('work'))} chunks into the server`, async () =>
      seedServer(server.dataFolder, plans),
    );
    await server.start();
    const profile = await this.#profile();
    await profile.signIn(server);
    await this.#timed('the same into the mirror', () => fillMirror(profile, server, plans));
    return { server, profile, million, thousand, other };
  }
  /** A fresh server, and a model behind it. `program`: what Node runs instead of the project's own start. */
  async serverRoom(program?: string[]): Promise<ServerRoom> {
    const model = await Model.start();
    this.#ends.push(() => model.close());
    const { env } = model;
    return { model, server: await this.#server(program === undefined ? { env } : { env, program }) };
  }
  /** A server, a browser, and a cable between them that counts. */
  async linked(): Promise<LinkedRoom> {
    const port = await freePort();
    const link = await LinkProxy.start(port);
    this.#ends.push(() => link.close());
    const server = await this.#server({ port, env: { CAIRN_ORIGINS: link.url } });
    const profile = await this.#profile();
    await profile.signIn({ url: link.url, token: server.token });
    return { server, link, profile, sessions: sessionsOf(server) };
  }
  /** Ends when the stage does. */
  ends(end: () => Promise<unknown>): void {
    this.#ends.push(end);
  }
  async #makeLive(): Promise<LiveRoom> {
    const { server, model } = await this.serverRoom();
    const profile = await this.#profile();
    await profile.signIn(server);
    return { server, profile, model, sessions: sessionsOf(server) };
  }
  async #timed(what: string, work: () => Promise<unknown>): Promise<void> {
    const started = performance.now();
    await work();
    this.#say(`${what}: ${((performance.now() - started) / 1_000).toFixed(1)} s`);
  }
}

/** New sessions with their messages, put in while the server is down. */
function sessionsOf(server: CairnServer): MakeSessions {
  return async (amount, messages) => {
    const plans: Plan[] = [];
    while (plans.length < amount) plans.push(await planned(server, `Talk of ${messages}`, 'talk', messages / 2));
    await server.stop();
    seedServer(server.dataFolder, plans);
    await server.start();
    return plans;
  };
}
async function planned(server: CairnServer, title: string, kind: Plan['kind'], turns: number): Promise<Plan> {
  const sessionId = newId(clock, random);
  const body = { workspace: server.workspace, title, mode: 'auto' };
  const { status } = await server.api('PUT', `/api/sessions/${sessionId}`, body);
  if (status !== 201) throw new Error(`no session was made: ${status}`);
  return { sessionId, kind, turns, newest: `The newest words of ${title.toLowerCase()}, ${sessionId.slice(-6)}.` };
}

/** By the mirror's own code in a page of the app's origin, so that the bench does not know the format. */
async function fillMirror(profile: Profile, server: CairnServer, plans: readonly Plan[]): Promise<void> {
  const page = await profile.blank(server, 'mirror');
  for (const plan of plans) {
    const { body: timeline } = await server.api<Timeline>('GET', `/api/sessions/${plan.sessionId}/timeline?limit=200`);
    const filled = await remote<BenchMirror>(page, 'mirror').copy({ plan, timeline });
    if (filled !== headOf(plan)) throw new Error(`the mirror holds ${filled} of ${headOf(plan)} records`);
  }
  await page.close();
}
