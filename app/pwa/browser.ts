/**
 * What a page and the worker have of the browser alike: clock, chance, timers, locks and the channel between them. An edge: it
 * names the real ones, so that both sides stand on the same.
 */
import type { Clock, Random, Timers } from '#shared/ports.ts';
import type { Channel, Fetch, Locks, TabNews } from '../sync/ports.ts';

/** Own work of this device: one database for every tab and the worker. */
export const OWN_DATABASE = 'cairn-own';

/** Under which the browser is asked to wake the worker for what waits here. */
export const FLUSH_TAG = 'cairn-outbox';

export const clock: Clock = { now: () => Date.now() };
export const random: Random = { unit: () => Math.random(), bytes: (n) => crypto.getRandomValues(new Uint8Array(n)) };
export const timers: Timers = {
  after(ms, callback) {
    const id = setTimeout(callback, ms);
    return () => clearTimeout(id);
  },
};
export const request: Fetch = (path, init) => fetch(path, { ...init, credentials: 'same-origin' });

/** Ended by somebody else, or given up: nothing that the caller would have to know. */
function unlessAborted(error: unknown): void {
  if (!(error instanceof DOMException && error.name === 'AbortError')) throw error;
}

/** Null over plain HTTP on a network address, where browsers offer no locks. */
export const locks: Locks | null =
  'locks' in navigator && navigator.locks !== undefined
    ? {
        async hold(name, steal, task) {
          let ran = false;
          const work = async (lock: Lock | null): Promise<void> => {
            ran = lock !== null;
            if (ran) await task();
          };
          // Stolen by another while the task ran: its fence is void by now, which is all that had to happen.
          await navigator.locks.request(name, steal ? { steal: true } : { ifAvailable: true }, work).catch(unlessAborted);
          return ran;
        },
        freed: (name, signal) => navigator.locks.request(name, { signal }, () => undefined).then(() => undefined, unlessAborted),
      }
    : null;

export function openChannel(): Channel | null {
  if (!('BroadcastChannel' in globalThis)) return null;
  const channel = new BroadcastChannel('cairn');
  const tell = channel.postMessage.bind(channel);
  return {
    tell: (news) => tell(news),
    listen: (callback) => channel.addEventListener('message', (event: MessageEvent<TabNews>) => callback(event.data)),
  };
}
