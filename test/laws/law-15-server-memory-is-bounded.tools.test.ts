/** Law 15, the tools' half: memory is bounded on the server, whatever a chatty tool does. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LIMITS } from '#shared/protocol/limits.ts';
import { createBench, type Bench } from '../support/tools/bench.ts';

const MB = 1024 * 1024;
let bench: Bench;
beforeEach(async () => {
  bench = await createBench();
});
afterEach(() => bench.dispose());

/** The most that the process grew by while `work` ran, looked at every few milliseconds. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = before;
  const look = setInterval(() => (most = Math.max(most, process.memoryUsage().rss)), 5);
  await work();
  clearInterval(look);
  return Math.max(most, process.memoryUsage().rss) - before;
}

describe('law 15: whatever a tool prints', () => {
  it.each([
    ['in long pieces', `node -e "const b = Buffer.alloc(1 << 20, 'x\\n'); for (let i = 0; i < 200; i++) require('fs').writeSync(1, b)"`],
    ['without a line break', `head -c 209715200 /dev/zero | tr '\\0' 'y'`],
    ['of bytes that are no text', `head -c 209715200 /dev/zero | tr '\\0' '\\377' >&2`],
  ])(
    '200 MB %s: memory stays flat, output bounded, the server answers meanwhile',
    async (_name, command) => {
      let longest = 0;
      let last = performance.now();
      const beat = setInterval(() => {
        longest = Math.max(longest, performance.now() - last);
        last = performance.now();
      }, 5);
      let said = 0;
      let truncated: boolean | undefined;
      const grew = await growth(async () => {
        const { end, pieces } = await bench.call('run', { command });
        said = pieces.reduce((sum, piece) => sum + Buffer.byteLength(piece.text), 0);
        truncated = end.truncated;
        expect(end.exitCode).toBe(0);
      });
      clearInterval(beat);
      expect(truncated).toBe(true);
      expect(said).toBeLessThanOrEqual(LIMITS.toolOutputBytes);
      expect(grew).toBeLessThan(100 * MB);
      expect(longest).toBeLessThan(2000);
    },
    60_000,
  );

  it('a file of one endless line is read without being held', async () => {
    await bench.call('run', { command: `head -c 209715200 /dev/zero | tr '\\0' 'y' > endless` });
    let result = '';
    const grew = await growth(async () => (result = (await bench.call('read', { path: 'endless' })).result));
    expect(Buffer.byteLength(result)).toBeLessThanOrEqual(LIMITS.toolOutputBytes);
    expect(grew).toBeLessThan(100 * MB);
  }, 60_000);
});
