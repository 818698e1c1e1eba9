/** Where the reader is: paging, jumping, the limit, and answers that come too late. */
import { afterEach, describe, expect, test } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import { memoryMirror } from '../../app/mirror/memory.ts';
import { played, SESSION, type Played } from '../support/device/played.ts';
import { Watch } from '../support/device/watch.ts';

let at: Played;
let watch: Watch;
afterEach(() => {
  at.transcript.close();
  const wrong = watch.against(at.log);
  if (wrong.length > 0) throw new Error(wrong.join('\n'));
});
/** A session of `count` text chunks, of which `mirrored` newest records are here; open at its tail unless `at` is given. */
async function session(
  count: number,
  { limit = 40, mirrored = 1e9, link = true, show = null as number | null, mirror = memoryMirror() } = {},
) {
  at = played({ limit, mirror });
  watch = new Watch(at.screen, () => at.limit);
  at.history(count);
  if (mirrored > 0) await at.mirrored(at.head, Math.max(1, at.head - mirrored + 1));
  if (link) at.connect();
  else at.answers = false;
  await at.transcript.open(show);
  await at.settle();
  return at;
}
const seqs = (): number[] => at.screen.view.chunks.map(({ seq }) => seq);
const shown = (from: number, to: number): number[] =>
  at.log.filter((record) => record.kind === 'chunk' && isShown(record) && record.seq >= from && record.seq <= to).map(({ seq }) => seq);
/** Says when requests are answered. */
function gate(): () => void {
  let open = (): void => undefined;
  at.answers = new Promise((resolve) => (open = resolve));
  return () => {
    at.answers = true;
    open();
  };
}
async function pageUp(): Promise<void> {
  at.transcript.atTail(false);
  while (!at.screen.view.atStart && at.screen.view.hole === null) await at.transcript.loadOlder();
}

