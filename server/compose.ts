/**
 * A start, in its order: the ports first, then what stands on them. Nothing here names the world by itself: `main.ts` hands
 * in clock, chance, timers, network and environment, and may stand between the two halves, as the crash tests do.
 */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Clock, Random, Report, Timers } from '#shared/ports.ts';
import { createAgent } from './agent/create.ts';
import type { Agent } from './agent/port.ts';
import { createApp, type App } from './app.ts';
import type { Config } from './config.ts';
import { decisions } from './inbox/decisions.ts';
import { createAwake, type StayAwake } from './runner/awake.ts';
import { createRunner } from './runner/coordinator.ts';
import type { Store } from './store/port.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import type { Toolbox } from './tools/port.ts';
import { createToolbox } from './tools/toolbox.ts';

/** What the world offers. */
export interface Effects {
  clock: Clock;
  random: Random;
  timers: Timers;
  report: Report;
  env: Readonly<Record<string, string | undefined>>;
  /** Absent: nothing keeps the machine awake while a turn runs. */
  stayAwake?: StayAwake;
}
/** What a server stands on: everything durable, the model, the tools. */
export interface Ports {
  store: Store;
  agent: Agent;
  toolbox: Toolbox;
}

export async function openPorts(config: Config, { clock, random, timers, report, env }: Effects): Promise<Ports> {
  const store = await openSqliteStore({ folder: config.dataDir, clock, random, report, decisions });
  const agent = createAgent(config.model, { clock, random, timers, report });
  const toolbox = createToolbox({ roots: config.workspaceRoots, dataDir: config.dataDir, env, timers, random, report });
  return { store, agent, toolbox };
}

export interface Facts {
  server: Server;
  /** Resolves once bound. */
  listen(): Promise<void>;
  token: string;
  version: string;
  tls: boolean;
  origins: readonly string[];
  /** The built app, or null. */
  shell: string | null;
}
export interface Served {
  app: App;
  address: AddressInfo;
  /** Ends what runs and closes the ports. `closeServer`: no new requests, and an end to those under way. */
  end(closeServer: () => Promise<void>): Promise<void>;
}

/** Binds, settles what a dead process left, and opens the doors. */
export async function serve(ports: Ports, effects: Effects, facts: Facts): Promise<Served> {
  const { store, agent, toolbox } = ports;
  const { clock, random, timers, report } = effects;
  const { server, listen, token, version, tls, origins, shell } = facts;
  const awake = effects.stayAwake === undefined ? undefined : createAwake({ stay: effects.stayAwake, timers, report });
  const runner = createRunner({ store, agent, toolbox, clock, random, timers, report, ...(awake === undefined ? {} : { awake }) });
  // Kept: a server that is closing has no address any more, while its last requests still ask for it.
  let address: AddressInfo | null = null;
  const bound = (): AddressInfo => (address ??= server.address() as AddressInfo);
  const seen = { clock, random, timers, report, token, version, tls, origins, shell };
  const app = await createApp({ store, runner, agent, toolbox, ...seen, bound });
  server.on('request', app.request);
  server.on('upgrade', app.upgrade);

  // The port comes before recovery: a start that fails must not have begun anybody's turn.
  await listen();
  await runner.recover();
  app.open();
  return {
    app,
    address: bound(),
    async end(closeServer) {
      app.close();
      await Promise.all([closeServer(), runner.close()]);
      awake?.close();
      await toolbox.close();
      await agent.close();
      await store.close();
    },
  };
}
