/**
 * Law 2: what was answered as accepted is there, whatever dies afterwards, until the server itself is set back.
 * And law 1: an id is accepted with the words that it has, and never with others.
 */
import type { Receipt } from '#shared/protocol/summaries.ts';
import { EPOCH_HEADER } from '#shared/protocol/version.ts';
import type { Answered, Asked } from '../exchange.ts';
import { wordsOf } from '../oracle.ts';
import type { World } from '../world.ts';

const INPUT = /^\/api\/sessions\/[^/]+\/inputs\/([^/?]+)$/;

export class AcceptedLaw {
  /** By input: the epoch under which it was answered. */
  readonly #accepted = new Map<string, string>();
  readonly #world: World;
  constructor(world: World) {
    this.#world = world;
  }
  /** An answer that reached somebody. */
  answered(asked: Asked, answer: Answered): void {
    const id = asked.method === 'PUT' ? INPUT.exec(asked.path)?.[1] : undefined;
    if (id === undefined || answer.status > 201) return;
    const receipt = JSON.parse(answer.text) as Receipt;
    if (receipt.id !== id) this.#world.fault('law-01', `the receipt of ${id} is of ${receipt.id}`);
    const sent = wordsOf(JSON.parse(asked.body ?? '{}') as Pick<Receipt, 'content'>);
    const { saidOf } = this.#world.oracle;
    if (receipt.state !== 'cancelled' && saidOf.get(id)?.has(sent) !== true)
      this.#world.fault('law-01', `${id} was accepted with "${sent}", which it never said`);
    this.#accepted.set(id, answer.headers[EPOCH_HEADER.toLowerCase()] ?? '');
  }
  /** What was accepted is in what was committed. */
  look(): void {
    const { now } = this.#world.oracle;
    for (const [id, epoch] of this.#accepted)
      if (epoch === now.epoch && !now.inputs.has(id)) this.#world.fault('law-02', `${id} was accepted and is nowhere`);
  }
}