describe('paging', () => {
  test('of the mirror asks the server for nothing', async () => {
    await session(400);
    await pageUp();
    expect(seqs()[0]).toBe(1);
    expect(at.asked).toEqual([]);
  });
  test('of the server asks once for each page of a hundred, never for one twice', async () => {
    await session(500, { mirrored: 60 });
    await pageUp();
    const asked = at.asked.filter((line) => line.startsWith('log'));
    expect(asked).toEqual(['log 401..493', 'log 301..400', 'log 201..300', 'log 101..200', 'log 1..100']);
    expect(seqs()[0]).toBe(1);
    // All of it is here by now.
    at.answers = false;
    await at.transcript.toTail();
    await pageUp();
    expect(at.screen.view).toMatchObject({ atStart: true, hole: null });
  });
  test('down again joins the tail with no gap, from the mirror or the server', async () => {
    await session(500, { mirrored: 60 });
    await at.transcript.showAt(120);
    const walked = new Set(seqs());
    while (!at.screen.view.atEnd) {
      await at.transcript.loadNewer();
      for (const seq of seqs()) walked.add(seq);
    }
    expect([...walked].toSorted((a, b) => a - b)).toEqual(shown(seqs()[0]! && Math.min(...walked), at.head));
    expect(at.asked.every((line) => /^log \d+\.\.\d+$/.test(line))).toBe(true);
    expect(new Set(at.asked).size).toBe(at.asked.length);
  });
  test('a page that the mirror cannot keep, since another run stays in it, is shown all the same, and asked for once', async () => {
    // An old visit saw up to 350; the cursor is at the end; between is nothing. Page 301…400 keeps its old run.
    await session(600, { mirrored: 0, link: false });
    await at.mirrored(320);
    await at.mirrored(at.head, at.head - 99);
    at.connect();
    at.answers = true;
    await at.settle();
    await at.transcript.toTail();
    expect(seqs().at(-1)).toBe(shown(1, at.head).at(-1));
    await at.transcript.showAt(360);
    expect(at.screen.view.target?.seq).toBe(360);
    at.asked.length = 0;
    const { mirror } = at;
    const before = await mirror.readBefore(SESSION, 401, 5);
    at.transcript.atTail(false);
    while (seqs()[0]! > 310) await at.transcript.loadOlder();
    expect(before.from).toBeLessThanOrEqual(401);
    expect(at.asked.length).toBeLessThanOrEqual(1);
  });
  test('law 10: offline what is missing is told with its ends, above and below, and is got once the link is back', async () => {
    await session(500, { mirrored: 60, link: false });
    await pageUp();
    const { oldestLoadedSeq } = at.screen.view;
    expect(at.screen.view).toMatchObject({ atStart: false, hole: { from: 1, to: oldestLoadedSeq! - 1 } });
    await at.transcript.loadOlder();
    expect(at.screen.view.oldestLoadedSeq).toBe(oldestLoadedSeq);
    at.answers = true;
    at.connect();
    await at.settle();
    expect(at.screen.view.hole).toBeNull();
    await at.transcript.showAt(150);
    at.cut();
    at.answers = false;
    for (let n = 0; n < 10 && at.screen.view.holeBelow === null; n++) await at.transcript.loadNewer();
    expect(at.screen.view.holeBelow?.from).toBe(200 + 1);
    expect(at.screen.view.atEnd).toBe(false);
    at.answers = true;
    at.connect();
    await at.settle();
    expect(at.screen.view.holeBelow).toBeNull();
    while (!at.screen.view.atEnd) await at.transcript.loadNewer();
    expect(seqs().at(-1)).toBe(shown(1, at.head).at(-1));
  });
  test('answers that are cut short are completed, and where one fails the next try goes on behind what came', async () => {
    await session(500, { mirrored: 60 });
    at.most = 30;
    at.left = 2;
    at.transcript.atTail(false);
    for (let n = 0; n < 5 && at.screen.view.hole === null; n++) await at.transcript.loadOlder();
    expect(at.screen.view.hole).toEqual({ from: 1, to: at.head - 60 });
    expect(at.asked).toEqual(['log 401..493', 'log 431..493', 'log 461..493']);
    at.left = Infinity;
    at.asked.length = 0;
    await at.transcript.loadOlder();
    expect(at.asked).toEqual(['log 461..493', 'log 491..493']);
    expect(at.screen.view.hole).toBeNull();
    await at.transcript.showAt(150);
    expect(at.asked.slice(2)).toEqual(['log 101..200', 'log 131..200', 'log 161..200', 'log 191..200']);
  });
});

