/**
 * Seeded chance. Every stream has a name under the seed, so that what one part of a history draws never shifts what another
 * draws: an action that is left out changes nothing about how the others are drawn.
 */
import type { Random } from '#shared/ports.ts';

/** FNV-1a, enough to tell streams apart. */
function hashOf(words: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < words.length; at++) hash = Math.imul(hash ^ words.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

export class Chance implements Random {
  #state: number;
  constructor(...name: (string | number)[]) {
    this.#state = hashOf(name.join('/'));
  }
  /** Uniform in [0, 1) (mulberry32). */
  unit(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    const state = this.#state;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  bytes(n: number): Uint8Array {
    return Uint8Array.from({ length: n }, () => Math.floor(this.unit() * 256));
  }
  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1));
  }
  is(probability: number): boolean {
    return this.unit() < probability;
  }
  /** Undefined of an empty list. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.unit() * list.length)];
  }
  /** One of the names, each as likely as its weight says. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.unit() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) if ((left -= weight) < 0) return name;
    return entries.at(-1)![0];
  }
}
