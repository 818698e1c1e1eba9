import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { watchedFetch } from '../../server/agent/transport.ts';
import { testEffects } from '../wire/session.ts';

const servers: http.Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});
async function serve(listener: http.RequestListener): Promise<string> {
  const server = http.createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const fetchWith = (silenceMs = 5000) => watchedFetch(testEffects().timers, silenceMs);

test('a text body goes out whole, status, headers and body come back', async () => {
  const url = await serve((request, response) => {
    request.setEncoding('utf8');
    let body = '';
    request.on('data', (piece: string) => (body += piece));
    request.on('end', () => response.writeHead(201, { 'x-length': request.headers['content-length']! }).end(body.toUpperCase()));
  });
  const answer = await fetchWith()(url, { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'grün 🪨' });
  expect([answer.status, answer.headers.get('x-length'), await answer.text()]).toEqual([201, '10', 'GRÜN 🪨']);
});

test('what arrived before a connection broke is read before the break is met', async () => {
  const url = await serve((_request, response) => {
    response.writeHead(200);
    response.write('one ');
    response.write('two ', () => setTimeout(() => response.destroy(), 20));
  });
  const answer = await fetchWith()(url);
  await new Promise((resolve) => setTimeout(resolve, 80));
  const reader = answer.body!.getReader();
  let text = '';
  const read = async (): Promise<void> => {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      text += new TextDecoder().decode(value);
    }
  };
  await expect(read()).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(text).toBe('one two ');
});

test('more than a slow reader takes is held back at the server, and all of it arrives in the end', async () => {
  const size = 48 * 1024 * 1024;
  let sent = 0;
  const url = await serve((_request, response) => {
    const block = Buffer.alloc(64 * 1024, 'x');
    const more = (): void => {
      while (sent < size) {
        sent += block.length;
        if (!response.write(block)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  const answer = await fetchWith()(url);
  await new Promise((resolve) => setTimeout(resolve, 150));
  expect(sent).toBeLessThan(size);
  expect((await answer.arrayBuffer()).byteLength).toBe(size);
});

test('an abort ends the request at the server, before and after the headers', async () => {
  const closed: string[] = [];
  const url = await serve((request, response) => {
    request.on('error', () => undefined);
    response.on('close', () => closed.push(request.url!));
    if (request.url === '/late') response.write('x');
  });
  const early = new AbortController();
  const waiting = fetchWith()(`${url}/early`, { signal: early.signal });
  setTimeout(() => early.abort(), 30);
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  const late = new AbortController();
  const answer = await fetchWith()(`${url}/late`, { signal: late.signal });
  late.abort();
  await expect(answer.text()).rejects.toMatchObject({ name: 'AbortError' });
  await expect(fetchWith()(url, { signal: late.signal })).rejects.toMatchObject({ name: 'AbortError' });
  await expect.poll(() => closed).toEqual(['/early', '/late']);
});

test('a redirect is not followed, so a key goes nowhere else', async () => {
  const url = await serve((_request, response) => response.writeHead(307, { location: 'http://192.0.2.1/' }).end());
  expect((await fetchWith()(url)).status).toBe(307);
});
