/** The worker's side: which navigations are the server's, and when a new version is looked for. */
import { describe, expect, it } from 'vitest';
import { API, ROUTES, SERVER_PREFIXES } from '#shared/protocol/routes.ts';
import { navigationDenylist } from '../../app/pwa/deny.ts';
import { manifest } from '../../app/pwa/manifest.ts';
import { lookIsDue } from '../../app/pwa/look.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const list = navigationDenylist(SERVER_PREFIXES);
/** As the route tests it: path and query together. */
const denied = (path: string): boolean => list.some((pattern) => pattern.test(path));

describe('navigations that the worker leaves alone', () => {
  it.each(SERVER_PREFIXES.map((prefix) => [prefix]))('B14: %s and all below it', (prefix) => {
    for (const path of [prefix, `${prefix}/`, `${prefix}/x.html`, `${prefix}?a=1`]) expect(denied(path), path).toBe(true);
    expect(denied(`${prefix}ary`)).toBe(false);
    expect(denied(`/s${prefix}`)).toBe(false);
  });
  it('B14: every route of the contract is under a denied prefix', () => {
    const paths = Object.values(ROUTES).map((route) => (route as (...parts: string[]) => string)('a', 'b'));
    expect(paths.filter((path) => !path.startsWith(API) || !denied(path))).toEqual([]);
  });
  it('B14: pages of the app get the shell; a missing file of a build does not', () => {
    expect(['/', '/s/abc', '/s/abc/12', '/session/abc', '/new?folder=/api', '/settings'].filter(denied)).toEqual([]);
    expect(denied('/assets/gone-1234.js')).toBe(true);
  });
});

describe('looking for a new version', () => {
  it('R2: at most once a minute, and again when the clock went back', () => {
    expect([lookIsDue(0, 59_999), lookIsDue(0, 60_000), lookIsDue(100_000, 5)]).toEqual([false, true, true]);
  });
});

describe('the manifest', () => {
  it('names icons that are there, one of them maskable', () => {
    const icons = manifest.icons ?? [];
    expect(icons.filter((icon) => !existsSync(resolve(import.meta.dirname, '../../public', `.${icon.src}`)))).toEqual([]);
    expect(icons.some((icon) => icon.purpose === 'maskable')).toBe(true);
  });
});
