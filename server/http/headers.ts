/**
 * Headers that keep what a model or a tool wrote from running or fetching anything (law 18), on every answer. The page's
 * policy is a header and not a tag, so that it also covers the shell that the worker keeps and serves.
 */
import helmet from 'helmet';
import type { RequestHandler } from 'express';

/** The page: everything from here, no inline script or style, no frame, no plug-in. */
const PAGE = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'blob:'],
  connectSrc: ["'self'"],
  workerSrc: ["'self'"],
  manifestSrc: ["'self'"],
  objectSrc: ["'none'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
  formAction: ["'self'"],
};
/** Data, should it ever be opened as a page: nothing at all. */
const DATA = { defaultSrc: ["'none'"], frameAncestors: ["'none'"], sandbox: [] };

function headers(directives: Record<string, string[]>): RequestHandler {
  return helmet({
    contentSecurityPolicy: { useDefaults: false, directives },
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    // A self-made certificate today must not lock a host name, with all its ports, to HTTPS for months.
    strictTransportSecurity: false,
  });
}

export const pageHeaders: () => RequestHandler = () => headers(PAGE);
export const dataHeaders: () => RequestHandler = () => headers(DATA);
