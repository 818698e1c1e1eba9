/** Bad input: a malformed or oversized request gets a coded 4xx in the envelope and changes nothing. */
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERRORS, type ErrorBody, type ErrorCode } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import { type Answered, type Asked, type HttpStand, openStand, uuid } from '../support/http-stand.ts';

let stand: HttpStand;
let session: string;
let input: string;
beforeAll(async () => {
  stand = await openStand();
  session = await stand.session();
  input = await stand.admit(session);
});
afterAll(() => stand.close());

const JSON_TYPE = { 'content-type': 'application/json' };
const words = (text: string) => ({ content: [{ type: 'text', text }], delivery: 'steer' });
const facts = async (): Promise<unknown> => ({
  sessions: await stand.store.sessionsSince(0, 500),
  log: await stand.logOf(session),
  input: await stand.store.input(session, input),
  devices: await stand.store.devices(),
  settings: await stand.store.settings(),
  told: [...stand.runner.told],
});
const ask = (asked: Asked): Promise<Answered> =>
  stand.raw({ ...asked, headers: { ...stand.bearer, ...(asked.headers as Record<string, string>) } });
const put = (body: string | Buffer, headers: Record<string, string> = JSON_TYPE, path?: string): Promise<Answered> =>
  ask({ method: 'PUT', path: path ?? `/api/sessions/${session}/inputs/${uuid()}`, headers, body });

/** Refused with this code and its status, in the envelope, with the headers of every answer; and nothing has changed. */
async function expectRefused(code: ErrorCode, send: () => Promise<Answered>): Promise<ErrorBody['error']> {
  const before = await facts();
  const answer = await send();
  const { error } = answer.json as ErrorBody;
  expect(error.code, JSON.stringify(error)).toBe(code);
  expect(answer.status).toBe(ERRORS[code].status);
  expect(error.retryable).toBe(ERRORS[code].retryable);
  expect(error.message.length).toBeGreaterThan(5);
  expect(answer.headers[EPOCH_HEADER.toLowerCase()]).toBe(stand.store.epoch);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(await facts()).toEqual(before);
  return error;
}

describe('a fork', () => {
  const fork = (origin: unknown, id = uuid()): Promise<Answered> =>
    put(JSON.stringify({ workspace: stand.workspace, origin }), JSON_TYPE, `/api/sessions/${id}`);
  let gone: string;
  let running: { id: string; head: number };
  beforeAll(async () => {
    gone = await stand.session();
    await stand.call('DELETE', `/sessions/${gone}`);
    const id = await stand.session();
    const { claim, turnId } = await stand.turn(id);
    await stand.seal(claim, turnId, 0, ['a', 'b']);
    running = { id, head: (await stand.logOf(id)).length };
  });

  it.each<[string, unknown]>([
    ['of no shape', 'x'],
    ['null', null],
    ['without a session', { seq: 1 }],
    ['without a seq', { sessionId: uuid() }],
    ['with an id that is none', { sessionId: '../x', seq: 1 }],
    ['with a seq below 0', { sessionId: uuid(), seq: -1 }],
    ['with a fraction of a seq', { sessionId: uuid(), seq: 1.5 }],
    ['with a seq that is no number', { sessionId: uuid(), seq: '1' }],
    ['with a seq past all numbers', { sessionId: uuid(), seq: 1e300 }],
  ])('with an origin %s is a bad request', async (_what, origin) => {
    await expectRefused('bad-request', () => fork(origin));
  });
  it('with a key that is not known is refused by name', async () => {
    await expectRefused('unknown-key', () => fork({ sessionId: session, seq: 0, deep: true }));
  });
  it('of a session that is not known, or was deleted, says which', async () => {
    expect((await expectRefused('not-found', () => fork({ sessionId: uuid(), seq: 0 }))).message).toContain('fork from');
    expect((await expectRefused('gone', () => fork({ sessionId: gone, seq: 0 }))).message).toContain('deleted');
    const itself = uuid();
    await expectRefused('not-found', () => fork({ sessionId: itself, seq: 0 }, itself));
  });
  it('past the end of its origin, or inside of an open turn, is a conflict', async () => {
    const error = await expectRefused('conflict', () => fork({ sessionId: running.id, seq: running.head + 1 }));
    expect(error.details).toEqual({ head: running.head });
    for (let seq = 2; seq <= running.head; seq++) await expectRefused('conflict', () => fork({ sessionId: running.id, seq }));
  });
  it('under the id of another payload is an id conflict: another cut, or none', async () => {
    const id = uuid();
    expect((await fork({ sessionId: running.id, seq: 1 }, id)).status).toBe(201);
    await expectRefused('id-conflict', () => fork({ sessionId: running.id, seq: 0 }, id));
    await expectRefused('id-conflict', () => fork(undefined, id));
  });
});

