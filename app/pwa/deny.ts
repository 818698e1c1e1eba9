/** Which navigations the worker must leave to the network: everything that is the server's, and files of a build (B14). */

/** Hashed files of a build: one that is gone must be a 404, never the shell. */
const ASSETS = '/assets';

/**
 * One expression a prefix, as `NavigationRoute` wants them: it tests path and query together. `/api`, `/api/…` and `/api?…`
 * are denied; `/apiary` is not.
 */
export function navigationDenylist(prefixes: readonly string[]): RegExp[] {
  return [...prefixes, ASSETS].map((prefix) => new RegExp(`^${prefix.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?:[/?]|$)`));
}
