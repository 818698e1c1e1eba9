/**
 * Who moves the scroller. What the list makes up for is written to `scrollTop` while the reader's hand is off it. During a
 * gesture that would cut a fling short (Safari) or a wheel's glide (Chromium), so the list itself is shifted instead, and the
 * shift is turned into scroll position once the view has come to rest.
 */
export interface MotionParts {
  readonly box: HTMLElement;
  readonly list: HTMLElement;
  /** The view has moved from there, and not by a write from here. */
  moved(from: number): void;
  /** A write from here has arrived, or the view has come to rest. */
  still(): void;
}

/** So long without a scroll event is at rest, where the browser does not say so itself. */
const REST_MS = 150;

export class ScrollMotion {
  readonly #parts: MotionParts;
  /** Where the last write from here put the view. */
  #own = -1;
  #last: number;
  #touching = false;
  #byTouch = false;
  #moving = false;
  #timer = 0;
  #shift = 0;

  constructor(parts: MotionParts) {
    this.#parts = parts;
    this.#last = parts.box.scrollTop;
    const passive = { passive: true } as const;
    parts.box.addEventListener('scroll', this.#onScroll, passive);
    parts.box.addEventListener('scrollend', this.#onScrollEnd, passive);
    parts.box.addEventListener('touchstart', this.#onTouch, passive);
    parts.box.addEventListener('touchend', this.#onTouchEnd, passive);
    parts.box.addEventListener('touchcancel', this.#onTouchEnd, passive);
    parts.box.addEventListener('wheel', this.#onWheel, passive);
  }
  stop(): void {
    const { box } = this.#parts;
    window.clearTimeout(this.#timer);
    box.removeEventListener('scroll', this.#onScroll);
    box.removeEventListener('scrollend', this.#onScrollEnd);
    box.removeEventListener('touchstart', this.#onTouch);
    box.removeEventListener('touchend', this.#onTouchEnd);
    box.removeEventListener('touchcancel', this.#onTouchEnd);
    box.removeEventListener('wheel', this.#onWheel);
  }

  /** Where the view stands in the list, with what is held back. */
  get top(): number {
    return this.#parts.box.scrollTop + this.#shift;
  }
  /** Moves the view by as much as the content above it has grown. Answers what could not be moved: parts of a pixel, or an end. */
  by(distance: number): number {
    if (this.#touching || this.#moving) {
      this.#setShift(this.#shift + distance);
      this.#settleAtEdge();
      return 0;
    }
    return this.#write(this.#clamped() + distance);
  }
  /** The view stands at `top` of the list. Answers what is missing to it. */
  to(top: number): number {
    this.#setShift(0);
    return this.#write(top);
  }
  toEnd(): void {
    const { box } = this.#parts;
    this.#setShift(0);
    const end = box.scrollHeight - box.clientHeight;
    if (Math.abs(box.scrollTop - end) >= 0.5) this.#write(end);
    else this.#own = this.#last = box.scrollTop;
  }

  /** Where the view was, if the browser only pushed it back because the content was shorter for a moment. */
  #clamped(): number {
    const { box } = this.#parts;
    const isPushed = box.scrollTop < this.#last && box.scrollHeight - box.clientHeight - box.scrollTop < 1;
    return isPushed ? this.#last : box.scrollTop;
  }
  #write(top: number): number {
    const { box } = this.#parts;
    box.scrollTop = top;
    this.#own = this.#last = box.scrollTop;
    return top - box.scrollTop;
  }
  #setShift(shift: number): void {
    if (shift === this.#shift) return;
    this.#shift = shift;
    this.#parts.list.style.marginTop = shift === 0 ? '' : `${-shift}px`;
  }
  #settle(): void {
    if (this.#shift === 0) return;
    const top = this.top;
    this.#setShift(0);
    this.#write(top);
  }
  /** Close to an end the shift hides what the reader is heading for. A finger's fling is let run until it is there. */
  #settleAtEdge(): void {
    const { box } = this.#parts;
    if (this.#touching || this.#shift === 0) return;
    const margin = this.#byTouch ? 1 : box.clientHeight;
    const room = this.#shift > 0 ? box.scrollTop : box.scrollHeight - box.clientHeight - box.scrollTop;
    if (room < margin) this.#settle();
  }

  #rest(): void {
    window.clearTimeout(this.#timer);
    if (this.#touching || !this.#moving) return;
    this.#moving = false;
    this.#byTouch = false;
    this.#settle();
    this.#parts.still();
  }
  #restSoon(): void {
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#rest(), REST_MS);
  }
  readonly #onScroll = (): void => {
    const { box, moved, still } = this.#parts;
    if (Math.abs(box.scrollTop - this.#own) < 0.5) {
      still();
      return;
    }
    const from = this.#last;
    this.#own = -1;
    this.#last = box.scrollTop;
    this.#moving = true;
    this.#restSoon();
    this.#settleAtEdge();
    moved(from);
  };
  readonly #onScrollEnd = (): void => this.#rest();
  readonly #onTouch = (): void => {
    this.#touching = true;
    this.#byTouch = true;
    this.#moving = true;
  };
  readonly #onTouchEnd = (event: TouchEvent): void => {
    if (event.touches.length > 0) return;
    this.#touching = false;
    // A fling goes on with scroll events; none of them is rest.
    this.#restSoon();
  };
  readonly #onWheel = (): void => {
    if (this.#touching) return;
    this.#byTouch = false;
    // The glide begins before its first scroll event is told.
    this.#moving = true;
    this.#restSoon();
  };
}
