/**
 * A tool's output, bounded: its head is passed on as it comes, what follows is held back, and at the end either all of it
 * or only its tail is passed on, with a note of how much was left out between. So what was passed on, joined, is exactly
 * what is sealed (law 14), and no tool can make the server hold more than a few pieces (law 15).
 */
import type { Timers } from '#shared/ports.ts';

/** Bytes that one or more outputs may still pass on as they come. */
export interface Allowance {
  left: number;
}
type Emit = (text: string) => void;

export class BoundedOutput {
  readonly #head: Allowance;
  readonly #tailBytes: number;
  readonly #emit: Emit;
  #held: { text: string; bytes: number }[] = [];
  #heldBytes = 0;
  #dropped = 0;
  #holding = false;

  constructor(head: Allowance, tailBytes: number, emit: Emit) {
    this.#head = head;
    this.#tailBytes = tailBytes;
    this.#emit = emit;
  }

  /** `raw` never ends within a surrogate pair (a `StringDecoder` sees to that). NUL is removed: no stored string holds one. */
  write(raw: string): void {
    // By runs: a command may print nothing else.
    let text = raw.toWellFormed().replaceAll(/\0+/g, '');
    if (!this.#holding) {
      const fit = prefixWithin(text, this.#head.left);
      if (fit !== '') this.#emit(fit);
      this.#head.left -= Buffer.byteLength(fit);
      text = text.slice(fit.length);
      // Once something is held, nothing may overtake it, even if a byte or two of the head were left.
      if (text !== '') this.#holding = true;
    }
    if (text === '') return;
    const bytes = Buffer.byteLength(text);
    this.#held.push({ text, bytes });
    this.#heldBytes += bytes;
    while (this.#held.length > 0 && this.#heldBytes - this.#held[0]!.bytes >= this.#tailBytes) {
      const gone = this.#held.shift()!;
      this.#heldBytes -= gone.bytes;
      this.#dropped += gone.bytes;
    }
  }

  /** True once nothing more is passed on before the end: then all but the last `tailBytes` may as well be skipped. */
  get holding(): boolean {
    return this.#holding;
  }

  /** Leaves out what is held and `bytes` more that nobody looked at. Only while `holding`. */
  skip(bytes: number): void {
    this.#dropped += this.#heldBytes + bytes;
    this.#held = [];
    this.#heldBytes = 0;
  }

  /** Passes on what is held. True if some of the output was left out. */
  end(): boolean {
    const held = this.#held.map((piece) => piece.text).join('');
    this.#held = [];
    const tail = suffixWithin(held, this.#tailBytes);
    const left = this.#dropped + this.#heldBytes - Buffer.byteLength(tail);
    this.#heldBytes = 0;
    if (left > 0) this.#emit(`\n[… ${left} bytes left out …]\n`);
    if (tail !== '') this.#emit(tail);
    return left > 0;
  }
}

/** Joins small pieces: a tool that prints a byte at a time costs one event per `everyMs`, not one per byte. */
export class Batcher {
  readonly #timers: Timers;
  readonly #everyMs: number;
  readonly #maxChars: number;
  readonly #emit: Emit;
  #pending = '';
  #cancel: (() => void) | null = null;

  constructor(timers: Timers, everyMs: number, maxChars: number, emit: Emit) {
    this.#timers = timers;
    this.#everyMs = everyMs;
    this.#maxChars = maxChars;
    this.#emit = emit;
  }

  write(text: string): void {
    this.#pending += text;
    if (this.#pending.length >= this.#maxChars) this.flush();
    else this.#cancel ??= this.#timers.after(this.#everyMs, () => this.flush());
  }

  /** Passes on at once what waits; nothing comes later of what was written before. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = null;
    const text = this.#pending;
    this.#pending = '';
    if (text !== '') this.#emit(text);
  }
}

/** The longest start of well-formed `text` whose UTF-8 form has at most `bytes` bytes. */
export function prefixWithin(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  let used = 0;
  let at = 0;
  while (at < text.length) {
    const size = sizeAt(text, at);
    if (used + size > bytes) break;
    used += size;
    at += size === 4 ? 2 : 1;
  }
  return text.slice(0, at);
}

/** The longest end of well-formed `text` whose UTF-8 form has at most `bytes` bytes. */
export function suffixWithin(text: string, bytes: number): string {
  if (text.length * 3 <= bytes) return text;
  let used = 0;
  let at = text.length;
  while (at > 0) {
    const before = isLow(text.charCodeAt(at - 1)) ? at - 2 : at - 1;
    const size = sizeAt(text, before);
    if (used + size > bytes) break;
    used += size;
    at = before;
  }
  return text.slice(at);
}

function sizeAt(text: string, at: number): 1 | 2 | 3 | 4 {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit < 0xdc00 ? 4 : 3;
}

function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
