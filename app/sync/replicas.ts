/** The sessions that are kept in step with the server, by id. */
import type { OutboxRow, RowState } from '../own/port.ts';
import { Replica, type ReplicaParts } from './replica.ts';
import type { SessionFrame } from './subscription.ts';

/** Sessions kept subscribed beside the open one: those opened last, and those with inputs on their way. */
export const RECENT = 4;
const SUBSCRIBED = 16;
const ON_ITS_WAY: readonly RowState[] = ['held', 'sending', 'unknown', 'acked'];

/** Sessions to be kept in step. `recent`: opened lately, the newest first. */
export function wantedSessions(recent: readonly string[], rows: readonly OutboxRow[]): Set<string> {
  const busy = rows.filter((row) => row.command.kind === 'input' && ON_ITS_WAY.includes(row.state)).map(({ sessionId }) => sessionId);
  return new Set([...recent, ...busy].slice(0, SUBSCRIBED));
}

export interface ReplicasParts extends ReplicaParts {
  isUp(): boolean;
  /** False while the session is made on this device only: the server would not know it. */
  isMade(sessionId: string): boolean;
}

export class Replicas {
  readonly #parts: ReplicasParts;
  readonly #all = new Map<string, Replica>();
  /** Left down because their session is not made yet. */
  readonly #unmade = new Set<string>();

  constructor(parts: ReplicasParts) {
    this.#parts = parts;
  }
  get(sessionId: string): Replica | null {
    return this.#all.get(sessionId) ?? null;
  }
  has(sessionId: string): boolean {
    return this.#all.has(sessionId);
  }
  /** Subscribes to these, lets go of the rest. */
  want(wanted: ReadonlySet<string>): void {
    for (const [id, replica] of this.#all) {
      if (wanted.has(id)) continue;
      replica.down();
      this.#all.delete(id);
      this.#unmade.delete(id);
      if (this.#parts.isUp()) this.#parts.send({ type: 'unsubscribe', sessionId: id });
    }
    for (const id of wanted) {
      const known = this.#all.get(id);
      if (known !== undefined && !this.#unmade.has(id)) continue;
      const replica = known ?? new Replica(id, this.#parts);
      this.#all.set(id, replica);
      if (this.#parts.isUp()) this.#raise(id, replica);
    }
  }
  take(frame: SessionFrame): void {
    this.#all.get(frame.sessionId)?.take(frame);
  }
  /** The server spoke of it: one that it had refused is there by now. */
  told(sessionId: string): void {
    const replica = this.#all.get(sessionId);
    if (replica?.refused === true && this.#parts.isUp()) this.#raise(sessionId, replica);
  }
  up(): void {
    for (const [id, replica] of this.#all) this.#raise(id, replica);
  }
  #raise(id: string, replica: Replica): void {
    if (!this.#parts.isMade(id)) return void this.#unmade.add(id);
    this.#unmade.delete(id);
    replica.up();
  }
  down(): void {
    for (const replica of this.#all.values()) replica.down();
  }
  clear(): void {
    this.down();
    this.#unmade.clear();
    this.#all.clear();
  }
}
