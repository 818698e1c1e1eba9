/** Picking lines out of a text that comes in pieces, holding no more than was asked for, however long the lines are. Pure. */
export interface PickedLines {
  text: string;
  /** Numbers of the first and last line picked, from 1; last < first: none. */
  first: number;
  last: number;
  /** Lines seen in all. A final line break does not open another line. */
  total: number;
  /** The bound ended the picking before the range did. */
  bounded: boolean;
}
export interface LinePick {
  from: number;
  lines: number;
  /** Bound of a single line, in UTF-16 units. */
  lineChars: number;
  /** Bound of all together, in bytes of UTF-8. */
  totalBytes: number;
}

export class LinePicker {
  readonly #pick: LinePick;
  #number = 1;
  #picked: string[] = [];
  #bytes = 0;
  #last: number;
  #bounded = false;
  /** The line being read: its start, and how much of it was not kept. */
  #line = '';
  #over = 0;
  #open = false;

  constructor(pick: LinePick) {
    this.#pick = pick;
    this.#last = pick.from - 1;
  }

  /** The range is complete, or the bound was reached: nothing more will be picked. */
  get done(): boolean {
    return this.#bounded || this.#number >= this.#pick.from + this.#pick.lines;
  }

  /** `text` with LF endings or CR LF: the CR is dropped, as a reader would. */
  write(text: string): void {
    let at = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', at)) {
      this.#add(text, at, end);
      this.#close('\n');
      at = end + 1;
    }
    if (at < text.length) this.#add(text, at, text.length);
  }

  end(): PickedLines {
    if (this.#open) this.#close('');
    return { text: this.#picked.join(''), first: this.#pick.from, last: this.#last, total: this.#number - 1, bounded: this.#bounded };
  }

  #wanted(): boolean {
    return !this.#bounded && this.#number >= this.#pick.from && this.#number < this.#pick.from + this.#pick.lines;
  }

  #add(text: string, from: number, to: number): void {
    this.#open = true;
    if (!this.#wanted()) return;
    const room = Math.max(0, this.#pick.lineChars - this.#line.length);
    const take = Math.min(room, to - from);
    this.#line += text.slice(from, from + take);
    this.#over += to - from - take;
  }

  #close(ending: '\n' | ''): void {
    if (this.#wanted()) {
      let line = this.#over === 0 && ending !== '' && this.#line.endsWith('\r') ? this.#line.slice(0, -1) : this.#line;
      if (this.#over > 0) line = `${line.toWellFormed()}[… ${this.#over} more characters in this line …]`;
      line += ending;
      const bytes = Buffer.byteLength(line);
      if (this.#bytes + bytes > this.#pick.totalBytes && this.#picked.length > 0) this.#bounded = true;
      else {
        this.#picked.push(line);
        this.#bytes += bytes;
        this.#last = this.#number;
      }
    }
    this.#line = '';
    this.#over = 0;
    this.#open = false;
    this.#number++;
  }
}
