/**
 * Plain lines as nodes, in parts that are laid out each by itself: a line more costs a part and not all of them. The parts are
 * blocks, and a line end at the end of a block shows no line of its own, so that the text stays the text letter by letter.
 */
const PART_LINES = 32;

export class Lines {
  readonly #box: Element;
  #last: Text | null = null;
  #count = 0;
  constructor(box: Element) {
    this.#box = box;
  }
  /** In place of all there is. */
  set(text: string): void {
    this.#box.replaceChildren();
    this.#last = null;
    this.#count = 0;
    this.add(text);
  }
  add(text: string): void {
    for (let from = 0; from < text.length;) {
      let end = from;
      while (end < text.length && this.#count < PART_LINES) {
        const at = text.indexOf('\n', end);
        end = at < 0 ? text.length : at + 1;
        if (at >= 0) this.#count++;
      }
      this.#put(text.slice(from, end));
      if (this.#count === PART_LINES) {
        this.#last = null;
        this.#count = 0;
      }
      from = end;
    }
  }
  #put(text: string): void {
    if (this.#last !== null) return this.#last.appendData(text);
    this.#last = document.createTextNode(text);
    const part = document.createElement('span');
    part.className = 'lines-part';
    part.append(this.#last);
    this.#box.append(part);
  }
}
