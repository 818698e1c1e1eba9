/**
 * A strict double of the Anthropic Messages API, on loopback, for tests that go through the real SDK.
 *
 *   const double = await startDouble({
 *     script: async (request, reply) => {
 *       if (request.results.length === 0) return reply.tool('list', {});
 *       await reply.text('All done.');
 *     },
 *   });
 *   … point the agent at `double.url`, any key …
 *   expect(double.log.flatMap((entry) => entry.breaches)).toEqual([]);
 *   await double.close();
 *
 * - Each `POST /v1/messages` is held against the API's rules (`rules.ts`, WIRE 5). A breach is answered with a 400 that names
 *   every broken rule and lands in `log[n].breaches`; the script is not asked.
 * - Else `script(request, reply)` writes the answer (`Reply`): `text`, `thinking` (signed, the signature bound to all lines
 *   before it), `redacted`, `tool`, `ping`, `error` (in the stream), `fail` (an HTTP status: 529, 429 with `retry-after` …),
 *   `silence`, `drop` (cut), `finish` (end with no `message_stop`), `end('max_tokens' | 'refusal' | 'pause_turn' …)`, or single
 *   events with `open`, `delta`, `close`, `send`. A script that returns without ending has its message ended for it, with
 *   `tool_use` when it called a tool, else `end_turn`. With no script every answer is "ok".
 * - `script` may be replaced at any time: `double.script = …`.
 */
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { blocksOf, type WireBody } from './lines.ts';
import { doubleModel, type DoubleModel } from './models.ts';
import { Reply } from './reply.ts';
import { breaches, coveredLines } from './rules.ts';

export { doubleModel, type DoubleModel } from './models.ts';
export { Reply } from './reply.ts';
export { wireLines, type WireBody, type WireBlock, type WireMessage } from './lines.ts';

export interface DoubleRequest {
  /** From 0. */
  n: number;
  at: number;
  raw: string;
  body: WireBody;
  headers: http.IncomingHttpHeaders;
  breaches: string[];
  reply: Reply;
  /** Text of the newest user message, blocks joined by a newline. */
  words: string;
  /** Text of the newest user message that has any, and how many answers followed it. */
  prompt: string;
  round: number;
  /** Tool results of the newest message. */
  results: { id: string; text: string; isError: boolean }[];
}
export type Script = (request: DoubleRequest, reply: Reply) => void | Promise<void>;
export interface DoubleOptions {
  script?: Script;
  profile?: 'anthropic' | 'plain';
  /** Null: the server has no `/v1/models`. */
  models?: DoubleModel[] | null;
  /** Signs thinking; a double with another secret rejects it. */
  secret?: string;
  port?: number;
}
export interface Double {
  url: string;
  log: DoubleRequest[];
  /** Paths of every other request, such as `/v1/models`. */
  others: string[];
  script: Script;
  secret: string;
  close(): Promise<void>;
}

/** Starts a double on a free port of 127.0.0.1. */
export async function startDouble(options: DoubleOptions = {}): Promise<Double> {
  const models = options.models === undefined ? [doubleModel()] : options.models;
  const issued = new Map<string, string | null>();
  const double: Double = {
    url: '',
    log: [],
    others: [],
    script: options.script ?? ((_request, reply) => reply.text('ok')),
    secret: options.secret ?? 'double',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  let paused = false;

  const messages = async (request: http.IncomingMessage, raw: string, response: http.ServerResponse): Promise<void> => {
    const body = JSON.parse(raw) as WireBody;
    const context = { profile: options.profile ?? 'anthropic', models: models ?? [], secret: double.secret, issued, paused } as const;
    const bad = breaches(body, context);
    const reply = new Reply(response, {
      model: body.model ?? '',
      secret: double.secret,
      covered: coveredLines(body),
      lastRole: body.messages.at(-1)?.role ?? '',
      issue: (signature, before) => issued.set(signature, before),
      newId: (prefix) => `${prefix}_${randomUUID().replaceAll('-', '').slice(0, 24)}`,
    });
    const entry: DoubleRequest = {
      n: double.log.length,
      at: Date.now(),
      raw,
      body,
      headers: request.headers,
      breaches: bad,
      reply,
      ...readings(body),
    };
    double.log.push(entry);
    if (bad.length > 0) return reply.fail(400, 'invalid_request_error', bad.join('; '));
    await double.script(entry, reply);
    if (!reply.done && !reply.aborted) reply.end();
    paused = reply.stopReason === 'pause_turn';
  };

  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0]!;
      if (request.method === 'POST' && path === '/v1/messages') {
        messages(request, Buffer.concat(chunks).toString('utf8'), response).catch((error: unknown) => {
          response.destroy(error instanceof Error ? error : new Error(String(error)));
        });
        return;
      }
      double.others.push(path);
      const one = /^\/v1\/models\/(.+)$/.exec(path);
      const found = one === null ? undefined : models?.find((model) => model.id === decodeURIComponent(one[1]!));
      response.setHeader('content-type', 'application/json');
      if (found !== undefined) response.end(JSON.stringify(found));
      else if (path === '/v1/models' && models !== null) {
        response.end(
          JSON.stringify({ data: models, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null }),
        );
      } else {
        response.statusCode = 404;
        response.end(JSON.stringify({ type: 'error', error: { type: 'not_found_error', message: path } }));
      }
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  double.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return double;
}

function readings(body: WireBody): Pick<DoubleRequest, 'words' | 'prompt' | 'round' | 'results'> {
  const textOf = (at: number): string =>
    blocksOf(body.messages[at]!)
      .filter((block) => block.type === 'text')
      .map((block) => String(block['text']))
      .join('\n');
  const last = body.messages.length - 1;
  const at = body.messages.findLastIndex((message, n) => message.role === 'user' && textOf(n) !== '');
  const results = last < 0 ? [] : blocksOf(body.messages[last]!).filter((block) => block.type === 'tool_result');
  return {
    words: last < 0 ? '' : textOf(last),
    prompt: at < 0 ? '' : textOf(at),
    round: at < 0 ? 0 : body.messages.slice(at + 1).filter((message) => message.role === 'assistant').length,
    results: results.map((block) => ({
      id: String(block['tool_use_id']),
      text: typeof block['content'] === 'string' ? block['content'] : JSON.stringify(block['content']),
      isError: block['is_error'] === true,
    })),
  };
}
