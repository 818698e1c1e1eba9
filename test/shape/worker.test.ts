/** B14: every path of the server's is the server's own, also when the worker controls the page. */
import { describe, expect, it } from 'vitest';
import { API, ROUTES, SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { navigationDenylist } from '../../app/pwa/deny.ts';
import { sources } from './sources.ts';

const denied = navigationDenylist(SERVER_PREFIXES);
const isDenied = (path: string): boolean => denied.some((pattern) => pattern.test(path));

describe('the worker leaves to the server', () => {
  it('every route of the contract', () => {
    const paths = Object.values(ROUTES).map((route) => (route as (...parts: string[]) => string)('a', 'b'));
    expect(paths.filter((path) => !isDenied(path) || !isDenied(`${path}?x=1`))).toEqual([]);
  });
  it('every prefix that the server mounts', () => {
    const mounted = sources(['server']).flatMap((source) =>
      [...source.code.matchAll(/\bapp\.(?:use|all|get|post|put|patch|delete)\(\s*(API|['"`]([^'"`]+)['"`])/g)].map(
        (match) => match[2] ?? API,
      ),
    );
    expect(mounted.length).toBeGreaterThan(0);
    expect(mounted.filter((path) => !isDenied(path))).toEqual([]);
  });
  it('and keeps the pages of the app', () => {
    expect(['/', '/new', '/settings', '/s/0', '/apiary', '/websites'].filter(isDenied)).toEqual([]);
  });
});
