/**
 * Law 8, frame by frame: records, live frames and snapshots arrive late, twice or never, the link goes and comes, and step k is
 * sealed while step k + 1 streams. Nothing that is shown ever leaves the screen again, or is there twice, or loses a word.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import type { TranscriptView } from '../../app/sync/ports.ts';
import type { SessionFrame } from '../../app/sync/subscription.ts';
import { played, SESSION, type Played } from '../support/device/played.ts';
import { receiptOf } from '../support/device/records.ts';
import { Watch } from '../support/device/watch.ts';

type Step =
  | { type: 'say' | 'output'; i: number; end: boolean }
  | { type: 'seal-message' | 'seal-results' | 'seal-one' | 'settle' | 'steer' | 'note' | 'event' | 'pending' }
  | { type: 'deliver'; count: number; twice: boolean }
  | { type: 'lose'; what: 'live' | 'records' }
  | { type: 'again' | 'drop' | 'idle' };
const simple = (...types: ('seal-message' | 'seal-results' | 'seal-one' | 'settle' | 'steer' | 'note' | 'event' | 'pending')[]) =>
  fc.constantFrom(...types).map((type) => ({ type }));
const said = fc.record({ type: fc.constantFrom('say' as const, 'output' as const), i: fc.nat(4), end: fc.boolean() });
const steps = (lost: 'live' | 'records'): fc.Arbitrary<Step[]> => fc.array(stepLosing(lost), { minLength: 5, maxLength: 60 });
const stepLosing = (what: 'live' | 'records'): fc.Arbitrary<Step> =>
  fc.oneof(
    { weight: 8, arbitrary: said },
    { weight: 5, arbitrary: simple('seal-message', 'seal-results', 'seal-one') },
    { weight: 2, arbitrary: simple('settle', 'steer', 'note', 'event', 'pending') },
    {
      weight: 10,
      arbitrary: fc.record({ type: fc.constant('deliver' as const), count: fc.integer({ min: 1, max: 6 }), twice: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.constant({ type: 'lose' as const, what }) },
    { weight: 2, arbitrary: fc.constantFrom('again' as const, 'idle' as const).map((type) => ({ type })) },
    { weight: 1, arbitrary: fc.constant({ type: 'drop' as const }) },
  );

/** What a server does, in the order a server does it. */
class Serving {
  readonly at: Played;
  #turn = 0;
  #step = -1;
  #phase: 'message' | 'tools' | null = null;
  #notes = 0;
  #ran = -1;
  readonly #settled = new Set<number>();
  #last: SessionFrame[] = [];

