/**
 * Output of any size. Its first and last lines are found without reading the rest; shown in full, it is an index of rows, and
 * only rows in view are ever made into words. Text that is added costs what it adds.
 */
import { escapeAcross, plainOutput } from './terminal.ts';
import { Growth } from './growth.ts';

/** Larger output is not counted, compared, sorted into hits or coloured: it is shown as it is. */
export const READ_CHARS = 256 * 1024;
/** Of a line that is longer, its beginning is shown where lines stand for the whole. */
const LINE_CHARS = 1000;
/** So far the end of a line is looked for. */
const LOOK_CHARS = 32 * 1024;
/** A longer line is several rows. */
const ROW_CHARS = 400;
/** More rows would be higher than a browser can scroll. */
const MAX_ROWS = 500_000;

/** The first `count` lines as plain text; fewer, if one of them is so long that its end is not looked for. */
export function headLines(text: string, count: number): string[] {
  const lines: string[] = [];
  for (let from = 0; lines.length < count && from < text.length;) {
    const near = text.slice(from, from + LOOK_CHARS).indexOf('\n');
    const end = near >= 0 ? from + near : Math.min(text.length, from + LOOK_CHARS);
    const line = lineOf(text, from, end);
    // Colour that is switched off behind the last line end is no line.
    if (near >= 0 || line !== '') lines.push(line);
    if (near < 0) break;
    from = end + 1;
  }
  return lines;
}
/** Likewise the last. */
export function tailLines(text: string, count: number): string[] {
  const lines: string[] = [];
  for (let end = text.endsWith('\n') ? text.length - 1 : text.length; lines.length < count && end >= 0 && text !== '';) {
    const start = Math.max(0, end - LOOK_CHARS);
    const near = text.slice(start, end).lastIndexOf('\n');
    if (near < 0 && start > 0) {
      lines.unshift(`…${plainOutput(text.slice(end - LINE_CHARS, end))}`);
      break;
    }
    const from = near < 0 ? 0 : start + near + 1;
    const line = lineOf(text, from, end);
    if (end < text.length || line !== '') lines.unshift(line);
    end = from - 1;
  }
  return lines;
}
/** Of a long line its beginning; of one that was drawn over its last state, which stands at its end. */
function lineOf(text: string, from: number, end: number): string {
  if (end - from <= LINE_CHARS) return plainOutput(text.slice(from, end));
  const near = end - LINE_CHARS;
  const state = text.slice(near, end - 1).lastIndexOf('\r');
  if (state >= 0) return plainOutput(text.slice(near + state, end));
  return `${plainOutput(text.slice(from, escapeAcross(text, from, from + LINE_CHARS)))}…`;
}

/** Rows of a text that may grow. */
export class Rows {
  /** Where each row begins. */
  readonly #starts: number[] = [];
  readonly #growth = new Growth();
  #lines = 0;
  /** Where the last row ends, its line end included. */
  #end = 0;
  #text = '';

  /** The text is `text` now. Only what was added is read, and the row that it is added to. */
  take(text: string): void {
    const from = this.#growth.take(text, false, false) ? this.#back() : this.#reset();
    this.#text = text;
    let at = from;
    while (at < text.length && this.#starts.length < MAX_ROWS) {
      const newline = text.indexOf('\n', at);
      const end = newline < 0 ? text.length : newline;
      let start = at;
      while (end - start > ROW_CHARS && this.#starts.length < MAX_ROWS - 1) {
        this.#starts.push(start);
        start = cutOf(text, start);
      }
      this.#starts.push(start);
      this.#lines++;
      at = newline < 0 ? text.length : newline + 1;
    }
    this.#end = at;
  }
  get count(): number {
    return this.#starts.length;
  }
  /** Lines, however many rows each takes. */
  get lines(): number {
    return this.#lines;
  }
  /** Characters that no row shows: the text has more rows than can be scrolled through. */
  get beyond(): number {
    return this.#text.length - this.#end;
  }
  at(row: number): string {
    const from = this.#starts[row]!;
    const to = this.#starts[row + 1] ?? this.#end;
    const end = this.#text[to - 1] === '\n' ? to - 1 : to;
    return plainOutput(this.#text.slice(from, end));
  }

  #reset(): number {
    this.#starts.length = 0;
    this.#lines = 0;
    this.#end = 0;
    return 0;
  }
  /** The last row is open while no line end closes it. */
  #back(): number {
    if (this.#end === 0 || this.#text[this.#end - 1] === '\n') return this.#end;
    this.#lines--;
    return this.#starts.pop()!;
  }
}

/** Where a long line is cut: neither within a character nor within a colour. */
function cutOf(text: string, start: number): number {
  let cut = escapeAcross(text, start + 1, start + ROW_CHARS);
  const code = text.charCodeAt(cut - 1);
  if (code >= 0xd800 && code <= 0xdbff) cut--;
  return cut;
}
