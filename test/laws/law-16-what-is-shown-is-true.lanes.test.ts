/** I34 over random histories: at every change of the screen, each prompt is in one lane, and none that was there is nowhere. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TranscriptView } from '../../app/sync/ports.ts';
import { openStand, type HttpStand } from '../support/http-stand.ts';
import { Device, until, type Tab } from '../support/device/device.ts';
import { DrivenTurn } from '../support/device/turns.ts';
import { chanceOf, type Chance } from '../bench/kit/chance.ts';

const SEEDS = [1, 2, 3, 4, 5, 6];
const STEPS = 45;
let stand: HttpStand;
let devices: Device[] = [];
beforeEach(async () => {
  stand = await openStand();
});
afterEach(async () => {
  for (const device of devices) device.close();
  devices = [];
  await stand.close();
});
const words = (text: string) => [{ type: 'text' as const, text }];

/** Looks at every change: lanes by prompt, and what was in one and is in none. */
class Lanes {
  readonly faults: { id: string; fault: string }[] = [];
  changes = 0;
  #seen = new Set<string>();

  constructor(tab: Tab) {
    tab.screen.check = (view) => this.#look(view);
  }
  #look(view: TranscriptView): void {
    if (!view.loaded || !view.atEnd) return;
    this.changes++;
    const sealed = view.chunks.filter(({ type }) => type === 'prompt').map(({ id }) => id);
    const receipts = view.receipts.map(({ id }) => id);
    const all = [...sealed, ...receipts];
    for (const id of new Set(all)) if (all.filter((other) => other === id).length > 1) this.faults.push({ id, fault: 'is in two lanes' });
    for (const { id, lane, stage, delivery } of view.receipts) {
      const inTray = stage === 'queued' || (lane === 'tray' && delivery === 'queue');
      if (inTray !== (lane === 'tray')) this.faults.push({ id, fault: `${stage}, is in the lane ${lane}` });
    }
    for (const id of this.#seen) if (!all.includes(id)) this.faults.push({ id, fault: 'is in no lane' });
    this.#seen = new Set(all);
    // What was cancelled leaves, once its time is over.
    for (const { id, stage, undoable } of view.receipts)
      if (stage === 'cancelled' || undoable || stage === 'unknown') this.#seen.delete(id);
  }
}

/** What two people and a server may do next. */
class History {
  #turn: DrivenTurn | null = null;
  #count = 0;
  readonly tabs: readonly Tab[];
  readonly id: string;
  readonly chance: Chance;
  constructor(tabs: readonly Tab[], id: string, chance: Chance) {
    this.tabs = tabs;
    this.id = id;
    this.chance = chance;
  }
  async step(): Promise<string> {
    const tab = this.chance.pick(this.tabs);
    const receipt = tab.screen.view.receipts.length === 0 ? null : this.chance.pick(tab.screen.view.receipts);
    const name = `${this.tabs.indexOf(tab)}`;
    switch (this.chance.between(0, receipt === null ? 4 : 9)) {
      case 0:
      case 1:
        await tab.commands.send(this.id, words(`prompt ${++this.#count}`), this.chance.pick(['steer', 'queue']));
        return `${name} sends ${this.#count}`;
      case 2:
        tab.cable.cut();
        return `${name} is cut`;
      case 3:
        tab.cable.mend();
        tab.wake();
        return `${name} is back`;
      case 4:
        return this.#goOn();
      case 5:
        await tab.commands.convertInput(this.id, receipt!.id, this.chance.pick(['steer', 'queue']));
        return `${name} turns ${receipt!.id}`;
      case 6:
        await tab.commands.cancelInput(this.id, receipt!.id);
        return `${name} cancels ${receipt!.id}`;
      case 7:
        await tab.commands.undoCancel(this.id, receipt!.id);
        return `${name} undoes ${receipt!.id}`;
      case 8:
        await tab.commands.editInput(this.id, receipt!.id, words(`edit ${++this.#count}`));
        return `${name} edits ${receipt!.id}`;
      default: {
        const queued = tab.screen.view.receipts.filter(({ place }) => place !== null);
        const after = queued.length === 0 ? null : this.chance.pick(queued).id;
        if (after !== receipt!.id) await tab.commands.moveInput(this.id, receipt!.id, after);
        return `${name} moves ${receipt!.id}`;
      }
    }
  }
  /** The server: a turn begins, takes in what joins it, or ends. */
  async #goOn(): Promise<string> {
    if (this.#turn === null) {
      if ((await stand.store.timeline(this.id, 1)).pendingInputs.length === 0) return 'nothing to run';
      this.#turn = await DrivenTurn.open(stand, this.id, `turn-${++this.#count}`);
      return 'a turn begins';
    }
    await this.#turn.settle();
    this.#turn = null;
    return 'a turn ends';
  }
}

