/** How the copying stands, put on the screen a few times a second at most. */
import type { Clock, Timers } from '#shared/ports.ts';
import type { Screen } from './ports.ts';
import type { CopyingView } from './views.ts';

/** Milliseconds between two views. */
const EVERY = 250;

export class CopyingShown {
  readonly #parts: { screen: Pick<Screen, 'copying'>; clock: Clock; timers: Timers };
  #view: CopyingView | null = null;
  #told: CopyingView | null = null;
  #last = Number.NEGATIVE_INFINITY;
  #cancel: (() => void) | null = null;

  constructor(parts: { screen: Pick<Screen, 'copying'>; clock: Clock; timers: Timers }) {
    this.#parts = parts;
  }
  put(view: CopyingView | null): void {
    this.#view = view;
    // What only counts on can wait; a word that changed cannot.
    if (view?.state !== this.#told?.state) return this.#tell();
    const left = this.#last + EVERY - this.#parts.clock.now();
    if (left <= 0 || left > EVERY) this.#tell();
    else this.#cancel ??= this.#parts.timers.after(left, () => this.#tell());
  }
  /** The user holds it, or lets it go on: said before anything is done about it. */
  held(paused: boolean): void {
    if (this.#view !== null) this.put({ ...this.#view, state: paused ? 'paused' : 'running' });
  }

  #tell(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (same(this.#view, this.#told)) return;
    this.#told = this.#view;
    this.#last = this.#parts.clock.now();
    this.#parts.screen.copying(this.#view);
  }
}

function same(a: CopyingView | null, b: CopyingView | null): boolean {
  if (a === null || b === null) return a === b;
  return a.sessionId === b.sessionId && a.title === b.title && a.done === b.done && a.of === b.of && a.state === b.state;
}
