/**
 * Law 18: Host, Origin and token are checked on every path. Each route of the contract is walked with each kind of stranger,
 * against a real listening server; afterwards nothing has changed.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import { resourcesOf } from '../../server/http/api.ts';
import type { HttpParts } from '../../server/http/parts.ts';
import { type HttpStand, openStand, uuid } from '../support/http-stand.ts';

let stand: HttpStand;
let owned: { cookie: string; id: string };
let revoked: { cookie: string; id: string };
let session: string;
beforeAll(async () => {
  stand = await openStand({ origins: ['https://box.example.net'] });
  owned = await stand.device();
  revoked = await stand.device('gone');
  await stand.store.revokeDevice(revoked.id, Date.now());
  session = await stand.session();
});
afterAll(() => stand.close());

/** Every method of every resource, as the server itself lists them, with parameters filled in; and a path that is none. */
const routes = [...resourcesOf({} as HttpParts), { path: '/nowhere', need: undefined, methods: { GET: 0, PUT: 0 } }].flatMap((resource) =>
  Object.keys(resource.methods).map((method) => ({ method, path: resource.path, need: resource.need ?? 'token' })),
);
const at = (path: string): string =>
  `/api${path
    .replace('/sessions/:id', `/sessions/${session}`)
    .replace(/:sha256/, 'a'.repeat(64))
    .replaceAll(/:\w+/g, uuid())}`;
const BODY = { 'content-type': 'application/json' };

/** What a stranger sends, and the code it must get. `needs`: only on routes that need a token. */
type Headers = Record<string, string> | string[];
const strangers: { who: string; headers: () => Headers; code: string; on?: (route: { method: string; need: string }) => boolean }[] = [
  { who: 'without a token', headers: () => ({}), code: 'signed-out', on: ({ need }) => need === 'token' },
  { who: 'with a wrong token', headers: () => ({ authorization: 'Bearer nope' }), code: 'bad-token', on: ({ need }) => need === 'token' },
  {
    who: 'with a wrong token beside a good cookie',
    headers: () => ({ authorization: 'Bearer nope', cookie: owned.cookie, origin: stand.origin }),
    code: 'bad-token',
    on: ({ need }) => need === 'token',
  },
  {
    who: 'with an invented cookie',
    headers: () => ({ cookie: `cairn_${stand.port}=invented`, origin: stand.origin }),
    code: 'signed-out',
    on: ({ need }) => need === 'token',
  },
  {
    who: 'with the cookie of another port',
    headers: () => ({ cookie: owned.cookie.replace(/^cairn_\d+/, 'cairn_1'), origin: stand.origin }),
    code: 'signed-out',
    on: ({ need }) => need === 'token',
  },
  {
    who: 'with the cookie of a revoked device',
    headers: () => ({ cookie: revoked.cookie, origin: stand.origin }),
    code: 'device-revoked',
    on: ({ need }) => need === 'token',
  },
  { who: 'under a foreign host', headers: () => ({ ...stand.bearer, host: `evil.test:${stand.port}` }), code: 'forbidden-host' },
  {
    who: 'under a foreign host and origin alike (DNS rebinding)',
    headers: () => ({ ...stand.bearer, host: `evil.test:${stand.port}`, origin: `http://evil.test:${stand.port}` }),
    code: 'forbidden-host',
  },
  { who: 'under our name with another port', headers: () => ({ ...stand.bearer, host: '127.0.0.1:1' }), code: 'forbidden-host' },
  {
    who: 'under a name that only begins like ours',
    headers: () => ({ ...stand.bearer, host: `127.0.0.1:${stand.port}.evil.test` }),
    code: 'forbidden-host',
  },
  {
    who: 'with two hosts',
    headers: () => ['host', stand.host, 'host', 'evil.test', 'authorization', stand.bearer['authorization']!],
    code: 'forbidden-host',
  },
  {
    who: 'from a foreign page, with the token',
    headers: () => ({ ...stand.bearer, origin: 'http://evil.test' }),
    code: 'forbidden-origin',
  },
  {
    who: 'from a foreign page, with the cookie',
    headers: () => ({ cookie: owned.cookie, origin: 'http://evil.test' }),
    code: 'forbidden-origin',
  },
  {
    who: 'from a page on another port of this machine',
    headers: () => ({ cookie: owned.cookie, origin: 'http://localhost:1' }),
    code: 'forbidden-origin',
  },
  {
    who: 'from our name under another scheme',
    headers: () => ({ cookie: owned.cookie, origin: `https://${stand.host}` }),
    code: 'forbidden-origin',
  },
  { who: 'from a page without an origin of its own', headers: () => ({ cookie: owned.cookie, origin: 'null' }), code: 'forbidden-origin' },
  {
    who: 'with the cookie and no origin, changing something',
    headers: () => ({ cookie: owned.cookie }),
    code: 'forbidden-origin',
    on: ({ method, need }) => method !== 'GET' && need !== 'nothing',
  },
];

