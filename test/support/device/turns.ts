/** A turn on a stand, driven step by step: what the runner would commit and stream. */
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import type { LiveKey } from '#shared/chunks/fold.ts';
import { emptyFold, fold, type LiveFold } from '#shared/chunks/fold.ts';
import { explode } from '#shared/chunks/explode.ts';
import type { Claim } from '../../../server/store/port.ts';
import { clock, uuid, type HttpStand } from '../http-stand.ts';

export class DrivenTurn {
  readonly #stand: HttpStand;
  readonly sessionId: string;
  readonly turnId: string;
  readonly #claim: Claim;
  step = 0;
  #fold: LiveFold | null = null;
  #n = 0;
  #after = 0;

  constructor(stand: HttpStand, sessionId: string, turnId: string, claim: Claim) {
    this.#stand = stand;
    this.sessionId = sessionId;
    this.turnId = turnId;
    this.#claim = claim;
  }
  /** Hands over a prompt, as another device would, and opens a turn on it. */
  static async prompted(stand: HttpStand, sessionId: string, turnId: string, text = 'go'): Promise<DrivenTurn> {
    await prompt(stand, sessionId, text);
    return DrivenTurn.open(stand, sessionId, turnId);
  }
  /** Opens a turn on what is pending. */
  static async open(stand: HttpStand, sessionId: string, turnId: string): Promise<DrivenTurn> {
    const opened = await stand.store.openTurn(sessionId, 'a test', turnId, clock.now(), () => []);
    if (opened === null) throw new Error('nothing opened a turn');
    return new DrivenTurn(stand, sessionId, turnId, opened.claim);
  }
  async begin(): Promise<void> {
    this.#after = (await this.#stand.logOf(this.sessionId)).length;
    this.#n = 0;
    this.#fold = emptyFold(this.#key());
    this.#snapshot();
  }
  /** Streams text into chunk `i`; `end` closes it. */
  say(i: number, text: string, end = false): void {
    const at = { turnId: this.turnId, step: this.step };
    const events: AgentEvent[] = [{ ...at, type: 'text-delta', i, text }];
    if (end) events.push({ ...at, type: 'text-end', i });
    this.#fold = fold(this.#fold!, events);
    this.#n += 1;
    this.#snapshot();
    this.#stand.runner.stream({ sessionId: this.sessionId, ...this.#key(), n: this.#n, events });
  }
  /** Seals what was streamed, and goes on to the next step. */
  async seal(): Promise<void> {
    const rows = explode(this.#fold!, 'complete').map((draft) => ({ kind: 'chunk' as const, ...draft }));
    this.#fold = null;
    this.#stand.runner.snapshots.delete(this.sessionId);
    await this.#stand.store.seal(this.#claim, rows, clock.now());
    this.step += 1;
  }
  async settle(): Promise<void> {
    const end = { reason: 'done' as const, rows: [], pause: null, unlessSteers: false };
    await this.#stand.store.settle(this.#claim, this.turnId, end, clock.now());
  }
  #key(): LiveKey {
    return { turnId: this.turnId, step: this.step, attempt: 0, phase: 'message' };
  }
  #snapshot(): void {
    this.#stand.runner.snapshots.set(this.sessionId, {
      ...this.#key(),
      n: this.#n,
      afterSeq: this.#after,
      chunks: [...this.#fold!.chunks],
    });
  }
}

/** A prompt from another device. */
export async function prompt(stand: HttpStand, sessionId: string, text: string, delivery: 'steer' | 'queue' = 'steer'): Promise<string> {
  const id = uuid();
  await stand.call('PUT', `/sessions/${sessionId}/inputs/${id}`, { content: [{ type: 'text', text }], delivery });
  return id;
}
