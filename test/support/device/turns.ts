/** A turn on a stand, driven step by step: what the runner would commit and stream. */
import type { AgentEvent } from '#shared/protocol/agent-events.ts';
import type { LiveKey } from '#shared/chunks/fold.ts';
import { emptyFold, fold, type LiveFold } from '#shared/chunks/fold.ts';
import { explode } from '#shared/chunks/explode.ts';
import type { Phase } from '#shared/protocol/summaries.ts';
import type { Claim } from '../../../server/store/port.ts';
import { clock, uuid, type HttpStand } from '../http-stand.ts';

export class DrivenTurn {
  readonly #stand: HttpStand;
  readonly sessionId: string;
  readonly turnId: string;
  readonly #claim: Claim;
  step = 0;
  #fold: LiveFold | null = null;
  #phase: Phase = 'message';
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
  /** `phase`: `tools` follows a message whose calls are run. */
  async begin(phase: Phase = 'message'): Promise<void> {
    this.#phase = phase;
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
    this.stream(events);
  }
  /** Streams output of tool `i`; `end` settles it. */
  output(i: number, text: string, end = false): void {
    const at = { turnId: this.turnId, step: this.step, i, callId: `call-${this.step}-${i}` };
    const events: AgentEvent[] = [{ ...at, type: 'tool-output', stream: 'stdout', text }];
    if (end) events.push({ ...at, type: 'tool-end', isError: false });
    this.stream(events);
  }
  stream(events: AgentEvent[]): void {
    this.#fold = fold(this.#fold!, events);
    this.#n += 1;
    this.#snapshot();
    this.#stand.runner.stream({ sessionId: this.sessionId, ...this.#key(), n: this.#n, events });
  }
  /** Places of what streams now, and of what of it is still open. */
  get streaming(): { all: number[]; open: number[] } {
    const chunks = this.#fold?.chunks ?? [];
    return { all: chunks.map(({ i }) => i), open: chunks.filter(({ open }) => open).map(({ i }) => i) };
  }
  /** Seals what was streamed. `goOn`: the next step follows, not the tools of this one. */
  async seal(goOn = true): Promise<void> {
    const rows = explode(this.#fold!, 'complete').map((draft) => ({ kind: 'chunk' as const, ...draft }));
    this.#fold = null;
    this.#stand.runner.snapshots.delete(this.sessionId);
    if (rows.length > 0) await this.#stand.store.seal(this.#claim, rows, clock.now());
    if (goOn) this.step += 1;
  }
  /** Seals the settled result `i` alone, while others are open. */
  async sealOne(i: number): Promise<void> {
    const live = this.#fold!;
    const rows = explode({ ...live, chunks: live.chunks.filter((chunk) => chunk.i === i) }, 'complete');
    this.#fold = { ...live, chunks: live.chunks.filter((chunk) => chunk.i !== i) };
    this.#snapshot();
    await this.#stand.store.seal(
      this.#claim,
      rows.map((draft) => ({ kind: 'chunk' as const, ...draft })),
      clock.now(),
    );
  }
  async settle(): Promise<void> {
    const end = { reason: 'done' as const, rows: [], pause: null, unlessSteers: false };
    await this.#stand.store.settle(this.#claim, this.turnId, end, clock.now());
  }
  #key(): LiveKey {
    return { turnId: this.turnId, step: this.step, attempt: 0, phase: this.#phase };
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
