/** Which history of the server is mirrored here: a restored or recreated database is another one, and all of ours goes at once (B4). */
import type { Mirror } from '../mirror/port.ts';
import type { Report } from '#shared/ports.ts';

export interface HistoriesParts {
  mirror: Mirror;
  report: Report;
  /** The mirror was emptied for another history: what was read from it is read anew, and everything asked again. */
  restored(): Promise<void>;
}

export class Histories {
  /** The one mirrored here; null: none yet. */
  epoch: string | null = null;
  readonly #parts: HistoriesParts;
  #adopting: Promise<void> = Promise.resolve();

  constructor(parts: HistoriesParts) {
    this.#parts = parts;
  }
  /** Another tab may have taken on another history here: what was read of the one before joins nothing of it. */
  async follow(): Promise<void> {
    const { epoch } = await this.#parts.mirror.facts();
    if (epoch !== null && this.epoch !== null && epoch !== this.epoch) await this.adopt(epoch, false);
  }
  /** `afresh`: also when it is the one mirrored. One after another; the outbox stays. */
  adopt(epoch: string, afresh: boolean): Promise<void> {
    const run = this.#adopting.then(async () => {
      if (this.epoch === epoch && !afresh) return;
      const isOther = this.epoch !== null;
      this.epoch = epoch;
      await this.#parts.mirror.adopt(epoch, afresh);
      if (isOther) await this.#parts.restored();
    });
    return this.#queued(run);
  }
  /** The mirror is another one than a moment ago, and may hold nothing: what is put into it is of this history all the same. */
  again(): Promise<void> {
    const { mirror } = this.#parts;
    const run = this.#adopting.then(async () => {
      if (this.epoch !== null && (await mirror.facts()).epoch === null) await mirror.adopt(this.epoch, false);
    });
    return this.#queued(run);
  }
  #queued(run: Promise<void>): Promise<void> {
    this.#adopting = run.catch((error: unknown) => this.#parts.report('engine.adopt', { error }));
    return run;
  }
}
