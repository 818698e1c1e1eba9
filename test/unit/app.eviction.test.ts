/** The window while records stream in and the limit moves: the reader's side stays, and what leaves it is kept elsewhere. */
import { afterEach, describe, expect, test } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import { degradingMirror } from '../../app/mirror/degrading.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import type { Mirror } from '../../app/mirror/port.ts';
import { played, SESSION, type Played } from '../support/device/played.ts';
import { Watch } from '../support/device/watch.ts';

let at: Played;
let watch: Watch;
afterEach(() => {
  at.transcript.close();
  const wrong = watch.against(at.log);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
});
/** A session of `count` text chunks, all of them mirrored, open at its tail. */
async function session(count: number, { limit = 40, mirror = memoryMirror() } = {}): Promise<void> {
  at = played({ limit, mirror });
  watch = new Watch(at.screen, () => at.limit);
  at.history(count);
  await at.mirrored();
  at.connect();
  await at.transcript.open(null);
  await at.settle();
}
const seqs = (): number[] => at.screen.view.chunks.map(({ seq }) => seq);
const shown = (from: number, to: number): number[] =>
  at.log.filter((record) => record.kind === 'chunk' && isShown(record) && record.seq >= from && record.seq <= to).map(({ seq }) => seq);
async function pageUp(): Promise<void> {
  at.transcript.atTail(false);
  while (!at.screen.view.atStart && at.screen.view.hole === null) await at.transcript.loadOlder();
}

describe('law 9: the reader’s side stays', () => {
  test('a lower limit takes effect at once, and takes what is farther from the reader', async () => {
    await session(500, { limit: 60 });
    at.limit = 20;
    at.transcript.refresh();
    expect(seqs()).toEqual(shown(1, at.head).slice(-20));
    at.limit = 60;
    await at.transcript.showAt(250);
    at.limit = 20;
    at.transcript.refresh();
    expect(seqs()).toHaveLength(20);
    expect(seqs().filter((seq) => seq < 250)).toHaveLength(10);
    // Up from here: the reader is where the window began.
    const top = seqs()[0]!;
    await at.transcript.loadOlder();
    at.limit = 16;
    at.transcript.refresh();
    expect(seqs().indexOf(top)).toBe(8);
    expect(seqs()).toHaveLength(16);
  });
  test('scrolled up at the end, a thousand records change nothing of what is read', async () => {
    await session(100, { limit: 40 });
    at.transcript.atTail(false);
    const before = seqs();
    at.openTurn('now');
    for (let step = 0; step < 50; step++) {
      at.begin(step, 'message');
      for (let i = 0; i < 20; i++)
        at.stream([
          { type: 'text-delta', i, text: 'x' },
          { type: 'text-end', i },
        ]);
      await at.settle();
      at.seal();
      await at.settle();
    }
    expect(seqs().slice(0, before.length)).toEqual(before);
    expect(at.screen.view.atEnd).toBe(false);
    await at.transcript.toTail();
    expect(seqs().at(-1)).toBe(at.head);
  });
  test('a tool that stays open in front of 300 settled ones keeps its place, and the bound holds', async () => {
    await session(100, { limit: 40 });
    at.openTurn('now');
    at.begin(0, 'tools');
    at.stream([{ type: 'tool-output', i: 0, callId: 'c0', stream: 'stdout', text: 'long' }]);
    for (let i = 1; i <= 300; i++) {
      at.stream([{ type: 'tool-output', i, callId: `c${i}`, stream: 'stdout', text: 'x' }]);
      at.stream([{ type: 'tool-end', i, callId: `c${i}`, isError: false }]);
      await at.settle();
    }
    const places = at.screen.view.live!.chunks.map(({ i }) => i);
    expect(places[0]).toBe(0);
    expect(places.slice(1)).toEqual(Array.from({ length: 40 }, (_, n) => 261 + n));
    at.stream([{ type: 'tool-end', i: 0, callId: 'c0', isError: false }]);
    at.seal();
    await at.settle();
    expect(at.screen.view.live?.chunks ?? []).toEqual([]);
    expect(seqs()).toEqual(shown(1, at.head).slice(-40));
  });
  test('who leaves the tail while several stream loses none of them when they complete', async () => {
    await session(100, { limit: 40 });
    at.openTurn('now');
    at.begin(0, 'tools');
    for (let i = 0; i < 5; i++) at.stream([{ type: 'tool-output', i, callId: `c${i}`, stream: 'stdout', text: 'x' }]);
    await at.settle();
    at.transcript.atTail(false);
    const read = seqs();
    for (let i = 0; i < 5; i++) at.stream([{ type: 'tool-end', i, callId: `c${i}`, isError: false }]);
    await at.settle();
    expect(seqs()).toEqual(read);
    expect(at.screen.view.live!.chunks).toHaveLength(5);
    at.seal();
    await at.settle();
    expect(seqs().slice(0, read.length)).toEqual(read);
    expect(seqs().slice(-5)).toEqual(shown(1, at.head).slice(-5));
  });
});

