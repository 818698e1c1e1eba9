/** Signing in with the owner's token, and the list of devices that did. */
import { newId } from '#shared/ids.ts';
import { CodedError } from '#shared/protocol/errors.ts';
import { SignIn } from '#shared/protocol/requests.ts';
import { clearCookie, cookieName, setCookie } from '../auth/cookie.ts';
import type { Knock } from '../auth/door.ts';
import { sameSecret, sha256 } from '../auth/secrets.ts';
import type { Device } from '../store/port.ts';
import { body, idParam } from './check.ts';
import type { HttpParts } from './parts.ts';
import { type Call, ok, type Resource } from './resource.ts';
import type { Wait } from './refusal.ts';

/** A device as it is told. */
export interface DeviceView {
  id: string;
  name: string;
  createdAt: number;
  seenAt: number;
  /** It is the one that asks. */
  current: boolean;
}

export function deviceResources(parts: HttpParts): Resource[] {
  return [
    { path: '/device', need: 'origin', methods: { POST: (call) => signIn(parts, call) } },
    { path: '/devices', methods: { GET: (call) => list(parts, call) } },
    { path: '/devices/:id', methods: { DELETE: (call) => revoke(parts, call) } },
  ];
}

/** Token in, cookie out. The cookie's token is opaque and only its hash is kept. Guessing is limited by address. */
async function signIn(parts: HttpParts, call: Call) {
  const { token, name } = body(SignIn, call);
  const retryAfter = parts.attempts.wait(call.peer);
  if (retryAfter > 0) throw new CodedError('slow-down', 'Too many wrong tokens. Wait a little.', { retryAfter } satisfies Wait);
  if (!sameSecret(token, parts.token)) {
    parts.attempts.failed(call.peer);
    throw new CodedError('bad-token', 'That token is not this server’s.');
  }
  parts.attempts.succeeded(call.peer);
  // A browser that signs in twice stays the device it is: its other tabs keep their sockets.
  const known = await parts.door.deviceOf(call.knock);
  const existing = known === null ? undefined : (await parts.store.devices()).find((device) => device.id === known);
  if (existing) return ok({ device: told(existing) });
  const secret = Buffer.from(parts.random.bytes(32)).toString('base64url');
  const device = await parts.store.addDevice({
    id: newId(parts.clock, parts.random),
    name: name?.trim() || 'Unnamed device',
    tokenHash: sha256(secret),
    now: parts.clock.now(),
  });
  return {
    ...ok({ device: told(device) }),
    headers: { 'Set-Cookie': setCookie(cookieName(parts.port()), secret, isSecure(parts, call.knock)) },
  };
}

async function list({ store }: HttpParts, { caller }: Call) {
  const live = (await store.devices()).filter((device) => device.revokedAt === null);
  const devices: DeviceView[] = live.map((device) => ({ ...told(device), seenAt: device.seenAt, current: device.id === caller.deviceId }));
  return ok({ devices });
}

/** Also the sign-out of the caller's own device, whose cookie goes with it. Again: the same answer. */
async function revoke(parts: HttpParts, call: Call) {
  const id = idParam(call, 'id');
  const device = await parts.store.revokeDevice(id, parts.clock.now());
  if (device === null) throw new CodedError('not-found', 'There is no such device.');
  parts.closeDevice(id);
  const answer = ok({ device: told(device) });
  if (id !== call.caller.deviceId) return answer;
  return { ...answer, headers: { 'Set-Cookie': clearCookie(cookieName(parts.port()), isSecure(parts, call.knock)) } };
}

function told({ id, name, createdAt }: Device) {
  return { id, name, createdAt };
}

/** Under TLS of our own, or of a proxy before us, as the page's origin shows. */
function isSecure(parts: HttpParts, knock: Knock): boolean {
  return parts.tls || (knock.origin?.startsWith('https:') ?? false);
}
