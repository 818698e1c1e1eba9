/** One HTTP exchange with the server's real request handler, without a wire: a request made of parts, an answer taken apart. */
import { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

export interface Asked {
  method: string;
  path: string;
  headers: Readonly<Record<string, string>>;
  body: string | undefined;
}
export interface Answered {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  text: string;
}
/** What the handlers read of a connection. */
const CONNECTION = { remoteAddress: '127.0.0.1', encrypted: false, destroyed: false, destroy: () => undefined } as unknown as Socket;

export function requestOf({ method, path, headers, body }: Asked): IncomingMessage {
  const request = new IncomingMessage(CONNECTION);
  const all = body === undefined ? headers : { ...headers, 'content-length': String(Buffer.byteLength(body)) };
  request.method = method;
  request.url = path;
  request.headers = { ...all };
  request.rawHeaders = Object.entries(all).flat();
  request.httpVersion = '1.1';
  request.complete = true;
  if (body !== undefined) request.push(Buffer.from(body));
  request.push(null);
  return request;
}

/** Hands the request over; `answered` is called with the whole answer, at most once. `date`: what the server's clock says. */
export function exchange(
  handler: (request: IncomingMessage, response: ServerResponse) => void,
  asked: Asked,
  date: () => number,
  answered: (answer: Answered) => void,
): void {
  const request = requestOf(asked);
  const response = new ServerResponse(request);
  let text = '';
  let ended = false;
  const take = (chunk: unknown): void => {
    if (typeof chunk === 'string') text += chunk;
    else if (chunk instanceof Uint8Array) text += Buffer.from(chunk).toString('utf8');
  };
  const end = (chunk?: unknown): ServerResponse => {
    take(chunk);
    if (ended) return response;
    ended = true;
    const headers: Record<string, string> = { date: new Date(date()).toUTCString() };
    for (const [name, value] of Object.entries(response.getHeaders()))
      headers[name] = Array.isArray(value) ? value.join('\n') : String(value);
    answered({ status: response.statusCode, headers, text });
    return response;
  };
  Object.assign(response, { end, write: (chunk: unknown) => (take(chunk), true) });
  handler(request, response);
}