  constructor(at: Played) {
    this.at = at;
  }
  #begin(phase: 'message' | 'tools'): void {
    if (this.#phase === phase) return;
    if (this.#phase === null && this.#step === -1) this.at.openTurn(`t${++this.#turn}`);
    if (this.#phase !== null) this.#seal();
    // Tools follow the message of their step, and run once.
    if (phase === 'message' || this.#step === -1 || this.#ran === this.#step) this.#step++;
    if (phase === 'tools') this.#ran = this.#step;
    this.at.begin(this.#step, phase);
    this.#settled.clear();
    this.#phase = phase;
  }
  #seal(): void {
    if (this.#phase === null) return;
    this.at.seal();
    this.#phase = null;
  }
  async do(each: Step): Promise<void> {
    const { at } = this;
    switch (each.type) {
      case 'say':
        this.#begin('message');
        at.stream([{ type: 'text-delta', i: each.i, text: `${each.i}.` }, ...(each.end ? [{ type: 'text-end' as const, i: each.i }] : [])]);
        return;
      case 'output': {
        this.#begin('tools');
        // A tool that is settled and sealed speaks no more.
        if (this.#settled.has(each.i)) return;
        const call = { i: each.i, callId: `c${this.#step}-${each.i}` };
        at.stream([
          { type: 'tool-output', ...call, stream: 'stdout', text: `${each.i}.` },
          ...(each.end ? [{ type: 'tool-end' as const, ...call, isError: false }] : []),
        ]);
        return;
      }
      case 'seal-message':
      case 'seal-results':
        if (this.#phase === (each.type === 'seal-message' ? 'message' : 'tools')) this.#seal();
        return;
      case 'seal-one': {
        const done = at.live?.chunks.find(({ open }) => !open);
        if (this.#phase !== 'tools' || done === undefined) return;
        at.seal(done.i);
        this.#settled.add(done.i);
        return;
      }
      case 'settle':
        this.#seal();
        if (this.#step >= 0) at.endTurn();
        this.#step = -1;
        this.#ran = -1;
        return;
      case 'steer':
        this.#seal();
        return at.prompt(`p${this.#notes++}`);
      case 'note':
        return at.note(`n${this.#notes++}`);
      case 'event':
        return at.event('renamed', { title: 'x' });
      case 'pending':
        return at.admit(receiptOf(SESSION, `r${this.#notes++}`));
      case 'deliver':
        this.#last = at.pipe.slice(0, each.count);
        at.deliver(each.count);
        if (each.twice) this.again();
        return;
      case 'again':
        return this.again();
      case 'lose': {
        const lost = at.pipe.findIndex((frame) => frame.type === each.what);
        if (lost !== -1) at.pipe.splice(lost, 1);
        return;
      }
      case 'drop':
        this.#last = [];
        at.cut();
        await at.idle();
        return at.connect();
      case 'idle':
        return at.idle();
    }
  }
  /** What just arrived arrives again. */
  again(): void {
    for (const frame of this.#last) this.at.replica.take(structuredClone(frame));
  }
}

/** Nothing shown goes while the link is up, and no word of it. */
class Steady {
  readonly faults: string[] = [];
  #shown = new Map<string, string>();
  link = true;

  look(view: TranscriptView): void {
    const shown = new Map([...view.chunks, ...(view.live?.chunks ?? [])].map(({ id, data }) => [id, wordsOf(data)]));
    for (const [id, words] of this.#shown) {
      const now = shown.get(id);
      if (now === undefined) this.faults.push(`${id} is gone`);
      else if (!now.startsWith(words)) this.faults.push(`${id} lost words: ${words} → ${now}`);
    }
    this.#shown = shown;
  }
  /** What is live is void without a link. */
  forgetLive(view: TranscriptView): void {
    this.#shown = new Map(view.chunks.map(({ id, data }) => [id, wordsOf(data)]));
  }
}
function wordsOf(data: unknown): string {
  const { text, shell } = data as { text?: string; shell?: { stdout: string } };
  return text ?? shell?.stdout ?? '';
}

/** Plays the steps; answers what was wrong on the way, once the end is as it must be. */
async function play(steps: readonly Step[]): Promise<{ at: Played; unsteady: string[] }> {
  const at = played({ limit: 2048 });
  at.history(5);
  await at.mirrored();
  const watch = new Watch(at.screen, () => at.limit);
  const bound = at.screen.check;
  const steady = new Steady();
  at.screen.check = (view) => {
    bound(view);
    if (at.up) steady.look(view);
    else steady.forgetLive(view);
  };
  await at.transcript.open(null);
  at.connect();
  await at.settle();
  const serving = new Serving(at);
  for (const each of steps) await serving.do(each);
  await at.settle();
  // A lost frame is only missed when another comes.
  await serving.do({ type: 'event' });
  await at.settle();
  await serving.do({ type: 'say', i: 0, end: false });
  await at.settle();
  const log = at.log.filter((record) => record.kind === 'chunk' && isShown(record));
  expect(at.screen.view.chunks.map(({ id }) => id)).toEqual(log.map(({ id }) => id));
  expect(at.screen.view.live?.chunks).toEqual(at.live?.chunks);
  expect(at.screen.view.receipts.map(({ id }) => id)).toEqual(at.pending.map(({ id }) => id));
  expect(watch.against(at.log)).toEqual([]);
  at.transcript.close();
  return { at, unsteady: steady.faults };
}

describe('law 8: whatever arrives late, twice or never', () => {
  test('frames twice, live frames never, links lost: what is shown stays, each once, and in the end all is there', async () => {
    let missed = 0;
    const property = fc.asyncProperty(steps('live'), async (all) => {
      const { at, unsteady } = await play(all);
      expect(unsteady).toEqual([]);
      missed += at.subscribed - 1;
    });
    await fc.assert(property, { numRuns: 200 });
    // Frames were missed, and asked for.
    expect(missed).toBeGreaterThan(10);
  }, 60_000);
  test('records that never came are missed: the device finds itself adrift, and in the end all is there', async () => {
    let adrift = 0;
    const property = fc.asyncProperty(steps('records'), async (all) => {
      adrift += (await play(all)).at.reports.length;
    });
    await fc.assert(property, { numRuns: 100 });
    expect(adrift).toBeGreaterThan(10);
  }, 60_000);
});
