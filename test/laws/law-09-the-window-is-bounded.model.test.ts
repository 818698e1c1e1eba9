/**
 * Law 9 as a model: any order of streaming, sealing, reading, jumping, losing the link and setting the limit, against the real
 * engine and a real server, looked at after every change of the screen.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isShown } from '#shared/protocol/records.ts';
import { openStand, uuid, type HttpStand } from '../support/http-stand.ts';
import { Device, pause, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn, prompt } from '../support/device/turns.ts';
import { Watch } from '../support/device/watch.ts';

let stand: HttpStand;
beforeAll(async () => {
  stand = await openStand();
});
afterAll(async () => {
  await stand.close();
});

const LIMIT = 18;
type Step =
  | { type: 'say'; count: number; end: boolean }
  | { type: 'output'; count: number; end: boolean }
  | { type: 'seal' }
  | { type: 'seal-one' }
  | { type: 'others'; count: number }
  | { type: 'older' | 'newer' | 'to-tail' | 'tail' | 'away' | 'down' | 'up' | 'gap' }
  | { type: 'show'; seq: number }
  | { type: 'limit'; limit: number }
  /** Lets what is under way go on for so many milliseconds; else the next step comes in its midst. */
  | { type: 'wait'; ms: number };
const plain = <T extends string>(...types: T[]): fc.Arbitrary<{ type: T }> => fc.constantFrom(...types).map((type) => ({ type }));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('say' as const), count: fc.integer({ min: 1, max: 30 }), end: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('output' as const), count: fc.integer({ min: 1, max: 25 }), end: fc.boolean() }) },
  { weight: 4, arbitrary: plain('seal') },
  { weight: 2, arbitrary: plain('seal-one') },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('others' as const), count: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 8, arbitrary: plain('older', 'newer', 'to-tail', 'tail', 'away') },
  { weight: 2, arbitrary: plain('down', 'up', 'gap') },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('show' as const), seq: fc.oneof(fc.nat(120), fc.constantFrom(0, 1e9)) }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('limit' as const), limit: fc.integer({ min: 16, max: 40 }) }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.constantFrom(1, 5, 20) }) },
);

class Run {
  readonly tab: Tab;
  readonly id: string;
  readonly turn: DrivenTurn;
  #phase: 'message' | 'tools' | null = null;
  #next = 0;

  constructor(tab: Tab, id: string, turn: DrivenTurn) {
    this.tab = tab;
    this.id = id;
    this.turn = turn;
  }
  async #streaming(phase: 'message' | 'tools'): Promise<void> {
    if (this.#phase === phase) return;
    await this.#seal();
    await this.turn.begin(phase);
    this.#phase = phase;
    this.#next = 0;
  }
  async #seal(): Promise<void> {
    if (this.#phase === null) return;
    // What is sealed has ended.
    for (const i of this.turn.streaming.open) {
      if (this.#phase === 'message') this.turn.say(i, '.', true);
      else this.turn.output(i, '.', true);
    }
    this.#phase = null;
    await this.turn.seal();
  }
  /** Nothing here waits for the screen: what a person does comes at any moment. */
  async do(each: Step): Promise<void> {
    const { tab, turn } = this;
    switch (each.type) {
      case 'say':
      case 'output': {
        const phase = each.type === 'say' ? 'message' : 'tools';
        await this.#streaming(phase);
        for (let n = 0; n < each.count; n++, this.#next++) {
          // The first stays open behind all that come after it, as a long tool does.
          const end = each.end && this.#next > 0;
          if (phase === 'message') turn.say(this.#next, `w${turn.step}.${this.#next} `, end);
          else turn.output(this.#next, `o${turn.step}.${this.#next} `, end);
        }
        return;
      }
      case 'seal':
        return this.#seal();
      case 'seal-one': {
        const { all, open } = turn.streaming;
        const settled = all.findLast((i) => !open.includes(i));
        if (this.#phase === 'tools' && settled !== undefined) await turn.sealOne(settled);
        return;
      }
      case 'others':
        for (let n = 0; n < each.count; n++) await prompt(stand, this.id, 'from elsewhere', 'queue');
        return;
      case 'older':
        return void tab.commands.loadOlder();
      case 'newer':
        return void tab.commands.loadNewer();
      case 'to-tail':
        return void tab.commands.toTail();
      case 'tail':
      case 'away':
        return tab.commands.atTail(each.type === 'tail');
      case 'show':
        return void tab.commands.showAt(each.seq);
      case 'limit':
        return void tab.commands.setChunkLimit(each.limit);
      case 'down':
        return tab.cable.cut();
      case 'up':
        tab.cable.mend();
        return tab.wake();
      case 'gap':
        return tab.cable.drop();
      case 'wait':
        return pause(each.ms);
    }
  }
  /** At the end: everything is sealed, the link is up, and the tail shows the newest of the log and what is live. */
  async end(): Promise<void> {
    const { tab } = this;
    tab.cable.mend();
    tab.wake();
    await this.#seal();
    await this.#streaming('message');
    this.turn.say(0, 'the last');
    await tab.commands.toTail();
    const log = (await stand.logOf(this.id)).filter((record) => record.kind === 'chunk' && isShown(record)).map(({ id }) => id);
    const isWhole = (): boolean => {
      const { chunks, live, atEnd, receipts } = tab.screen.view;
      const ids = chunks.map(({ id }) => id);
      return (
        atEnd &&
        ids.join() === log.slice(-ids.length).join() &&
        live?.chunks.map(({ data }) => (data as { text: string }).text).join() === 'the last' &&
        receipts.every(({ stage }) => stage === 'queued')
      );
    };
    await until(isWhole, 'the tail shows the end of the log and what is live', 8_000);
  }
}

test('whatever happens, in whatever order: bounded, one stretch of the log, and whole at the tail in the end', async () => {
  let changes = 0;
  let most = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 70 }), fc.array(step, { minLength: 8, maxLength: 40 }), async (history, steps) => {
      const device = new Device(stand);
      const id = await stand.session();
      const turn = await DrivenTurn.prompted(stand, id, uuid());
      await turn.begin();
      for (let i = 0; i < history; i++) turn.say(i, `h${i}`, true);
      await turn.seal();
      const tab = await device.tab({ disk: 'memory', chunkLimit: LIMIT }).live();
      const watch = new Watch(tab.screen, () => tab.engine.limit.value);
      try {
        await tab.commands.open(id);
        const run = new Run(tab, id, turn);
        for (const each of steps) await run.do(each);
        await run.end();
        expect(watch.against(await stand.logOf(id))).toEqual([]);
        const wrong = tab.reports.filter(({ event }) => event !== 'replica.adrift');
        expect(wrong).toEqual([]);
        changes += watch.changes;
        most = Math.max(most, watch.most);
      } finally {
        tab.screen.check = () => undefined;
        device.close();
      }
    }),
    { numRuns: 40, endOnFailure: false },
  );
  // The model went where the law bites.
  expect(changes).toBeGreaterThan(1_000);
  expect(most).toBeGreaterThanOrEqual(LIMIT);
}, 240_000);
