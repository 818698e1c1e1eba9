/** The built app: its files, precompressed, and the page itself for every navigation that is not the server's own. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import sirv from 'sirv';
import { CodedError } from '#shared/protocol/errors.ts';
import { SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import type { Allowed } from '../auth/allowed.ts';
import { checkHost } from '../auth/door.ts';
import { knockOf } from './knock.ts';

export interface ShellParts {
  /** The built app's folder; null: it is not built. */
  dir: string | null;
  allowed(): Allowed;
}

/** Answers every request that the API did not. Needs an allowed Host and nothing else: the worker and the manifest come without cookies. */
export function shellHandler({ dir, allowed }: ShellParts): (request: IncomingMessage, response: ServerResponse) => void {
  const files = dir === null ? null : sirv(dir, { brotli: true, gzip: true, etag: true, setHeaders: cacheRule });
  return (request, response) => {
    const doors = allowed();
    const { hosts } = knockOf(request, false);
    try {
      checkHost(hosts, doors);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      return plain(response, error.status, error.message);
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return plain(response, 405, 'Only GET and HEAD are answered here.');
    }
    const url = request.url ?? '/';
    const path = url.split('?')[0]!;
    const navigates = isNavigation(request);
    // One origin only: each would have a worker, a mirror and an outbox of its own.
    if (navigates && url.startsWith('/') && doors.aliases.has(hosts[0]!)) {
      response.setHeader('Location', doors.canonical + url);
      response.setHeader('Cache-Control', 'no-store');
      return plain(response, 307, doors.canonical);
    }
    const missing = (): void => plain(response, 404, 'Not found.');
    if (isServerPath(path)) return missing();
    const opens = navigates && !path.startsWith('/assets/');
    if (files === null) return opens ? plain(response, 503, 'The app is not built. Run npm start, or npm run build.') : missing();
    if (!opens) return files(request, response, missing);
    files(request, response, () => {
      request.url = '/';
      files(request, response, missing);
    });
  };
}

/** First segments that belong to the server: a page there would hide a missing route behind the app. */
function isServerPath(path: string): boolean {
  return SERVER_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

/** A person opening a page, not a script or a link of it being fetched. */
function isNavigation(request: IncomingMessage): boolean {
  const mode = request.headers['sec-fetch-mode'];
  return mode === undefined ? (request.headers.accept ?? '').includes('text/html') : mode === 'navigate';
}

/** Names under `/assets/` hold a hash of their content; everything else is asked for anew, which the ETag makes cheap. */
function cacheRule(response: ServerResponse, path: string): void {
  response.setHeader('Cache-Control', path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache');
}

function plain(response: ServerResponse, status: number, words: string): void {
  response.statusCode = status;
  response.setHeader('Content-Type', 'text/plain; charset=utf-8');
  response.end(`${words}\n`);
}
