/**
 * Whether a text goes on from what it was, without comparing all of it at every delta: its first and last characters each
 * time, the whole whenever it has grown by a quarter, and at the end. So all comparing together costs no more than a few
 * readings of the text.
 */
const NEAR = 64;

export class Growth {
  #text = '';
  /** The last text that was compared whole. */
  #checked = '';

  /** The text as it was last taken. */
  get text(): string {
    return this.#text;
  }
  /**
   * Takes the next text. False: it is another one, of which nothing is known. `exactly`: compare the whole. `known`: that it
   * goes on is known from where it comes, so it is not even looked at.
   */
  take(text: string, exactly: boolean, known: boolean): boolean {
    const before = this.#text;
    const goesOn = (known && !exactly) || (text.length >= before.length && this.#near(text, before) && this.#whole(text, exactly));
    this.#text = text;
    if (!goesOn) this.#checked = text;
    return goesOn;
  }
  #near(text: string, before: string): boolean {
    const from = Math.max(0, before.length - NEAR);
    return text.startsWith(before.slice(0, NEAR)) && text.startsWith(before.slice(from), from);
  }
  #whole(text: string, exactly: boolean): boolean {
    if (!exactly && text.length < this.#checked.length * 1.25) return true;
    if (!text.startsWith(this.#checked)) return false;
    this.#checked = text;
    return true;
  }
}
