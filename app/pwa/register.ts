/** The page's side of the worker: it registers, looks for a new version now and then, and lets it in when told. */
import { Workbox } from 'workbox-window';

const SCRIPT = '/sw.js';
/** At most one look a minute (R2): a home-screen app that is only brought to the front would never look by itself. */
const LOOK_AGAIN_MS = 60_000;

export interface Worker {
  /** Lets the waiting version in and reloads this window, and no other. With none waiting it reloads as it is. */
  update(): void;
}

/** No worker (a private window, a browser that forbids it) or no network: the app works without, and the next look tells. */
const quiet = (): undefined => undefined;

/** Whether a look is due at `now`, the last one having been at `last`. */
export function lookIsDue(last: number, now: number): boolean {
  return now - last >= LOOK_AGAIN_MS || now < last;
}

/** `onUpdate`: a new version is installed and waits. Called again for each page that finds one waiting. */
export function registerWorker(options: { onUpdate: () => void }): Worker {
  if (!('serviceWorker' in navigator)) return { update: () => location.reload() };
  const workbox = new Workbox(SCRIPT);
  let waiting = false;
  let asked = false;
  let lookedAt = Date.now();
  workbox.addEventListener('waiting', () => {
    waiting = true;
    options.onUpdate();
  });
  workbox.addEventListener('controlling', () => {
    if (asked) location.reload();
  });
  void workbox.register().then(quiet, quiet);
  document.addEventListener('visibilitychange', () => {
    const now = Date.now();
    if (document.visibilityState !== 'visible' || !lookIsDue(lookedAt, now)) return;
    lookedAt = now;
    workbox.update().then(quiet, quiet);
  });
  return {
    update() {
      asked = true;
      if (waiting) workbox.messageSkipWaiting();
      else location.reload();
    },
  };
}
