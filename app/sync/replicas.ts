/** The sessions that are kept in step with the server, by id. */
import { Replica, type ReplicaParts } from './replica.ts';
import type { SessionFrame } from './subscription.ts';

export interface ReplicasParts extends ReplicaParts {
  isUp(): boolean;
}

export class Replicas {
  readonly #parts: ReplicasParts;
  readonly #all = new Map<string, Replica>();

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
      if (this.#parts.isUp()) this.#parts.send({ type: 'unsubscribe', sessionId: id });
    }
    for (const id of wanted) {
      if (this.#all.has(id)) continue;
      const replica = new Replica(id, this.#parts);
      this.#all.set(id, replica);
      if (this.#parts.isUp()) replica.up();
    }
  }
  take(frame: SessionFrame): void {
    this.#all.get(frame.sessionId)?.take(frame);
  }
  up(): void {
    for (const replica of this.#all.values()) replica.up();
  }
  down(): void {
    for (const replica of this.#all.values()) replica.down();
  }
  clear(): void {
    this.down();
    this.#all.clear();
  }
}
