/** Where all chance in these tests comes from. `CAIRN_CRASH_SEED=7 npm run test:e2e -- ../crash` replays the plan of seed 7. */
const given = process.env['CAIRN_CRASH_SEED'] ?? '1';

export const SEED = Number.parseInt(given, 10);
if (!Number.isSafeInteger(SEED)) throw new Error(`CAIRN_CRASH_SEED is a whole number, not "${given}"`);

/** The seed of one case, so that each can be replayed without the others. */
export function seedOf(name: string): number {
  let hash = SEED;
  for (const char of name) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01_00_01_93);
  return hash >>> 0;
}
