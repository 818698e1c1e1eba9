/**
 * Drafts: written to the disk soon after the last key, and at once when the page is hidden. The other windows of this device hear
 * of each as it is written, and of its end; what they do with it is theirs: words that are being typed are never replaced.
 */
import type { SyncParts } from './ports.ts';

/** Milliseconds after the last key. */
const SAVE_AFTER = 300;

type DraftsParts = Pick<SyncParts, 'own' | 'timers' | 'report' | 'channel' | 'page'>;
type Hear = (text: string) => void;

export class Drafts {
  readonly #parts: DraftsParts;
  readonly #waiting = new Map<string, { text: string; cancel: () => void }>();
  readonly #watched = new Map<string, Set<Hear>>();

  constructor(parts: DraftsParts) {
    this.#parts = parts;
    parts.page.onHide(() => void this.flush());
    parts.page.onWake(() => void this.reread().catch((error: unknown) => parts.report('drafts.reread', { error })));
  }
  async read(sessionId: string): Promise<string> {
    return this.#waiting.get(sessionId)?.text ?? this.#parts.own.draft(sessionId);
  }
  save(sessionId: string, text: string): void {
    this.#waiting.get(sessionId)?.cancel();
    const cancel = this.#parts.timers.after(SAVE_AFTER, () => void this.#write(sessionId));
    this.#waiting.set(sessionId, { text, cancel });
  }
  /** The words are in the outbox: what waits to be saved of them must not bring the draft back, here or in another window. */
  sent(sessionId: string): void {
    this.#forget(sessionId);
    this.#parts.channel?.tell({ type: 'draft', sessionId, text: '' });
  }
  /** All that waits is with own work once this resolves, or told. */
  async flush(): Promise<void> {
    await Promise.all([...this.#waiting.keys()].map((sessionId) => this.#write(sessionId)));
  }
  /** This device was emptied on purpose: nothing that waits may come back. */
  drop(): void {
    for (const sessionId of this.#waiting.keys()) this.#forget(sessionId);
  }

  /** `hear`: what another window made of this draft. Answers how to end it. */
  watch(sessionId: string, hear: Hear): () => void {
    const hearers = this.#watched.get(sessionId) ?? new Set();
    this.#watched.set(sessionId, hearers.add(hear));
    return () => {
      hearers.delete(hear);
      if (hearers.size === 0) this.#watched.delete(sessionId);
    };
  }
  /** Words that wait here were typed later. */
  heard(sessionId: string, text: string): void {
    if (this.#waiting.has(sessionId)) return;
    for (const hear of this.#watched.get(sessionId) ?? []) hear(text);
  }
  /** The page was away: what other windows told meanwhile it may have missed. */
  async reread(): Promise<void> {
    for (const sessionId of this.#watched.keys()) this.heard(sessionId, await this.read(sessionId));
  }

  #forget(sessionId: string): void {
    this.#waiting.get(sessionId)?.cancel();
    this.#waiting.delete(sessionId);
  }
  async #write(sessionId: string): Promise<void> {
    const waiting = this.#waiting.get(sessionId);
    if (waiting === undefined) return;
    const { own, channel, report } = this.#parts;
    this.#forget(sessionId);
    channel?.tell({ type: 'draft', sessionId, text: waiting.text });
    await own.saveDraft(sessionId, waiting.text).catch((error: unknown) => report('drafts.save', { error }));
  }
}
