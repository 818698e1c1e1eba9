/** Imports point one way only (ARCHITECTURE, "Rooms"). */
import { describe, expect, it } from 'vitest';
import { importsOf, sources, type Source } from './sources.ts';

/** Each room and the rooms it may import besides itself and `shared`. A room that is not listed may import nothing. */
const SERVER: Record<string, readonly string[]> = {
  http: ['runner', 'agent', 'inbox', 'tools', 'store', 'sync', 'auth'],
  sync: ['runner', 'store'],
  auth: ['store'],
  runner: ['agent', 'inbox', 'tools', 'store'],
  agent: ['store'],
  inbox: ['store'],
  tools: ['store'],
  store: [],
};
const APP: Record<string, readonly string[]> = {
  views: ['components', 'stores', 'sync', 'composables', 'render', 'pwa'],
  components: ['stores', 'sync', 'composables', 'render', 'pwa'],
  composables: ['stores', 'sync'],
  stores: ['sync'],
  sync: ['mirror', 'own', 'disk'],
  mirror: ['disk'],
  own: ['disk'],
  disk: [],
  render: [],
  pwa: ['sync', 'own', 'disk'],
};
/** Files that stand outside the rooms, and construct or frame them. */
const FRAME = /^(server|app)\/[^/]+$/;

const roomOf = (path: string): string => path.split('/')[1] ?? '';

function wrongArrows(side: 'server' | 'app', rooms: Record<string, readonly string[]>): string[] {
  return sources([side]).flatMap((source) => {
    if (FRAME.test(source.path)) return [];
    const room = roomOf(source.path);
    return importsOf(source)
      .filter((target) => target.startsWith(`${side}/`))
      .filter((target) => FRAME.test(target) || (roomOf(target) !== room && !rooms[room]?.includes(roomOf(target))))
      .map((target) => `${source.path} → ${target}`);
  });
}
const importing = (from: readonly Source[], wanted: (target: string) => boolean): string[] =>
  from.flatMap((source) =>
    importsOf(source)
      .filter(wanted)
      .map((target) => `${source.path} → ${target}`),
  );

describe('imports point one way', () => {
  it('inside the server: http → runner → agent, inbox, tools → store', () => {
    expect(wrongArrows('server', SERVER)).toEqual([]);
  });
  it('inside the app: views → components → stores → sync → mirror, own', () => {
    expect(wrongArrows('app', APP)).toEqual([]);
  });
  it('shared imports itself and zod/mini, nothing else', () => {
    expect(importing(sources(['shared']), (target) => target !== 'zod/mini' && !target.startsWith('shared/'))).toEqual([]);
  });
  it('neither side imports the other, and nothing imports the tests', () => {
    expect(importing(sources(['app']), (target) => /^(server|test)\//.test(target))).toEqual([]);
    expect(importing(sources(['server']), (target) => /^(app|test)\//.test(target))).toEqual([]);
  });
  it('the SDK is imported in one file of the server, and never in the app', () => {
    const found = importing(sources(['app', 'server', 'shared']), (target) => target.startsWith('@anthropic-ai/'));
    expect(found.filter((line) => !line.startsWith('server/agent/anthropic.ts →'))).toEqual([]);
  });
  it('own files are imported with their ending, so that Node, Vite and TypeScript agree', () => {
    const found = sources(['app', 'server', 'shared']).flatMap((source) =>
      [...source.code.matchAll(/\bfrom\s+['"]((?:\.|#shared\/)[^'"]*)['"]/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !/\.(ts|vue|json|css|mjs)$/.test(target))
        .map((target) => `${source.path} → ${target}`),
    );
    expect(found).toEqual([]);
  });
});
