/**
 * The door (law 18): Host, then Origin, then who it is. Every path of the server passes here before any state is read; the
 * first two are decided from the request alone.
 *
 * - Host must be one of ours, by equality.
 * - An Origin that is sent must be one of ours, by equality, port included, whatever the credential: a page on another port
 *   of this machine does get our SameSite=Strict cookie onto its requests.
 * - No Origin passes only on cookie GETs that are no upgrade (a browser sends none on same-origin GETs) and with Bearer
 *   (scripts). Without a credential there is nothing that a missing Origin could misuse.
 */
import type { Clock, Report } from '#shared/ports.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import type { Store } from '../store/port.ts';
import type { Allowed } from './allowed.ts';
import { cookieName, readCookie } from './cookie.ts';
import { sameSecret, sha256 } from './secrets.ts';

/** What a request says of itself. */
export interface Knock {
  /** All `Host` headers as sent: more than one is refused, since two readers could pick different ones. */
  hosts: readonly string[];
  origin: string | undefined;
  authorization: string | undefined;
  cookie: string | undefined;
  method: string;
  upgrade: boolean;
}
/** What a path asks of whoever knocks. `origin`: no token, but an Origin must be sent (signing in). */
export type Need = 'nothing' | 'origin' | 'token';
export interface Caller {
  /** Null: the owner's token itself, or nobody on a path that needs none. */
  deviceId: string | null;
}
export const NOBODY: Caller = { deviceId: null };

export type Credential = { kind: 'bearer'; token: string } | { kind: 'cookie'; token: string } | { kind: 'none' };

/** How stale `seenAt` of a device may be: a write each request would cost a disk sync each. */
const SEEN_EVERY = 60 * 60 * 1000;

/** Throws `forbidden-host` unless there is exactly one Host and it is ours. Pages and API alike. */
export function checkHost(hosts: readonly string[], allowed: Allowed): void {
  if (hosts.length !== 1 || !allowed.hosts.has(hosts[0]!))
    throw new CodedError('forbidden-host', 'This server does not answer to that host name. CAIRN_ORIGINS allows further ones.');
}

/** The credential that counts: a Bearer header is never overruled by a cookie beside it. */
export function credentialOf(knock: Knock, port: number): Credential {
  if (knock.authorization !== undefined) return { kind: 'bearer', token: /^Bearer +(\S+)$/i.exec(knock.authorization)?.[1] ?? '' };
  const token = readCookie(knock.cookie, cookieName(port));
  return token ? { kind: 'cookie', token } : { kind: 'none' };
}

/** Throws `forbidden-origin` by the rule above. */
export function checkOrigin(knock: Knock, credential: Credential, need: Need, allowed: Allowed): void {
  if (knock.origin !== undefined) {
    if (!allowed.origins.has(knock.origin))
      throw originRefused('That page may not speak to this server. CAIRN_ORIGINS allows further origins.');
    return;
  }
  if (need === 'origin') throw originRefused('Signing in needs an Origin header.');
  const reads = (knock.method === 'GET' || knock.method === 'HEAD') && !knock.upgrade;
  if (credential.kind === 'cookie' && !reads) throw originRefused('With a device cookie this needs an Origin header.');
}

function originRefused(message: string): CodedError {
  return new CodedError('forbidden-origin', message);
}

export interface DoorParts {
  store: Store;
  clock: Clock;
  report: Report;
  /** The owner's token. */
  token: string;
  allowed(): Allowed;
  port(): number;
}

export class Door {
  readonly #parts: DoorParts;
  constructor(parts: DoorParts) {
    this.#parts = parts;
  }

  /** Who knocks; throws the coded refusal. Host and Origin are judged before the store is asked anything. */
  async admit(knock: Knock, need: Need): Promise<Caller> {
    const allowed = this.#parts.allowed();
    checkHost(knock.hosts, allowed);
    const credential = credentialOf(knock, this.#parts.port());
    checkOrigin(knock, credential, need, allowed);
    if (need !== 'token') return NOBODY;
    switch (credential.kind) {
      case 'bearer':
        if (!sameSecret(credential.token, this.#parts.token)) throw new CodedError('bad-token', 'That token is not this server’s.');
        return NOBODY;
      case 'cookie':
        return this.#device(credential.token);
      case 'none':
        throw new CodedError('signed-out', 'Sign in first.');
    }
  }

  /** The live device that a request's cookie names, or null: for signing in again without making a second device of it. */
  async deviceOf(knock: Knock): Promise<string | null> {
    const token = readCookie(knock.cookie, cookieName(this.#parts.port()));
    const device = token ? await this.#parts.store.deviceByTokenHash(sha256(token)) : null;
    return device && device.revokedAt === null ? device.id : null;
  }

  async #device(token: string): Promise<Caller> {
    const { store, clock, report } = this.#parts;
    const device = await store.deviceByTokenHash(sha256(token));
    if (device === null) throw new CodedError('signed-out', 'This device is not signed in here.');
    if (device.revokedAt !== null) throw new CodedError('device-revoked', 'This device was signed out from another one.');
    const now = clock.now();
    if (now - device.seenAt > SEEN_EVERY)
      store.seenDevice(device.id, now).catch((error: unknown) => report('device-seen-failed', { device: device.id, error }));
    return { deviceId: device.id };
  }
}
