/** What the screen is told of the link, and what that takes: when it was last good, how the clocks stand, and a restart. */
import type { Clock, Timers } from '#shared/ports.ts';
import type { Own } from '../own/port.ts';
import type { ClockWatch } from './clock-watch.ts';
import { LastGood } from './last-good.ts';
import type { Welcome } from './link.ts';
import { FIRST_VIEW, linkView, type LinkFacts } from './link-view.ts';
import { NOTICES } from './notices.ts';
import { Restarts } from './restarts.ts';
import type { LinkView, Notice } from './views.ts';

/** How long the line names a restart, in milliseconds: afterwards it is history. */
const RESTART_SHOWN = 60_000;

export interface LinkShownParts {
  clock: Clock;
  timers: Timers;
  own: Own;
  clockWatch: ClockWatch;
  /** A turn runs somewhere, as far as is known. */
  runs(): boolean;
  notice(notice: Notice): void;
  facts(): Pick<LinkFacts, 'link' | 'synced' | 'replica' | 'rows'>;
  /** The view is another one. */
  show(view: LinkView, before: LinkView): void;
}

export class LinkShown {
  view: LinkView = FIRST_VIEW;
  readonly #parts: LinkShownParts;
  readonly #good: LastGood;
  readonly #restarts = new Restarts();
  #restartedAt: number | null = null;
  /** Something ran when the link went down. */
  #ran = false;
  #forget: (() => void) | null = null;

  constructor(parts: LinkShownParts) {
    this.#parts = parts;
    this.#good = new LastGood(parts.clock, parts.own, () => parts.clockWatch.known());
  }
  load(): Promise<void> {
    return this.#good.load();
  }
  /** The server is there, as far as anybody can know: what it said last is of now. */
  isInTouch(): boolean {
    return this.view.kind === 'live' || this.view.kind === 'catching-up';
  }
  /** The server is there, or has not been looked for in vain yet. */
  mayLoad(): boolean {
    return this.isInTouch() || this.view.kind === 'connecting';
  }
  /** Something came by the socket. */
  heard(): void {
    this.#good.heard();
  }
  /** A good moment to keep what is known. */
  note(): void {
    this.#good.note();
  }
  down(): void {
    this.#good.note();
    this.#ran = this.#parts.runs();
  }
  /** The server is there. Another process than before is named, and explained if it cut something off. */
  welcome({ boot, now }: Pick<Welcome, 'boot' | 'now'>): void {
    if (now !== undefined) this.#parts.clockWatch.heard(now - this.#parts.clock.now());
    const at = this.#restarts.welcome(boot);
    if (at === null) return;
    if (this.#ran) this.#parts.notice(NOTICES.restarted());
    this.#restartedAt = at;
    this.#forget?.();
    this.#forget = this.#parts.timers.after(RESTART_SHOWN, () => {
      this.#restartedAt = null;
      this.publish();
    });
  }
  publish(): void {
    const before = this.view;
    const next = linkView(before, {
      ...this.#parts.facts(),
      goodAt: this.#good.at(),
      silentFor: this.#good.silentFor(),
      skew: this.#parts.clockWatch.known(),
      restartedAt: this.#restartedAt,
    });
    if (next === before) return;
    this.view = next;
    this.#parts.show(next, before);
    if (next.kind === 'server-old' && before.kind !== 'server-old') this.#parts.notice(NOTICES.serverOld());
  }
}
