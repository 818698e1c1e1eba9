/** The page's side of the worker: it registers, looks for a new version now and then, and lets it in when told. */
import { Workbox } from 'workbox-window';
import { FLUSH_TAG } from './browser.ts';
import { lookIsDue } from './look.ts';

const SCRIPT = '/sw.js';

export interface Worker {
  /** Lets the newest version in and reloads this window, and no other; one that is not here yet is fetched. With none it reloads as it is. */
  update(): void;
  /**
   * What waits here and is not with the server: with a live link that is soon over, else the browser is asked to wake the worker
   * for it (Background Sync), also with every window closed. Where there is none, the next opening of the app flushes.
   */
  holding(some: boolean, live: boolean): void;
}
/** Milliseconds that a new version has to come in once it is asked for. */
const NEW_WITHIN_MS = 20_000;
/** Milliseconds that a live link has for it. */
const SENT_WITHIN_MS = 2_000;
/** Background Sync, which not every browser has and no type here. */
interface SyncRegistration extends ServiceWorkerRegistration {
  readonly sync?: { register(tag: string): Promise<void> };
}

/** No worker (a private window, a browser that forbids it) or no network: the app works without, and the next look tells. */
const quiet = (): undefined => undefined;
const reload = (): void => location.reload();

/** `onUpdate`: a new version is installed and waits. Called again for each page that finds one waiting. */
export function registerWorker(options: { onUpdate: () => void }): Worker {
  if (!('serviceWorker' in navigator)) return { update: () => location.reload(), holding: quiet };
  const workbox = new Workbox(SCRIPT);
  let waiting = false;
  let asked = false;
  let lookedAt = Date.now();
  workbox.addEventListener('waiting', () => {
    waiting = true;
    if (asked) workbox.messageSkipWaiting();
    else options.onUpdate();
  });
  workbox.addEventListener('controlling', () => {
    if (asked) location.reload();
  });
  void workbox.register().then(quiet, quiet);
  /** Looks at once. Answers whether a new version is on its way in: `waiting` follows. */
  async function lookForNew(): Promise<boolean> {
    await workbox.update();
    const found = await navigator.serviceWorker.getRegistration(SCRIPT);
    return found?.installing != null || found?.waiting != null;
  }
  let waits = false;
  let soon: ReturnType<typeof setTimeout> | undefined;
  /** A browser that forbids it, or has no active worker yet: as one without. */
  const wakeLater = (): void => {
    void navigator.serviceWorker.ready.then((found: SyncRegistration) => found.sync?.register(FLUSH_TAG)).then(quiet, quiet);
  };
  document.addEventListener('visibilitychange', () => {
    if (waits && document.visibilityState === 'hidden') wakeLater();
  });
  document.addEventListener('visibilitychange', () => {
    const now = Date.now();
    if (document.visibilityState !== 'visible' || !lookIsDue(lookedAt, now)) return;
    lookedAt = now;
    workbox.update().then(quiet, quiet);
  });
  return {
    update() {
      asked = true;
      if (waiting) return workbox.messageSkipWaiting();
      // The one that is needed may not have been looked for yet: reloaded as it is, this version would only be told again to update.
      setTimeout(reload, NEW_WITHIN_MS);
      void lookForNew().then((comes) => comes || reload(), reload);
    },
    holding(some, live) {
      waits = some;
      clearTimeout(soon);
      if (some && !live) wakeLater();
      else if (some) soon = setTimeout(wakeLater, SENT_WITHIN_MS);
    },
  };
}
