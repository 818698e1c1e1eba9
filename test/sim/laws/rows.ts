/**
 * What may become of an input in the outbox, held against every write of a row: it leaves only when the server has settled it or its
 * user lets it go (law 3), it is refused only by the server, and one that was tried is not old before the server was asked for it
 * (law 16).
 */
import type { OutboxRow, Own, RowState } from '../../../app/own/port.ts';
import { isOneOf } from '../../../app/own/rows.ts';
import type { SimDevice } from '../device.ts';
import { MemoryDisk } from '../disk.ts';
import type { Answered, Asked } from '../exchange.ts';
import type { SimTab } from '../tab.ts';
import type { World } from '../world.ts';

const INPUT = /^\/api\/sessions\/[^/]+\/inputs\/([^/?]+)$/;
/** Nobody has been told anything of these yet. */
const UNTOLD = new Set<RowState>(['held', 'sending', 'unknown', 'acked']);

export class RowsLaw {
  readonly #world: World;
  /** Inputs that the server has refused, in an answer that was heard. */
  readonly #refused = new Set<string>();
  /** By device and input: what was heard last, since it was last sent, was that the server has no such input. */
  readonly #unknown = new Set<string>();
  constructor(world: World) {
    this.#world = world;
  }
  /** An answer that reached somebody. */
  answered(place: { name: string }, { method, path }: Asked, { status }: Answered): void {
    const id = INPUT.exec(path)?.[1];
    if (id === undefined || status === 401) return;
    const isRefusal = status >= 400 && status < 500;
    if (isRefusal) this.#refused.add(id);
    if (method !== 'GET') return;
    if (isRefusal) this.#unknown.add(`${place.name}/${id}`);
    else this.#unknown.delete(`${place.name}/${id}`);
  }

  /** `own` as it is, watched, where it costs nothing to look: in memory. */
  watched(tab: SimTab, own: Own): Own {
    const { disk } = tab.place;
    if (!(disk instanceof MemoryDisk)) return own;
    const inputs = async (ids: readonly string[]): Promise<OutboxRow[]> =>
      (await disk.own.rows()).filter(({ id, command }) => command.kind === 'input' && ids.includes(id));
    return {
      ...own,
      change: async (id, patch, only) => {
        const [row] = patch.state === undefined ? [] : await inputs([id]);
        const done = await own.change(id, patch, only);
        if (done && row !== undefined) this.#moved(tab, row, patch.state!);
        return done;
      },
      remove: async (ids, states) => {
        const rows = await inputs(ids);
        await own.remove(ids, states);
        for (const row of rows) if (isOneOf(row, states)) this.#left(tab.place, row);
      },
    };
  }
  #moved({ name, place }: SimTab, { id, attempted }: OutboxRow, state: RowState): void {
    const key = `${place.name}/${id}`;
    if (state === 'sending') this.#unknown.delete(key);
    if (state === 'refused' && !this.#refused.has(id)) this.#world.fault('law-16', `${name} takes ${id} for refused, which no server said`);
    if (state === 'expired' && attempted !== null && !this.#unknown.has(key))
      this.#world.fault('law-16', `${name} takes ${id} for expired, which was tried, and did not ask the server for it`);
  }
  #left(device: SimDevice, { id, state, attempted, sessionId }: OutboxRow): void {
    const { oracle, words, deleted } = this.#world;
    // What never left the device is its user's alone.
    if (attempted === null || !UNTOLD.has(state) || device.leaving || deleted.has(sessionId)) return;
    if (!words.all.some(({ inputId, excused }) => inputId === id && excused === null)) return;
    const ever = oracle.histories.flatMap(({ inputs }) => inputs.get(id) ?? []);
    if (ever.every((receipt) => receipt.state === 'pending'))
      this.#world.fault(
        'law-03',
        `row ${id} (${state}) leaves ${device.name}, and the server says ${ever.at(-1)?.state ?? 'nothing'} of it`,
      );
  }
}
