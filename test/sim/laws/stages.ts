/**
 * Law 16, of what a prompt is said to have come to: it expires by an age that is really so, and not while the server has it; and being
 * signed out is no refusal. What a tab did not know while it slept is no lie.
 */
import { TIMES } from '#shared/protocol/limits.ts';
import type { ReceiptView } from '../../../app/sync/views.ts';
import type { Commit } from '../../../server/store/port.ts';
import type { SimTab } from '../tab.ts';
import type { World } from '../world.ts';

/** Clocks that agree may differ by ten minutes each. */
const CLOCKS = 30 * 60_000;
/** Longer than any answer is on its way. */
const ON_ITS_WAY = 2 * 60_000;
const DOOR = new Set(['signed-out', 'device-revoked', 'bad-token']);

export class StagesLaw {
  readonly #world: World;
  /** When the server first had an input. */
  readonly #admitted = new Map<string, number>();
  /** Rows of a device that were seen as expired, and when first. */
  readonly #expired = new Map<string, number>();
  readonly #seen = new Set<string>();
  constructor(world: World) {
    this.#world = world;
  }
  commit({ receipts }: Commit): void {
    for (const { id } of receipts) if (!this.#admitted.has(id)) this.#admitted.set(id, this.#world.clock.now());
  }

  /** Once for each row of a device. */
  #count(tab: SimTab, id: string, state: string): void {
    const key = `${tab.place.name}/${id}/${state}`;
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#world.count(`shown-${state}`);
  }
  look(tab: SimTab, receipts: readonly ReceiptView[]): void {
    const world = this.#world;
    const now = world.clock.now();
    for (const { id, stage, code, conflict } of receipts) {
      this.#count(tab, id, stage);
      if (conflict !== null) this.#count(tab, id, 'conflict');
      if (stage === 'refused' && code !== null && DOOR.has(code))
        world.fault('law-16', `${tab.name} shows ${id} as refused, and was only signed out`);
      if (stage !== 'expired') continue;
      const written = world.words.all.find(({ inputId, kind }) => inputId === id && kind === 'prompt')?.at;
      if (written !== undefined && now - written < TIMES.promptExpiry - CLOCKS)
        world.fault('law-16', `${tab.name} shows ${id} as expired, ${Math.round((now - written) / 60_000)} minutes after it was written`);
      const key = `${tab.place.name}/${id}`;
      const first = this.#expired.get(key) ?? now;
      this.#expired.set(key, first);
      const admitted = this.#admitted.get(id);
      const slept = tab.place.tabs.some(({ frozen, thawedAt }) => frozen || thawedAt > first - ON_ITS_WAY);
      if (admitted !== undefined && admitted < first - ON_ITS_WAY && !slept && world.oracle.now.inputs.has(id))
        world.fault('law-16', `${tab.name} shows ${id} as expired, and the server has it`);
    }
  }
}
