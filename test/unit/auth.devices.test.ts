/** Signing in: the owner's token becomes a device's cookie, which can be listed and revoked, and guessing is limited. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ErrorBody } from '#shared/protocol/errors.ts';
import { type Answered, clock, type HttpStand, openStand, random, TOKEN, uuid } from '../support/http-stand.ts';
import { allowedDoors } from '../../server/auth/allowed.ts';
import { Attempts } from '../../server/auth/attempts.ts';
import { loadToken, signInLink } from '../../server/auth/token.ts';

let stand: HttpStand;
beforeEach(async () => {
  stand = await openStand({ origins: ['https://box.example.net'] });
});
afterEach(() => stand.close());
const signIn = (body: object, headers: Record<string, string> = { origin: stand.origin }): Promise<Answered> =>
  stand.raw({
    method: 'POST',
    path: '/api/device',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const code = (answer: Answered): string => (answer.json as ErrorBody).error?.code;

describe('POST /device', () => {
  it('turns the token into a cookie that no script reads and no other site sends', async () => {
    const answer = await signIn({ token: TOKEN, name: ' my phone ' });
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      device: { id: expect.stringMatching(/^[0-9a-f-]{36}$/), name: 'my phone', createdAt: expect.any(Number) },
    });
    const [cookie] = answer.headers['set-cookie']!;
    expect(cookie).toMatch(new RegExp(`^cairn_${stand.port}=[\\w-]{43}; Path=/; Max-Age=34560000; HttpOnly; SameSite=Strict$`));
    const reads = await stand.raw({ path: '/api/sessions', headers: { cookie: `other=1; ${cookie!.split(';')[0]}` } });
    expect(reads.status).toBe(200);
  });
  it('under TLS, also that of a proxy, the cookie is Secure', async () => {
    const answer = await signIn({ token: TOKEN }, { host: 'box.example.net', origin: 'https://box.example.net' });
    expect(answer.headers['set-cookie']![0]).toMatch(/; Secure$/);
  });
  it('needs an Origin, whatever the credential, and never signs in by GET', async () => {
    expect(code(await signIn({ token: TOKEN }, {}))).toBe('forbidden-origin');
    expect(code(await signIn({ token: TOKEN }, stand.bearer))).toBe('forbidden-origin');
    expect((await stand.raw({ path: `/api/device?token=${TOKEN}`, headers: { origin: stand.origin } })).status).toBe(405);
    expect(await stand.store.devices()).toEqual([]);
  });
  it('keeps only a hash of the cookie’s token', async () => {
    const { cookie } = await stand.device();
    const secret = cookie.split('=')[1]!;
    const folder = join(stand.folder, 'data');
    for (const file of readdirSync(folder)) expect(readFileSync(join(folder, file)).includes(secret), file).toBe(false);
  });
  it('a browser that signs in again stays the device it is', async () => {
    const { cookie, id } = await stand.device();
    const again = await signIn({ token: TOKEN }, { origin: stand.origin, cookie });
    expect(again.json).toMatchObject({ device: { id } });
    expect(await stand.store.devices()).toHaveLength(1);
  });
  it('guessing is stopped for a while, also a right guess then, and says how long', async () => {
    for (let at = 0; at < 20; at++) expect(code(await signIn({ token: `guess-${at}` }))).toBe('bad-token');
    const stopped = await signIn({ token: TOKEN });
    expect([stopped.status, code(stopped)]).toEqual([429, 'slow-down']);
    expect(Number(stopped.headers['retry-after'])).toBeGreaterThan(0);
    expect((await stand.call('GET', '/sessions')).status, 'who has the token is not shut out').toBe(200);
  });
});

describe('devices', () => {
  it('are listed, with the one that asks', async () => {
    const [a, b] = [await stand.device('a'), await stand.device('b')];
    const asked = await stand.raw({ path: '/api/devices', headers: { cookie: a.cookie } });
    const devices = (asked.json as { devices: { id: string; current: boolean; seenAt: number }[] }).devices;
    expect(devices.map(({ id, current }) => [id, current]).toSorted()).toEqual(
      [
        [a.id, true],
        [b.id, false],
      ].toSorted(),
    );
    expect(JSON.stringify(devices)).not.toMatch(/hash|token/i);
  });
  it('revoked are told so, from then on and at once', async () => {
    const device = await stand.device();
    expect((await stand.call('DELETE', `/devices/${device.id}`)).status).toBe(200);
    const answer = await stand.raw({ path: '/api/sessions', headers: { cookie: device.cookie } });
    expect([answer.status, code(answer)]).toEqual([401, 'device-revoked']);
    expect((await stand.call('GET', '/devices')).json).toEqual({ devices: [] });
    expect((await stand.call('DELETE', `/devices/${device.id}`)).status, 'again').toBe(200);
    expect((await stand.call('DELETE', `/devices/${uuid()}`)).status).toBe(404);
  });
  it('signing out oneself clears the cookie; revoking another leaves one’s own', async () => {
    const [mine, other] = [await stand.device(), await stand.device()];
    const headers = { cookie: mine.cookie, origin: stand.origin };
    const revoke = (id: string): Promise<Answered> => stand.raw({ method: 'DELETE', path: `/api/devices/${id}`, headers });
    expect((await revoke(other.id)).headers['set-cookie']).toBeUndefined();
    expect((await revoke(mine.id)).headers['set-cookie']![0]).toMatch(new RegExp(`^cairn_${stand.port}=; Path=/; Max-Age=0`));
  });
  it('that were not seen for an hour are seen again, once', async () => {
    const device = await stand.device();
    const seen = (await stand.store.devices())[0]!.seenAt;
    await stand.store.seenDevice(device.id, seen - 2 * 60 * 60 * 1000);
    for (let at = 0; at < 3; at++) await stand.raw({ path: '/api/sessions', headers: { cookie: device.cookie } });
    expect((await stand.store.devices())[0]!.seenAt).toBeGreaterThanOrEqual(seen);
  });
});

describe('the owner’s token', () => {
  it('is the configured one, else the kept one, else a new one that is kept', () => {
    let kept: string | null = null;
    const file = { read: () => kept, write: (text: string) => void (kept = text) };
    expect(loadToken('given', file, random)).toBe('given');
    expect(kept).toBeNull();
    const made = loadToken(null, file, random);
    expect(made).toMatch(/^[\w-]{43}$/);
    expect(loadToken(null, file, random)).toBe(made);
  });
  it('stands in the fragment of the link, which no request carries', () => {
    const link = new URL(signInLink('http://127.0.0.1:4646', 'a+b/c#d'));
    expect([link.pathname, link.search, decodeURIComponent(link.hash.slice('#t='.length))]).toEqual(['/', '', 'a+b/c#d']);
  });
});

describe('attempts', () => {
  it('are counted by address and forgotten after their span, or a success, or when the clock was set back', () => {
    let now = 1_000_000;
    const attempts = new Attempts({ now: () => now }, { failures: 2, within: 1000 });
    const fail = (address: string, times: number): void => {
      for (let at = 0; at < times; at++) attempts.failed(address);
    };
    fail('a', 1);
    expect(attempts.wait('a')).toBe(0);
    fail('a', 1);
    expect([attempts.wait('a'), attempts.wait('b')]).toEqual([1000, 0]);
    now += 1000;
    expect(attempts.wait('a')).toBe(0);
    fail('a', 1);
    attempts.succeeded('a');
    fail('a', 1);
    expect(attempts.wait('a')).toBe(0);
    fail('c', 2);
    now -= 500_000;
    expect(attempts.wait('c')).toBe(0);
  });
  it('from endless addresses cost bounded memory: the oldest is forgotten', () => {
    const attempts = new Attempts(clock, { failures: 1, within: 60_000 });
    for (let at = 0; at < 1500; at++) attempts.failed(`address ${at}`);
    expect(attempts.wait('address 0')).toBe(0);
    expect(attempts.wait('address 1499')).toBeGreaterThan(0);
  });
});

describe('allowed names', () => {
  it('are the loopback ones with our port, and the hosts of the further origins', () => {
    const doors = allowedDoors({ address: '127.0.0.1', port: 4646 }, false, ['https://box.example.net', 'http://127.0.0.1:5173']);
    expect([...doors.hosts].toSorted()).toEqual(['127.0.0.1:4646', '127.0.0.1:5173', '[::1]:4646', 'box.example.net', 'localhost:4646']);
    expect(doors.origins).toEqual(
      new Set(['http://127.0.0.1:4646', 'http://localhost:4646', 'http://[::1]:4646', 'https://box.example.net', 'http://127.0.0.1:5173']),
    );
    expect([doors.canonical, [...doors.aliases]]).toEqual(['http://127.0.0.1:4646', ['localhost:4646', '[::1]:4646']]);
  });
  it('leave out the port that a scheme has by itself', () => {
    const doors = allowedDoors({ address: '127.0.0.1', port: 443 }, true, []);
    expect(doors.hosts).toContain('localhost');
    expect(doors.hosts).toContain('localhost:443');
    expect(doors.origins).toContain('https://localhost');
    expect(doors.canonical).toBe('https://127.0.0.1');
  });
  it('bound to ::1 the page lives there, and bound to everything nothing is redirected', () => {
    expect(allowedDoors({ address: '::1', port: 1 }, false, [])).toMatchObject({ canonical: 'http://[::1]:1' });
    expect(allowedDoors({ address: '0.0.0.0', port: 1 }, false, []).aliases.size).toBe(0);
  });
});
