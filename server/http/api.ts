/**
 * Everything under `/api`: the door first, for every path that exists or not; then the resource, its method, its body. Every
 * answer, failures and 404s too, carries the epoch header and is never cached.
 */
import { type NextFunction, type Request, type Response, Router } from 'express';
import { CodedError } from '#shared/protocol/errors.ts';
import { LIMITS } from '#shared/protocol/limits.ts';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import type { Caller, Knock, Need } from '../auth/door.ts';
import { blobResource } from './blobs.ts';
import { readJson } from './body.ts';
import { controlResources } from './controls.ts';
import { deviceResources } from './devices.ts';
import { folderResource } from './folders.ts';
import { healthResource } from './health.ts';
import { historyResources } from './history.ts';
import { inputResource } from './inputs.ts';
import { knockOf } from './knock.ts';
import { liveResource } from './live.ts';
import { modelResource } from './models.ts';
import type { HttpParts } from './parts.ts';
import { refusalOf } from './refusal.ts';
import type { Answer, Method, Resource } from './resource.ts';
import { sessionResources } from './sessions.ts';
import { settingsResource } from './settings.ts';

/** Every resource of the contract; tests walk this list. */
export function resourcesOf(parts: HttpParts): Resource[] {
  return [
    healthResource(parts),
    ...sessionResources(parts),
    ...historyResources(parts),
    inputResource(parts),
    ...controlResources(parts),
    folderResource(parts),
    ...deviceResources(parts),
    blobResource(parts),
    modelResource(parts),
    settingsResource(parts),
    liveResource(),
  ];
}

/** Who knocked, kept between the door and the resource. */
interface Passed {
  knock: Knock;
  caller: Caller;
}

export function apiRouter(parts: HttpParts): Router {
  const router = Router({ strict: true, caseSensitive: true });
  const resources = resourcesOf(parts);
  const needs = new Map<string, Need>(resources.flatMap(({ path, need }) => (need ? [[path, need] as const] : [])));
  const passed = new WeakMap<Request, Passed>();

  // Express passes a rejected promise on to the error handler below.
  router.use((request, response, next) => {
    response.setHeader(EPOCH_HEADER, parts.store.epoch);
    response.setHeader('Cache-Control', 'no-store');
    const knock = knockOf(request, false);
    return parts.door.admit(knock, needs.get(request.path) ?? 'token').then((caller) => {
      passed.set(request, { knock, caller });
      next();
    });
  });
  for (const resource of resources)
    router.all(resource.path, (request, response) =>
      answerOf(resource, request, passed.get(request)!).then((answer) => send(response, answer)),
    );
  router.use(() => {
    throw new CodedError('not-found', 'There is no such path.');
  });
  router.use((error: unknown, request: Request, response: Response, next: NextFunction) => {
    // Half an answer is out already: only the connection can say that it failed.
    if (response.headersSent) return next(error);
    const { status, headers, json } = refusalOf(error, parts.report, `${request.method} ${request.path}`);
    // What was not read of the request would be taken for the next one.
    if (!request.complete) response.setHeader('Connection', 'close');
    send(response, { status, headers, json });
  });
  return router;
}

async function answerOf(resource: Resource, request: Request, { knock, caller }: Passed): Promise<Answer> {
  const asked = request.method === 'HEAD' ? 'GET' : request.method;
  const handler = Object.hasOwn(resource.methods, asked) ? resource.methods[asked as Method] : undefined;
  if (!handler) {
    const methods = Object.keys(resource.methods).join(', ');
    const refusal = new CodedError('method-not-allowed', `This path answers ${methods} only.`);
    return { status: refusal.status, headers: { Allow: methods }, json: refusal.toBody() };
  }
  const body = asked === 'GET' ? undefined : await readJson(request, LIMITS.bodyBytes);
  const params = Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]));
  return handler({ params, query: request.query, body, caller, knock, peer: request.socket.remoteAddress ?? '' });
}

function send(response: Response, answer: Answer): void {
  response.status(answer.status);
  for (const [name, value] of Object.entries(answer.headers ?? {})) response.setHeader(name, value);
  if ('bytes' in answer) {
    response.setHeader('Content-Length', answer.bytes.byteLength);
    response.end(response.req.method === 'HEAD' ? undefined : answer.bytes);
    return;
  }
  response.json(answer.json);
}
