/**
 * Streamed text made fit to be stored and sent back: no NUL (SQLite's text functions and many tools stop at one), no lone
 * surrogate (the API refuses it). A pair may come in two deltas, so a high half waits for what follows.
 */
export class CleanText {
  #held = '';

  /** What of the text so far can be passed on. */
  push(text: string): string {
    const all = this.#held + text;
    const last = all.charCodeAt(all.length - 1);
    const open = last >= 0xd800 && last < 0xdc00;
    this.#held = open ? all.slice(-1) : '';
    return clean(open ? all.slice(0, -1) : all);
  }

  /** What was held, once nothing more comes. */
  end(): string {
    const rest = clean(this.#held);
    this.#held = '';
    return rest;
  }
}

export function clean(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}
