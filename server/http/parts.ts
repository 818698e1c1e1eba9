/** What the resources are handed. */
import type { Clock, Random, Report } from '#shared/ports.ts';
import type { Agent } from '../agent/port.ts';
import type { Attempts } from '../auth/attempts.ts';
import type { Door } from '../auth/door.ts';
import type { Runner } from '../runner/port.ts';
import type { Command, Store } from '../store/port.ts';
import type { Toolbox } from '../tools/port.ts';

export interface HttpParts {
  store: Store;
  runner: Runner;
  agent: Agent;
  toolbox: Toolbox;
  clock: Clock;
  random: Random;
  report: Report;
  door: Door;
  attempts: Attempts;
  /** The owner's token, for signing in. */
  token: string;
  /** Cairn's own version. */
  version: string;
  /** We speak TLS ourselves. */
  tls: boolean;
  port(): number;
  /** Ends a revoked device's sockets. */
  closeDevice(deviceId: string): void;
}

/** The store's command of a request: its id, if the client gave one, and the time. */
export function commandOf(parts: Pick<HttpParts, 'clock'>, commandId: string | undefined): Command {
  return { id: commandId ?? null, now: parts.clock.now() };
}
