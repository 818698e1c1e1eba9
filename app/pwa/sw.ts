/**
 * The service worker: the shell and its files, and nothing else. It answers from the precache only; whatever is under `/api`
 * is never seen by a route here, so no answer of the server's is cached and no stream keeps the worker busy (R16, B17).
 */
import { SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { createHandlerBoundToURL, precacheAndRoute, type PrecacheEntry } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { navigationDenylist } from './deny.ts';

declare const self: ServiceWorkerGlobalScope & { __WB_MANIFEST: (PrecacheEntry | string)[] };

// The build replaces this name by the list of files.
precacheAndRoute(self.__WB_MANIFEST);
registerRoute(new NavigationRoute(createHandlerBoundToURL('/index.html'), { denylist: navigationDenylist(SERVER_PREFIXES) }));

/** The very first worker takes the page it came with, so that the app works offline from its first load. */
let first = false;
self.addEventListener('install', () => {
  first = self.registration.active === null;
});
self.addEventListener('activate', (event) => {
  if (first) event.waitUntil(self.clients.claim());
});

/** A later one waits until the user lets it in: never under somebody who types (B16). */
self.addEventListener('message', (event) => {
  const data: unknown = event.data;
  if (typeof data === 'object' && data !== null && 'type' in data && data.type === 'SKIP_WAITING') void self.skipWaiting();
});
