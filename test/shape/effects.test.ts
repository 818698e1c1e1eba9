/** Effects are handed in: only each side's `main.ts` names the real clock, chance, network and disk (ARCHITECTURE, "Effects"). */
import { describe, expect, it } from 'vitest';
import { places, sources } from './sources.ts';

/** Edges themselves: scripts that run before or beside the server, the screen's clock, and what stands on the browser for page and worker. */
const EDGES = [
  'server/main.ts',
  'app/main.ts',
  'server/start.mjs',
  'server/dev.mjs',
  'app/composables/now.ts',
  'app/pwa/browser.ts',
  'app/pwa/register.ts',
  'app/pwa/sw.ts',
];
const files = sources(['app', 'server', 'shared']).filter((source) => !EDGES.includes(source.path));
const named = (pattern: RegExp): string[] => files.flatMap((source) => places(source, pattern));

describe('only main.ts names', () => {
  it('the clock', () => {
    expect(named(/\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b/)).toEqual([]);
  });
  it('chance', () => {
    expect(named(/\bMath\.random\b|\bcrypto\.randomUUID\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/)).toEqual([]);
  });
  it("the browser's network and disk", () => {
    const found = files.filter((source) => /^(app|shared)\//.test(source.path));
    const pattern =
      /(?<![.\w])fetch\(|\bglobalThis\.fetch\b|\bnew WebSocket\(|\b(?:globalThis|window|self)\.indexedDB\b|\bindexedDB\.\w|\blocalStorage\b|\bsessionStorage\b|\bnew BroadcastChannel\(|\bnavigator\.locks\b/;
    expect(found.flatMap((source) => places(source, pattern))).toEqual([]);
  });
  it('R1: nobody asks the browser whether it is online: it says yes on Wi-Fi without internet', () => {
    expect(sources(['app', 'shared']).flatMap((source) => places(source, /\bonLine\b/))).toEqual([]);
  });
  it("the server's environment and exit", () => {
    const found = files.filter((source) => source.path.startsWith('server/'));
    expect(found.flatMap((source) => places(source, /\bprocess\.(env|argv|exit|exitCode)\b/))).toEqual([]);
  });
});
