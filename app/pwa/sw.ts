/**
 * The service worker: the shell and its files, and the outbox once every window is closed. It answers from the precache only;
 * whatever is under `/api` is never seen by a route here, so no answer of the server's is cached and no stream keeps the worker
 * busy (R16, B17).
 */
import type { Report } from '#shared/ports.ts';
import { SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { createHandlerBoundToURL, precacheAndRoute, type PrecacheEntry } from 'workbox-precaching';
import { NavigationRoute, registerRoute } from 'workbox-routing';
import { diskOwn } from '../own/indexeddb.ts';
import { flushInBackground } from '../sync/background.ts';
import { clock, FLUSH_TAG, locks, openChannel, OWN_DATABASE, random, request, timers } from './browser.ts';
import { navigationDenylist } from './deny.ts';

/** Background Sync, which the types of a worker do not have. */
interface SyncEvent extends ExtendableEvent {
  readonly tag: string;
}
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

const channel = openChannel();
const report: Report = (event, facts) => console.warn(`[cairn] ${event}`, facts ?? '');
/** One at a time here; other flushers are told apart by the lock. */
let flushing: Promise<void> | null = null;
async function flush(): Promise<void> {
  const own = diskOwn(OWN_DATABASE, { indexedDB, IDBKeyRange, timers });
  try {
    const done = await flushInBackground({ own, fetch: request, locks, channel, clock, random, timers, report });
    if (!done) throw new Error('some of it could not be handed over yet');
  } finally {
    // An open database here would hold up a page that brings a newer one.
    own.close();
  }
}
/** The browser says that there may be a network. A promise that rejects makes it ask again later. */
self.addEventListener('sync', (event) => {
  const sync = event as SyncEvent;
  if (sync.tag !== FLUSH_TAG) return;
  flushing ??= flush().finally(() => (flushing = null));
  sync.waitUntil(flushing);
});
