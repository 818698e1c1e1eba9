/**
 * The demo model's server: the Anthropic wire on a free port of 127.0.0.1, for this process alone. It takes only the key
 * that it made itself, so that no other program on the machine, and no page in a browser, can talk to it.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random, Report, Timers } from '#shared/ports.ts';
import type { WireMessage } from '../wire-types.ts';
import { answer } from './answer.ts';
import { streamAnswer } from './stream.ts';

export const DEMO_MODEL = 'cairn-demo';
const MOST_BYTES = 64 * 1024 * 1024;

export interface DemoServer {
  url: string;
  key: string;
  close(): Promise<void>;
}

const NO = { supported: false };
const YES = { supported: true };
const DESCRIPTION = {
  type: 'model',
  id: DEMO_MODEL,
  display_name: 'Demo model',
  created_at: '2026-01-01T00:00:00Z',
  lifecycle: 'active',
  max_input_tokens: null,
  max_tokens: 32_000,
  capabilities: { thinking: { supported: true, types: { adaptive: YES, enabled: NO, disabled: YES, between_tools: NO } }, effort: NO },
};

export async function startDemoServer(parts: { random: Random; timers: Timers; report: Report; paceMs: number }): Promise<DemoServer> {
  const key = `demo-${Buffer.from(parts.random.bytes(24)).toString('base64url')}`;
  const server = http.createServer((request, response) => {
    serve(request, response).catch((error: unknown) => {
      parts.report('demo.failed', { error });
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'api_error', 'the demo model failed');
    });
  });

  async function serve(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    if (!sameKey(request.headers.authorization ?? '', `Bearer ${key}`)) return refuse(response, 401, 'authentication_error', 'wrong key');
    const path = (request.url ?? '').split('?')[0];
    if (request.method === 'GET' && path === '/v1/models') return json(response, { data: [DESCRIPTION], has_more: false });
    if (request.method === 'GET' && path === `/v1/models/${DEMO_MODEL}`) return json(response, DESCRIPTION);
    if (request.method !== 'POST' || path !== '/v1/messages') return refuse(response, 404, 'not_found_error', 'no such path');
    const raw = await bodyOf(request);
    if (raw === null) return refuse(response, 413, 'invalid_request_error', 'the request is too large');
    const body = JSON.parse(raw) as { messages: WireMessage[] };
    const tag = `demo_${createHash('sha256').update(raw).digest('hex').slice(0, 20)}`;
    const stream = { response, timers: parts.timers, paceMs: parts.paceMs, model: DEMO_MODEL, tag, inputTokens: Math.ceil(raw.length / 4) };
    await streamAnswer(answer(body.messages), stream);
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sameKey(given: string, expected: string): boolean {
  const a = createHash('sha256').update(given).digest();
  return timingSafeEqual(a, createHash('sha256').update(expected).digest());
}

async function bodyOf(request: http.IncomingMessage): Promise<string | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += (chunk as Buffer).length;
    if (size > MOST_BYTES) return null;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function json(response: http.ServerResponse, value: unknown): void {
  response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
}

function refuse(response: http.ServerResponse, status: number, type: string, message: string): void {
  response.statusCode = status;
  json(response, { type: 'error', error: { type, message } });
}