/** One stranger at one route: refused in the envelope, with the headers that every answer carries. */
async function refused(route: (typeof routes)[number], stranger: (typeof strangers)[number]): Promise<void> {
  const given = stranger.headers();
  const extra = route.method === 'GET' ? {} : BODY;
  const headers = Array.isArray(given) ? [...given, ...Object.entries(extra).flat()] : { ...given, ...extra };
  const body = route.method === 'GET' ? undefined : JSON.stringify({ token: 'x', workspace: stand.workspace });
  const answer = await stand.raw({ method: route.method, path: at(route.path), headers, ...(body === undefined ? {} : { body }) });
  const what = `${route.method} ${route.path} ${stranger.who}`;
  expect((answer.json as { error?: { code: string } })?.error?.code, what).toBe(stranger.code);
  expect(answer.status, what).toBeGreaterThanOrEqual(401);
  expect(answer.status, what).toBeLessThanOrEqual(403);
  expect(answer.headers[EPOCH_HEADER.toLowerCase()], what).toBe(stand.store.epoch);
  expect(answer.headers['cache-control'], what).toBe('no-store');
}

const facts = async (): Promise<unknown> => ({
  sessions: await stand.store.sessionsSince(0, 500),
  head: (await stand.store.log(session, 0, 1000, 1e6)).head,
  devices: (await stand.store.devices()).map(({ id, revokedAt }) => ({ id, revokedAt })),
  settings: await stand.store.settings(),
  told: [...stand.runner.told],
});

describe('law 18: strangers stay out', () => {
  it('B58: of every route, by every way, before anything changes', async () => {
    const before = await facts();
    let tried = 0;
    for (const route of routes) {
      const knocks = strangers.filter((stranger) => !stranger.on || stranger.on(route));
      await Promise.all(knocks.map((stranger) => refused(route, stranger)));
      tried += knocks.length;
    }
    expect(tried).toBeGreaterThan(250);
    expect(await facts()).toEqual(before);
  });

  it('the owner is let in everywhere: by token, and by cookie from our own page', async () => {
    for (const route of routes) {
      const changes = route.method !== 'GET';
      for (const headers of [stand.bearer, { cookie: owned.cookie, ...(changes ? { origin: stand.origin } : {}) }]) {
        if (route.need === 'origin' && !('origin' in headers)) continue;
        // An empty body is refused by what is behind the door, which is how far this looks.
        const path =
          route.method === 'DELETE' || route.path.endsWith('resume')
            ? at(route.path.replace('/sessions/:id', `/sessions/${uuid()}`))
            : at(route.path);
        const answer = await stand.raw({
          method: route.method,
          path,
          headers: { ...headers, ...(changes ? BODY : {}) },
          ...(changes ? { body: '{}' } : {}),
        });
        expect([401, 403], `${route.method} ${route.path} ${JSON.stringify(answer.json)}`).not.toContain(answer.status);
      }
    }
  });

  it('an origin of CAIRN_ORIGINS is let in under its own host, and no other scheme of it', async () => {
    const ask = (origin: string) =>
      stand.raw({ path: '/api/sessions', headers: { host: 'box.example.net', origin, ...stand.bearer } }).then(({ status }) => status);
    expect(await ask('https://box.example.net')).toBe(200);
    expect(await ask('http://box.example.net')).toBe(403);
    expect(await ask('https://box.example.net:8443')).toBe(403);
  });

  it('B58: the upgrade is refused to all of them, and open to the owner', async () => {
    const upgrade = (headers: Record<string, string>, path = '/api/live'): Promise<number | 'open'> =>
      new Promise((resolve) => {
        const ws = new WebSocket(`ws://127.0.0.1:${stand.port}${path}`, { headers });
        ws.on('open', () => {
          ws.terminate();
          resolve('open');
        });
        ws.on('unexpected-response', (_request, response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        });
        ws.on('error', () => resolve(0));
      });
    for (const stranger of strangers) {
      const headers = stranger.headers();
      if (Array.isArray(headers)) continue;
      expect([401, 403], stranger.who).toContain(await upgrade(headers));
    }
    expect(await upgrade({ cookie: owned.cookie }), 'cookie without an origin').toBe(403);
    expect(await upgrade({ cookie: owned.cookie, origin: stand.origin })).toBe('open');
    expect(await upgrade(stand.bearer)).toBe('open');
    expect(await upgrade(stand.bearer, '/api/other')).toBe(404);
    expect(await upgrade({}, '/api/other')).toBe(401);
  });

  it('no GET changes anything', async () => {
    const before = await facts();
    for (const route of routes.filter(({ method }) => method === 'GET')) await stand.raw({ path: at(route.path), headers: stand.bearer });
    expect(await facts()).toEqual(before);
  });

  it('nothing served as data can become a page, and a page can run and fetch only what is ours', async () => {
    const health = await stand.raw({ path: '/api/health' });
    expect(health.headers['content-security-policy']).toMatch(/default-src 'none'.*sandbox/);
    const page = (await stand.raw({ path: '/', headers: { accept: 'text/html' } })).headers['content-security-policy'] as string;
    const policy = new Map(page.split(';').map((rule) => [rule.split(' ')[0], rule.split(' ').slice(1).join(' ')]));
    expect(Object.fromEntries(policy)).toEqual({
      'default-src': "'self'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data: blob:",
      'connect-src': "'self'",
      'worker-src': "'self'",
      'manifest-src': "'self'",
      'object-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
      'form-action': "'self'",
    });
    for (const answer of [health, await stand.raw({ path: '/' })]) {
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      expect(answer.headers['referrer-policy']).toBe('no-referrer');
      expect(answer.headers['x-powered-by']).toBeUndefined();
      expect(answer.headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('the page itself needs an allowed host', async () => {
    expect((await stand.raw({ path: '/', headers: { host: 'evil.test' } })).status).toBe(403);
  });
});
