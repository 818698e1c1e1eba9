/** What the door needs to know of a request, read from the raw headers, where a repeated Host still shows. */
import type { IncomingMessage } from 'node:http';
import type { Knock } from '../auth/door.ts';

export function knockOf(request: IncomingMessage, upgrade: boolean): Knock {
  const hosts: string[] = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2)
    if (request.rawHeaders[at]!.toLowerCase() === 'host') hosts.push(request.rawHeaders[at + 1]!);
  const { origin, authorization, cookie } = request.headers;
  return { hosts, origin, authorization, cookie, method: request.method ?? 'GET', upgrade };
}
