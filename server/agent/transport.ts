/**
 * A `fetch` for model servers, over Node's own HTTP, that watches the bytes. The SDK's timeout ends at the headers and it
 * hides pings, and the built-in fetch gives up after 300 s without a byte, which a local model reading a long prompt can
 * take: so the limit of silence is ours alone (WIRE 4). Any byte counts as life.
 */
import http from 'node:http';
import https from 'node:https';
import type { Timers } from '#shared/ports.ts';

/** Nothing came for as long as the limit allows. */
export class SilenceError extends Error {
  constructor(ms: number) {
    super(`nothing was heard for ${Math.round(ms / 1000)} s`);
    this.name = 'SilenceError';
  }
}

/** What may wait for a slow reader before the connection is held back. */
const MOST_QUEUED_BYTES = 256 * 1024;

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Redirects are not followed: a model server has no reason to send one, and a key must not travel with it. */
export function watchedFetch(timers: Timers, silenceMs: number): Fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const { signal, body } = init;
      if (signal?.aborted === true) return reject(abortError());
      if (body !== undefined && body !== null && typeof body !== 'string') return reject(new TypeError('only a text body can be sent'));
      const send = url.protocol === 'https:' ? https.request : http.request;
      const request = send(url, { method: init.method ?? 'GET', headers: Object.fromEntries(new Headers(init.headers)) });

      let disarm: (() => void) | null = null;
      const arm = (): void => {
        disarm?.();
        disarm = timers.after(silenceMs, () => request.destroy(new SilenceError(silenceMs)));
      };
      const aborted = (): void => void request.destroy(abortError());
      signal?.addEventListener('abort', aborted, { once: true });
      const finish = (): void => {
        disarm?.();
        signal?.removeEventListener('abort', aborted);
      };

      request.on('error', (error) => {
        finish();
        reject(error);
      });
      request.on('response', (response) => {
        arm();
        resolve(
          new Response(bodyOf(request, response, arm, finish), {
            status: response.statusCode ?? 502,
            statusText: response.statusMessage ?? '',
            headers: headersOf(response),
          }),
        );
      });
      arm();
      request.end(body ?? undefined);
    });
}

function bodyOf(
  request: http.ClientRequest,
  response: http.IncomingMessage,
  alive: () => void,
  finish: () => void,
): ReadableStream<Uint8Array> | null {
  const status = response.statusCode ?? 0;
  if (status === 204 || status === 205 || status === 304) {
    response.resume();
    finish();
    return null;
  }
  let over = false;
  let wanted = false;
  let fault: Error | null = null;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const fail = (error: Error): void => {
          if (over) return;
          over = true;
          finish();
          // An error throws away what is queued: what did arrive is read first, and the error met after it.
          fault = error;
          if (wanted) controller.error(error);
        };
        // The request's own error (silence, abort) tells more than the broken response that follows from it.
        request.on('error', fail);
        response.on('error', fail);
        response.on('close', () => fail(new Error('the connection was closed')));
        response.on('end', () => {
          if (over) return;
          over = true;
          finish();
          controller.close();
        });
        response.on('data', (chunk: Buffer) => {
          if (over) return;
          alive();
          wanted = false;
          controller.enqueue(new Uint8Array(chunk));
          if ((controller.desiredSize ?? 0) < -MOST_QUEUED_BYTES) response.pause();
        });
      },
      pull(controller) {
        if (fault !== null) return controller.error(fault);
        wanted = true;
        response.resume();
      },
      cancel() {
        over = true;
        finish();
        request.destroy();
      },
    },
    // Nothing is wanted ahead: `pull` means that a reader waits and the queue is empty.
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
}

function headersOf(response: http.IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(response.headers)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}

function abortError(): DOMException {
  return new DOMException('The request was aborted', 'AbortError');
}
