/** Nothing runs in a session that is paused, until somebody has it go on; and what one tab sends is admitted in the order it was sent. */
import { isTombstone } from '#shared/protocol/summaries.ts';
import type { Commit } from '../../../server/store/port.ts';
import type { SimDevice } from '../device.ts';
import type { World } from '../world.ts';

export class TurnsLaw {
  readonly #world: World;
  readonly #paused = new Set<string>();
  /** Devices whose rows were kept aside for a while: what order they have is then made anew. */
  readonly #unordered = new Set<SimDevice>();
  constructor(world: World) {
    this.#world = world;
  }
  /** The server is another one. */
  forget(): void {
    this.#paused.clear();
  }
  commit({ sessionId, records, session }: Commit): void {
    const prompt = records.find(({ kind, type }) => kind === 'chunk' && type === 'prompt');
    if (this.#paused.has(sessionId) && prompt !== undefined && !records.some(({ type }) => type === 'resumed'))
      this.#world.fault('law-16', `${prompt.id} runs in ${sessionId}, which is paused`);
    if (!isTombstone(session) && session.status === 'paused') this.#paused.add(sessionId);
    else this.#paused.delete(sessionId);
  }

  /** Law 4. */
  look(): void {
    const { devices, oracle, words } = this.#world;
    for (const device of devices) if (device.tabs.some(({ ownLost }) => ownLost)) this.#unordered.add(device);
    const last = new Map<string, { seq: number; id: string }>();
    for (const { device, tab, sessionId, inputId, kind } of words.all) {
      const receipt = kind === 'prompt' && !this.#unordered.has(device) ? oracle.now.inputs.get(inputId) : undefined;
      // An input that was cancelled before it came was never admitted.
      if (receipt === undefined || receipt.state === 'cancelled') continue;
      const key = `${tab.name}/${sessionId}`;
      const before = last.get(key);
      if (before !== undefined && before.seq > receipt.seq)
        this.#world.fault('law-04', `${inputId} was sent in ${tab.name} after ${before.id}, and was admitted before it`);
      last.set(key, { seq: receipt.seq, id: inputId });
    }
  }
}