describe('law 16, I34', () => {
  test.each(SEEDS)(
    'two devices, links that come and go, turns that begin and end: one lane each, at every change (seed %d)',
    async (seed) => {
      const chance = chanceOf(seed);
      const id = await stand.session();
      const tabs: Tab[] = [];
      for (let n = 0; n < 2; n++) {
        const device = new Device(stand);
        devices.push(device);
        const tab = await device.tab().live();
        await tab.commands.open(id);
        await until(() => tab.screen.view.loaded && tab.screen.rows.has(id), 'the session is shown');
        tabs.push(tab);
      }
      const lanes = tabs.map((tab) => new Lanes(tab));
      const history = new History(tabs, id, chance);
      const told: string[] = [];
      for (let n = 0; n < STEPS; n++) {
        told.push(await history.step());
        if (chance.unit() < 0.5) await new Promise((resolve) => setTimeout(resolve, chance.between(0, 25)));
      }
      for (const tab of tabs) {
        tab.cable.mend();
        tab.wake();
      }
      await until(() => tabs.every((tab) => tab.screen.linkView?.kind === 'live'), 'both are live');
      const rows = async () => (await Promise.all(tabs.map((tab) => tab.own.rows()))).flat();
      await until(async () => (await rows()).every(isAtRest), 'nothing is on its way', 10_000);
      // What the server has cancelled may go, and the words of an edit are no prompt.
      const faults: string[] = [];
      for (const { fault, id: input } of lanes.flatMap((one) => one.faults)) {
        const accepted = await stand.store.input(id, input);
        const isHere = (await rows()).some((row) => row.id === input && row.command.kind === 'input' && row.state !== 'cancelled');
        if (accepted === null ? isHere : accepted.state !== 'cancelled') faults.push(`${input} ${fault}`);
      }
      expect(faults, `seed ${seed}: ${told.join(' · ')}`).toEqual([]);
      expect(Math.min(...lanes.map(({ changes }) => changes))).toBeGreaterThan(STEPS / 2);

      // In the end every accepted prompt that nobody cancelled is where the server has it.
      const { pendingInputs } = await stand.store.timeline(id, 1);
      const of = (delivery: string) => pendingInputs.filter((one) => one.delivery === delivery);
      const steers = of('steer').toSorted((a, b) => a.seq - b.seq);
      const queue = of('queue').toSorted((a, b) => a.rank - b.rank);
      const prompts = (await stand.logOf(id)).filter(({ type }) => type === 'prompt');
      const server = [prompts, steers, queue].map(idsOf).join(' | ');
      for (const { screen } of tabs) {
        const lane = (which: string) => screen.view.receipts.filter((one) => one.lane === which && isAccepted(one));
        const shown = (): string =>
          [screen.view.chunks.filter(({ type }) => type === 'prompt'), lane('transcript'), lane('tray')].map(idsOf).join(' | ');
        await until(() => shown() === server, 'shown as the server has it');
      }
    },
    40_000,
  );
});
const idsOf = (all: readonly { id: string }[]): string => all.map(({ id }) => id).join();
const isAccepted = ({ stage }: { stage: string }): boolean => stage === 'steer' || stage === 'queued';
const isAtRest = ({ state }: { state: string }): boolean => !['held', 'sending', 'unknown'].includes(state);
