/**
 * Nothing runs in a session that is paused, until somebody has it go on; what one tab sends is admitted in the order it was sent; and
 * what waits in a session that is idle does not wait for long.
 */
import { isTombstone } from '#shared/protocol/summaries.ts';
import type { Commit } from '../../../server/store/port.ts';
import type { SimDevice } from '../device.ts';
import type { World } from '../world.ts';

/** Beyond the time after which a server that stumbled looks again. */
const IDLE_FOR = 12_000;

export class TurnsLaw {
  readonly #world: World;
  readonly #paused = new Set<string>();
  /** Devices whose rows were kept aside for a while: what order they have is then made anew. */
  readonly #unordered = new Set<SimDevice>();
  /** By session: since when something waits in it although nothing runs. */
  readonly #idle = new Map<string, number>();
  constructor(world: World) {
    this.#world = world;
  }
  /** The server is another one. */
  forget(): void {
    this.#paused.clear();
  }
  /** The server is down: nothing goes on. */
  down(): void {
    this.#idle.clear();
  }
  commit({ sessionId, records, session }: Commit): void {
    const prompt = records.find(({ kind, type }) => kind === 'chunk' && type === 'prompt');
    if (this.#paused.has(sessionId) && prompt !== undefined && !records.some(({ type }) => type === 'resumed'))
      this.#world.fault('law-16', `${prompt.id} runs in ${sessionId}, which is paused`);
    if (isTombstone(session) || session.status !== 'idle') this.#idle.delete(sessionId);
    if (!isTombstone(session) && session.status === 'paused') this.#paused.add(sessionId);
    else this.#paused.delete(sessionId);
  }

  look(): void {
    this.#lookAtOrder();
    this.#lookAtIdle();
  }
  /** Law 13. */
  #lookAtIdle(): void {
    const { clock, oracle, server } = this.#world;
    if (!server.isUp) return;
    const waiting = new Set<string>();
    for (const { sessionId, state, held } of oracle.now.inputs.values()) if (state === 'pending' && held !== true) waiting.add(sessionId);
    for (const sessionId of this.#idle.keys()) if (!waiting.has(sessionId)) this.#idle.delete(sessionId);
    for (const sessionId of waiting) {
      const entry = oracle.now.sessions.get(sessionId)?.entry;
      if (entry === undefined || isTombstone(entry) || entry.status !== 'idle') {
        this.#idle.delete(sessionId);
        continue;
      }
      const since = this.#idle.get(sessionId) ?? clock.now();
      this.#idle.set(sessionId, since);
      if (clock.now() - since > IDLE_FOR) this.#world.fault('law-13', `${sessionId} is idle, and an input waits in it`);
    }
  }
  /** Law 4. */
  #lookAtOrder(): void {
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