describe('answers that come too late', () => {
  test('for a window that moved to the tail are joined to nothing, and block no new request', async () => {
    await session(500, { mirrored: 60 });
    await at.transcript.showAt(250);
    const open = gate();
    const late = at.transcript.loadOlder();
    await at.transcript.toTail();
    expect(at.screen.view.loadingOlder).toBe(false);
    const tail = seqs();
    open();
    await late;
    expect(seqs()).toEqual(tail);
    expect(at.screen.view.hole).toBeNull();
    at.transcript.atTail(false);
    await at.transcript.loadOlder();
    expect(seqs()[0]).toBeLessThan(tail[0]!);
  });
  test('for a jump that another jump overtook: the last one wins', async () => {
    await session(900, { mirrored: 60 });
    const open = gate();
    const first = at.transcript.showAt(150);
    const second = at.transcript.showAt(751);
    open();
    expect(await Promise.all([first, second])).toEqual([false, true]);
    expect(at.screen.view.target?.seq).toBe(751);
    expect(seqs()).toContain(751);
  });
  test('for a jump that the reader left for the tail', async () => {
    await session(500, { mirrored: 60 });
    const open = gate();
    const jump = at.transcript.showAt(150);
    await at.transcript.toTail();
    open();
    expect(await jump).toBe(false);
    expect(at.screen.view).toMatchObject({ atEnd: true, target: null });
  });
  test('for a session that is closed change nothing', async () => {
    await session(500, { mirrored: 60 });
    const open = gate();
    const [older, jump] = [at.transcript.loadOlder(), at.transcript.showAt(10)];
    const before = at.screen.view;
    at.transcript.close();
    open();
    expect(await jump).toBe(false);
    await older;
    expect(at.screen.view.chunks).toBe(before.chunks);
  });
  test('of another history are neither shown nor kept', async () => {
    await session(500, { mirrored: 60 });
    at.transcript.atTail(false);
    at.epoch = 'epoch-2';
    for (let n = 0; n < 3; n++) await at.transcript.loadOlder();
    expect(at.asked.length).toBeGreaterThan(0);
    expect(seqs()[0]).toBeGreaterThan(at.head - 60);
    expect(await at.mirror.nextBelow(SESSION, at.head - 59)).toBe(0);
    expect(await at.transcript.showAt(20)).toBe(false);
  });
  test('for a log that was dropped meanwhile are joined to nothing', async () => {
    await session(500, { mirrored: 60 });
    await at.transcript.showAt(300);
    const open = gate();
    const late = at.transcript.loadOlder();
    at.pipe.push({ type: 'reset', sessionId: SESSION, epoch: at.epoch });
    at.deliver();
    await at.idle();
    open();
    await late;
    await at.settle();
    expect(at.screen.view.target).toBeNull();
    expect(seqs().at(-1)).toBe(shown(1, at.head).at(-1));
  });
});

describe('showing a chunk', () => {
  test.each([
    ['in the mirror, far up', 30, 30],
    ['an event, which is never shown: the nearest that is', 2, 1],
    ['a usage row likewise', 13, 12],
    ['nothing: the first', 0, 1],
    ['before the beginning', -5, 1],
    ['no number', Number.NaN, 1],
    ['beyond the end: the last', 10_000, 551],
    ['huge', Number.MAX_SAFE_INTEGER, 551],
    ['the last', 551, 551],
  ])('%s', async (_, seq, found) => {
    await session(500);
    expect(at.head).toBe(553);
    expect(await at.transcript.showAt(seq)).toBe(true);
    expect(at.screen.view.target?.seq).toBe(found);
    expect(at.asked).toEqual([]);
    // Neighbours on both sides, as far as there are any.
    expect(seqs().filter((at) => at < found).length).toBeGreaterThanOrEqual(found > 30 ? 15 : 0);
  });
  test('that only the server has: one request', async () => {
    await session(500, { mirrored: 60 });
    expect(await at.transcript.showAt(250)).toBe(true);
    expect(at.asked).toEqual(['log 201..300']);
    expect(at.screen.view).toMatchObject({ atEnd: false, atStart: false, hole: null, holeBelow: null });
    await at.transcript.toTail();
    expect(at.screen.view.atEnd).toBe(true);
  });
  test('that nobody has: false, and nothing has changed', async () => {
    await session(500, { mirrored: 60, link: false });
    const before = at.screen.view;
    expect(await at.transcript.showAt(250)).toBe(false);
    const { loaded, ...rest } = at.screen.view;
    expect({ ...rest, loaded }).toEqual(before);
    expect(at.screen.view.chunks).toBe(before.chunks);
  });
  test('again tells it again', async () => {
    await session(100);
    await at.transcript.showAt(50);
    const { nonce } = at.screen.view.target!;
    await at.transcript.showAt(50);
    expect(at.screen.view.target).toMatchObject({ seq: 50, nonce: nonce + 1 });
  });
  test('at the opening paints nothing else before', async () => {
    at = played({ limit: 40 });
    watch = new Watch(at.screen, () => at.limit);
    at.history(500);
    await at.mirrored();
    const bound = at.screen.check;
    const painted: number[] = [];
    at.screen.check = (view) => {
      bound(view);
      if (view.chunks.length > 0) painted.push(view.chunks.at(-1)!.seq);
    };
    await at.transcript.open(100);
    expect(at.screen.view.target?.seq).toBe(100);
    expect(Math.max(...painted)).toBeLessThan(200);
    expect(at.screen.view.loaded).toBe(true);
  });
  test('at the opening that cannot be had: the tail', async () => {
    await session(500, { mirrored: 60, link: false, show: 20 });
    expect(at.screen.view).toMatchObject({ target: null, loaded: true, atEnd: true });
  });
  test('at the opening of what this device has nothing of yet: when it is here', async () => {
    at = played({ limit: 40 });
    watch = new Watch(at.screen, () => at.limit);
    at.history(500);
    await at.mirror.adopt(at.epoch, false);
    at.connect();
    const opening = at.transcript.open(300);
    await at.settle();
    await opening;
    expect(at.screen.view.target?.seq).toBe(300);
    expect(at.screen.view).toMatchObject({ loaded: true, atEnd: false });
  });
  test('at the opening of what is newer than this copy: its tail first, then the chunk when it comes', async () => {
    at = played({ limit: 40 });
    watch = new Watch(at.screen, () => at.limit);
    at.history(100);
    await at.mirrored();
    at.history(0);
    at.note('the newest');
    at.connect();
    const opening = at.transcript.open(at.head);
    await at.settle();
    await opening;
    expect(at.screen.view.target?.chunkId).toBe('the newest');
  });
  test('while an answer streams', async () => {
    await session(300);
    at.openTurn('now');
    at.begin(0, 'message');
    at.stream([{ type: 'text-delta', i: 0, text: 'x' }]);
    await at.settle();
    await at.transcript.showAt(40);
    expect(at.screen.view.live?.chunks).toEqual([]);
    at.stream([{ type: 'text-delta', i: 0, text: 'y' }]);
    at.seal();
    await at.settle();
    while (!at.screen.view.atEnd) await at.transcript.loadNewer();
    expect(seqs().at(-1)).toBe(at.head);
  });
});