describe('law 7: evicted means mirrored', () => {
  /** Every sealed chunk that was on the screen is, by the time it leaves it, in the mirror or with the server. */
  function watchLeaving(kept: (seq: number) => Promise<boolean>): Promise<void>[] {
    const looks: Promise<void>[] = [];
    const bound = at.screen.check;
    let before = at.screen.view.chunks;
    at.screen.check = (view) => {
      bound(view);
      const here = new Set(view.chunks);
      for (const chunk of before) {
        if (here.has(chunk)) continue;
        looks.push(kept(chunk.seq).then((so) => expect(so, `${chunk.seq} left the window and is nowhere`).toBe(true)));
      }
      before = view.chunks;
    };
    return looks;
  }
  async function streamMuch(): Promise<void> {
    at.openTurn('giant');
    for (let step = 0; step < 30; step++) {
      at.begin(step, 'message');
      for (let i = 0; i < 4; i++)
        at.stream([
          { type: 'text-delta', i, text: 'x' },
          { type: 'text-end', i },
        ]);
      at.seal();
      at.deliver();
      if (step % 7 === 0) await at.settle();
    }
    await at.settle();
  }
  test('B22: a slow mirror holds the window back: what it has not stored is not shown as sealed, so it cannot leave', async () => {
    const fast = memoryMirror();
    const slow: Mirror = {
      ...fast,
      apply: async (guard, change) => (await new Promise((resolve) => setTimeout(resolve, 2)), fast.apply(guard, change)),
    };
    await session(60, { limit: 20, mirror: slow });
    const looks = watchLeaving(async (seq) => (await fast.readBefore(SESSION, seq + 1, 1)).from <= seq);
    await streamMuch();
    await Promise.all(looks);
    expect(looks.length).toBeGreaterThan(100);
    expect(seqs()).toEqual(shown(1, at.head).slice(-20));
  });
  test('a disk that fails in the midst: memory goes on, and what left the window is there or with the server', async () => {
    const disk = memoryMirror();
    let writes = 0;
    const failing: Mirror = {
      ...disk,
      apply: (guard, change) =>
        ++writes > 12 ? Promise.reject(new DOMException('full', 'QuotaExceededError')) : disk.apply(guard, change),
    };
    let lost = 0;
    const mirror = degradingMirror({ disk: failing, onLost: () => void lost++, keep: () => new Set([SESSION]) });
    await session(60, { limit: 20, mirror });
    const looks = watchLeaving(async (seq) => (await mirror.readBefore(SESSION, seq + 1, 1)).from <= seq || seq <= at.head);
    await streamMuch();
    await Promise.all(looks);
    expect(lost).toBe(1);
    expect(looks.length).toBeGreaterThan(50);
    // All the way up: from memory, from what the disk still reads, from the server.
    await pageUp();
    expect(at.screen.view).toMatchObject({ atStart: true, hole: null });
  });
  test('no disk at all: the same from memory', async () => {
    const mirror = degradingMirror({ disk: null, onLost: () => undefined, keep: () => new Set() });
    await session(60, { limit: 20, mirror });
    await streamMuch();
    expect(seqs()).toEqual(shown(1, at.head).slice(-20));
    await pageUp();
    expect(seqs()[0]).toBe(1);
  });
});
