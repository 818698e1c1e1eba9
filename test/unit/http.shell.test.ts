/** The built app over HTTP: what is cached for ever, what never, which paths are the page and which must not be. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, brotliCompressSync } from 'node:zlib';
import http from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { type Answered, type HttpStand, openStand } from '../support/http-stand.ts';

const PAGE = '<!doctype html><div id="app"></div>';
const navigation = { accept: 'text/html,application/xhtml+xml', 'sec-fetch-mode': 'navigate' };
let dir: string;
let stand: HttpStand;
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'cairn-shell-'));
  mkdirSync(join(dir, 'assets'));
  for (const [name, text] of Object.entries({
    'index.html': PAGE,
    'sw.js': 'self.x = 1;',
    'manifest.webmanifest': '{}',
    'assets/main-abc.js': 'export {};'.repeat(100),
  })) {
    writeFileSync(join(dir, name), text);
    writeFileSync(join(dir, `${name}.br`), brotliCompressSync(text));
  }
  stand = await openStand({ shell: dir });
});
afterAll(async () => {
  await stand.close();
  rmSync(dir, { recursive: true });
});
const get = (path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answered> => stand.raw({ method, path, headers });

describe('the shell', () => {
  it.each(['/', '/session/01890000-0000-7000-8000-000000000001', '/settings?x=1', '/a.b/c.d', '/sessions'])(
    'is the page for a navigation to %s, with its policy, and asked for anew each time',
    async (path) => {
      const answer = await get(path, navigation);
      expect([answer.status, answer.text]).toEqual([200, PAGE]);
      expect(answer.headers['cache-control']).toBe('no-cache');
      expect(answer.headers['content-type']).toMatch(/^text\/html/);
      expect(answer.headers['content-security-policy']).toMatch(/^default-src 'self'/);
    },
  );

  it('needs no token, and neither do manifest and worker', async () => {
    for (const path of ['/sw.js', '/manifest.webmanifest', '/index.html']) {
      const answer = await get(path);
      expect([path, answer.status, answer.headers['cache-control']]).toEqual([path, 200, 'no-cache']);
    }
  });

  it('keeps hashed files for ever, and answers what is not there with 404, never with the page', async () => {
    const answer = await get('/assets/main-abc.js');
    expect([answer.status, answer.headers['cache-control']]).toEqual([200, 'public, max-age=31536000, immutable']);
    for (const headers of [{}, navigation]) {
      const missing = await get('/assets/main-old.js', headers);
      expect([missing.status, missing.text]).toEqual([404, 'Not found.\n']);
    }
    expect((await get('/favicon.ico')).status).toBe(404);
  });

  it('B14: a navigation to a path of the server’s own gets its own answer, never the page', async () => {
    const paths = [...SERVER_PREFIXES.flatMap((prefix) => [prefix, `${prefix}/files/x.html`]), '/auth/callback', '/api/files/x.html'];
    for (const path of paths) {
      const answer = await get(path, navigation);
      expect([401, 404], path).toContain(answer.status);
      expect(answer.text, path).not.toContain('id="app"');
    }
    for (const near of ['/apiary', '/wsx']) expect((await get(near, navigation)).status, near).toBe(200);
  });

  it('B14: unknown API paths are 404 in JSON, also for a navigation', async () => {
    const answer = await get('/api/files/x.html', { ...navigation, ...stand.bearer });
    expect([answer.status, answer.json]).toMatchObject([404, { error: { code: 'not-found' } }]);
  });

  it('is sent compressed to who takes it', async () => {
    const bytes = await new Promise<{ encoding: string | undefined; body: Buffer }>((resolve, reject) => {
      http
        .get(
          { host: '127.0.0.1', port: stand.port, path: '/assets/main-abc.js', headers: { 'accept-encoding': 'br' }, agent: false },
          (response) => {
            const pieces: Buffer[] = [];
            response.on('data', (piece: Buffer) => pieces.push(piece));
            response.on('end', () => resolve({ encoding: response.headers['content-encoding'], body: Buffer.concat(pieces) }));
          },
        )
        .on('error', reject);
    });
    expect(bytes.encoding).toBe('br');
    expect(brotliDecompressSync(bytes.body).toString()).toBe('export {};'.repeat(100));
  });

  it('reaches nothing outside of its folder', async () => {
    for (const path of ['/../package.json', '/..%2f..%2fetc/passwd', '/assets/../../secret', '/%2e%2e/%2e%2e/etc/passwd'])
      expect([400, 404], path).toContain((await get(path)).status);
  });

  it('is read only', async () => {
    const answer = await get('/', {}, 'POST');
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });

  it('not built, says so', async () => {
    const bare = await openStand();
    const answer = await bare.raw({ path: '/', headers: navigation });
    expect([answer.status, answer.text]).toEqual([503, expect.stringContaining('not built')]);
    expect((await bare.raw({ path: '/assets/x.js' })).status).toBe(404);
    await bare.close();
  });
});

describe('one canonical origin', () => {
  it('navigations to our other names go to 127.0.0.1, path and query kept', async () => {
    for (const name of ['localhost', '[::1]']) {
      const answer = await get('/session/x?y=1', { ...navigation, host: `${name}:${stand.port}` });
      expect([answer.status, answer.headers['location']]).toEqual([307, `${stand.origin}/session/x?y=1`]);
    }
  });
  it('what a page fetches under them is answered where it is', async () => {
    const host = `localhost:${stand.port}`;
    expect((await get('/sw.js', { host, 'sec-fetch-mode': 'no-cors' })).status).toBe(200);
    expect((await get('/api/health', { ...navigation, host })).status).toBe(200);
  });
  it('never leads anywhere else', async () => {
    const answer = await get('//evil.test/x', { ...navigation, host: `localhost:${stand.port}` });
    expect(new URL(answer.headers['location'] as string).host).toBe(stand.host);
  });
  it('bound to all addresses nobody is sent to the loopback one', async () => {
    const open = await openStand({ shell: dir, bound: () => ({ address: '0.0.0.0', port: 4646 }) });
    const answer = await open.raw({ path: '/', headers: { ...navigation, host: 'localhost:4646' } });
    expect(answer.status).toBe(200);
    await open.close();
  });
});

describe('before recovery is through', () => {
  it('requests wait, and are answered after', async () => {
    const early = await openStand({}, { open: false });
    let answered = false;
    const asked = early.call('GET', '/sessions').then((answer) => {
      answered = true;
      return answer;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(answered).toBe(false);
    early.app.open();
    expect((await asked).status).toBe(200);
    await early.close();
  });
});