describe('at idle', () => {
  test('the window is filled from the mirror up to its limit, asking nobody, at the tail only', async () => {
    at = played({ limit: 300 });
    watch = new Watch(at.screen, () => at.limit);
    at.history(1_000);
    await at.mirrored();
    at.connect();
    await at.transcript.open(null);
    await at.settle();
    const tail = seqs();
    expect(tail.length).toBeLessThan(100);
    at.rest();
    for (let n = 0; n < 20; n++) await at.settle();
    expect(seqs()).toEqual(shown(1, at.head).slice(-300));
    expect(at.asked).toEqual([]);
    expect(at.screen.view).toMatchObject({ atEnd: true, loadingOlder: false });
  });
  test('what is not in the mirror is not waited for, and what streams keeps its room', async () => {
    at = played({ limit: 100 });
    at.rest();
    watch = new Watch(at.screen, () => at.limit);
    at.history(500);
    await at.mirrored(at.head, at.head - 89);
    at.connect();
    at.openTurn('now');
    at.begin(0, 'message');
    at.stream([{ type: 'text-delta', i: 0, text: 'x' }]);
    await at.transcript.open(null);
    for (let n = 0; n < 20; n++) await at.settle();
    expect(seqs().length).toBeGreaterThan(79);
    expect(at.asked).toEqual([]);
    expect(at.screen.view.hole).toBeNull();
    at.seal();
    at.endTurn();
    for (let n = 0; n < 5; n++) await at.settle();
    expect(seqs().length).toBeLessThanOrEqual(100);
  });
  test('a reader who has scrolled up is left alone', async () => {
    at = played({ limit: 300 });
    watch = new Watch(at.screen, () => at.limit);
    at.history(1_000);
    await at.mirrored();
    await at.transcript.open(null);
    at.transcript.atTail(false);
    const before = seqs();
    at.rest();
    for (let n = 0; n < 20; n++) await at.settle();
    expect(seqs()).toEqual(before);
  });
});