describe('a body', () => {
  it.each<[string, string | Buffer]>([
    ['cut in the middle', '{"content":'],
    ['of a bare word', 'hello'],
    ['that is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])],
    ['nested deeper than can be walked', '['.repeat(200_000)],
  ])('%s is bad-json', async (_what, body) => {
    await expectRefused('bad-json', () => put(body));
  });

  it.each<[string, unknown]>([
    ['of another shape', []],
    ['that is null', null],
    ['with a missing key', { content: [{ type: 'text', text: 'x' }] }],
    ['with an unknown delivery', { ...words('x'), delivery: 'soon' }],
    ['without words', words('   ')],
    ['without parts', { content: [], delivery: 'steer' }],
    ['with a NUL in its words', words('a\0b')],
    ['with a part of unknown type', { content: [{ type: 'video' }], delivery: 'steer' }],
    ['with a time that is no number', { ...words('x'), composedAt: 'now' }],
    ['with a fraction of a seq', { ...words('x'), seenSeq: 1.5 }],
  ])('%s is a bad request', async (_what, body) => {
    await expectRefused('bad-request', () => put(JSON.stringify(body)));
  });

  it('with a key that is not known is refused by name, at any depth', async () => {
    expect((await expectRefused('unknown-key', () => put(JSON.stringify({ ...words('x'), urgent: true })))).message).toContain('urgent');
    await expectRefused('unknown-key', () =>
      put(JSON.stringify({ content: [{ type: 'text', text: 'x', bold: true }], delivery: 'steer' })),
    );
  });

  it.each([
    '{"__proto__":{"delivery":"queue"},"content":[{"type":"text","text":"x"}],"delivery":"steer"}',
    '{"content":[{"type":"text","text":"x","__proto__":{"a":1}}],"delivery":"steer"}',
    '{"content":[{"type":"text","text":"x"}],"delivery":"steer","\\u005f_proto__":1}',
  ])('with a __proto__ key is refused: %s', async (body) => {
    await expectRefused('unknown-key', () => put(body));
    expect(({} as { delivery?: string }).delivery).toBeUndefined();
  });

  it.each<[string, Record<string, string>]>([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['no type at all', {}],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['a type that only begins like JSON', { 'content-type': 'application/jsonp' }],
    ['compressed', { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  ])('of %s is a wrong type', async (_what, headers) => {
    const body = headers['content-encoding'] === undefined ? JSON.stringify(words('x')) : gzipSync(JSON.stringify(words('x')));
    await expectRefused('wrong-type', () => put(body, headers));
  });

  it('over the limit is 413 with the limit in it, and a client that writes first still hears it', async () => {
    const error = await expectRefused('too-large', () => put(JSON.stringify(words('x'.repeat(LIMITS.bodyBytes)))));
    expect(error.details).toEqual({ limit: LIMITS.bodyBytes });
    const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    await expectRefused('too-large', () => put(Buffer.alloc(LIMITS.bodyBytes + 1, ' '), chunked));
  });

  it('many times over the limit is cut off, and the server goes on', async () => {
    const before = await facts();
    // The answer may be lost with the connection; that it is refused is what counts.
    const outcome = await put(Buffer.alloc(LIMITS.bodyBytes * 8, ' ')).then(
      ({ status }) => status,
      (error: NodeJS.ErrnoException) => error.code,
    );
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(outcome);
    expect(await facts()).toEqual(before);
    expect((await stand.call('GET', '/settings')).status).toBe(200);
  });

  it('whose words are over their own limit is 413 with that limit', async () => {
    // Two bytes a character: the count of characters is under the limit, the bytes are not.
    const error = await expectRefused('too-large', () => put(JSON.stringify(words('é'.repeat(LIMITS.inputTextBytes / 2 + 1)))));
    expect(error.details).toMatchObject({ limit: LIMITS.inputTextBytes });
    await expectRefused('too-large', () =>
      put(JSON.stringify({ content: Array.from({ length: 65 }, () => ({ type: 'text', text: 'x' })), delivery: 'steer' })),
    );
    await expectRefused('too-large', () =>
      ask({
        method: 'PATCH',
        path: `/api/sessions/${session}`,
        headers: JSON_TYPE,
        body: JSON.stringify({ title: 't'.repeat(LIMITS.titleChars + 1) }),
      }),
    );
  });
});

describe('a path', () => {
  it.each([
    '/api/sessions/x/timeline',
    '/api/sessions/..%2f..%2fetc/timeline',
    '/api/sessions/01890000-0000-4000-8000-000000000001/timeline',
    '/api/sessions/01890000-0000-7000-8000-00000000000G/log',
    '/api/blobs/abc',
  ])('with an id that is none is bad-id: %s', async (path) => {
    await expectRefused('bad-id', () => ask({ path }));
  });
  it('with a bad input id', async () => {
    await expectRefused('bad-id', () => put(JSON.stringify(words('x')), JSON_TYPE, `/api/sessions/${session}/inputs/..%2f..%2fx`));
  });
  it('that cannot be decoded', async () => {
    await expectRefused('bad-request', () => ask({ path: '/api/sessions/%zz/timeline' }));
  });
  it.each(['/api', '/api/', '/api/nope', '/api/sessions/', '/api/health/', '/api/Health', '/api/sessions/a/b/c/d'])(
    'that is none is 404 in JSON: %s',
    async (path) => {
      await expectRefused('not-found', () => ask({ path }));
    },
  );
  it.each([
    ['POST', '/health', 'GET'],
    ['DELETE', '/sessions', 'GET'],
    ['POST', '/settings', 'GET, PATCH'],
    ['OPTIONS', '/sessions', 'GET'],
    ['GET', '/device', 'POST'],
  ])('with a method that it does not have says which it has: %s %s', async (method, path, allow) => {
    const headers = path === '/device' ? { origin: stand.origin } : {};
    const send = (): Promise<Answered> => ask({ method, path: `/api${path}`, headers });
    await expectRefused('method-not-allowed', send);
    expect((await send()).headers['allow']).toBe(allow);
  });
  it('of the WebSocket, asked for plainly', async () => {
    await expectRefused('bad-request', () => ask({ path: '/api/live' }));
  });
});

describe('a query', () => {
  it.each([
    '/timeline?limit=0',
    '/timeline?limit=-1',
    '/timeline?limit=many',
    '/timeline?limit=1e3',
    '/timeline?limit=1.5',
    '/timeline?limit=',
    '/timeline?limit=1&limit=2',
    '/log?after=-1',
    '/log?after=99999999999999999999',
    '/chunks?before=0',
    '/turns?before=x',
  ])('with a bad number is a bad request: %s', async (query) => {
    await expectRefused('bad-request', () => ask({ path: `/api/sessions/${session}${query}` }));
  });
  it('with a limit that is too large is clamped, and with unknown keys is answered', async () => {
    for (const query of ['/timeline?limit=1000000', '/chunks?limit=99999', '/log?limit=99999&colour=red', '/turns?limit=4096'])
      expect((await ask({ path: `/api/sessions/${session}${query}` })).status, query).toBe(200);
  });
  it('with a folder path that holds NUL or is endless', async () => {
    await expectRefused('bad-request', () => ask({ path: '/api/folders?path=%00' }));
    await expectRefused('bad-request', () => ask({ path: `/api/folders?path=${'x'.repeat(5000)}` }));
  });
});

describe('what cannot be done', () => {
  it('an input that is not there', async () => {
    await expectRefused('not-found', () => ask({ path: `/api/sessions/${session}/inputs/${uuid()}` }));
  });
  it('attachments, until there is a store for them', async () => {
    const part = { type: 'attachment', sha256: 'a'.repeat(64), name: 'a.png', mime: 'image/png' };
    await expectRefused('not-implemented', () => put(JSON.stringify({ content: [part], delivery: 'steer' })));
    await expectRefused('not-implemented', () => put('{}', JSON_TYPE, `/api/blobs/${'a'.repeat(64)}`));
  });
  it('a change of nothing', async () => {
    for (const path of [`/api/sessions/${session}`, `/api/sessions/${session}/inputs/${input}`, '/api/settings'])
      await expectRefused('bad-request', () =>
        ask({ method: 'PATCH', path, headers: JSON_TYPE, body: JSON.stringify({ commandId: uuid() }) }),
      );
  });
  it('a workspace outside of the roots', async () => {
    await expectRefused('bad-workspace', () => put(JSON.stringify({ workspace: '/etc' }), JSON_TYPE, `/api/sessions/${uuid()}`));
  });
  it('a session that nobody knows', async () => {
    const unknown = uuid();
    for (const path of ['timeline', 'log', 'chunks', 'turns'])
      await expectRefused('not-found', () => ask({ path: `/api/sessions/${unknown}/${path}` }));
    await expectRefused('not-found', () => put(JSON.stringify(words('x')), JSON_TYPE, `/api/sessions/${unknown}/inputs/${uuid()}`));
    await expectRefused('not-found', () => ask({ method: 'POST', path: `/api/sessions/${unknown}/interrupt` }));
  });
});

describe('a fault of our own', () => {
  it('is said without its insides, may be tried again, and is reported', async () => {
    const own = await openStand();
    own.store.settings = () => Promise.reject(new Error('secret: /home/someone/cairn.db is locked'));
    const answer = await own.call('GET', '/settings');
    expect(answer.status).toBe(500);
    expect((answer.json as ErrorBody).error).toMatchObject({ code: 'internal', retryable: true });
    expect(answer.text).not.toMatch(/secret|cairn\.db/);
    expect(answer.headers[EPOCH_HEADER.toLowerCase()]).toBe(own.store.epoch);
    expect(own.reports).toContain('http-fault');
    await own.close();
  });
});
