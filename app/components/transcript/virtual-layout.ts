/**
 * Where the rows of a long list stand, by key. Heights are measured for the rows in the page and guessed for the others; a
 * measured height outlives its row, so that what comes back takes the place it had. Pure: the page itself is elsewhere.
 */
export interface LayoutRow {
  readonly key: string;
  readonly kind: string;
}
/** Rows by place, both ends included; `last < first`: none. */
export interface Range {
  readonly first: number;
  readonly last: number;
}
/** What stands around a line of the list, nearest first, each with its distance from that line. */
export type Line = readonly { readonly key: string; readonly at: number }[];

/** Heights of so many rows are remembered at least, and of so many windows: what was just left may be come back to. */
const KEPT = 512;
const KEPT_WINDOWS = 2;
/** Before any row of a kind was measured. */
const GUESS = 120;
/** How many rows the mean of a kind looks back over. */
const MEMORY = 32;
/** Rows to each side by which a line is found again. */
const NEIGHBOURS = 32;

export class VirtualLayout {
  #rows: readonly LayoutRow[] = [];
  #places = new Map<string, number>();
  /** Least recently measured first. */
  #measured = new Map<string, number>();
  /** Of rows that are here and not measured: made once, so that a better mean moves nothing that already has its place. */
  #guessed = new Map<string, number>();
  #means = new Map<string, { mean: number; count: number }>();
  /** Begin of each row, and the end of the last; null: to be added up. */
  #offsets: Float64Array | null = null;

  get count(): number {
    return this.#rows.length;
  }
  get total(): number {
    return this.#sums()[this.#rows.length]!;
  }
  /** How many heights are held, for rows that are here or were. */
  get held(): number {
    return this.#measured.size + this.#guessed.size;
  }

  setRows(rows: readonly LayoutRow[]): void {
    const guessed = new Map<string, number>();
    this.#places = new Map();
    for (const [at, { key, kind }] of rows.entries()) {
      this.#places.set(key, at);
      if (!this.#measured.has(key)) guessed.set(key, this.#guessed.get(key) ?? this.#means.get(kind)?.mean ?? GUESS);
    }
    this.#rows = rows;
    this.#guessed = guessed;
    this.#offsets = null;
    this.#forget();
  }
  /** The row's height in the page. False: it is what was known. */
  measure(key: string, height: number): boolean {
    const old = this.#measured.get(key);
    if (old === height) return false;
    const place = this.#places.get(key);
    if (place === undefined) return false;
    if (old === undefined) this.#learn(this.#rows[place]!.kind, height);
    this.#measured.delete(key);
    this.#measured.set(key, height);
    this.#guessed.delete(key);
    this.#offsets = null;
    return true;
  }
  /** Rows are as high as they were, but those to come are not: the list is wider or narrower now. */
  forgetMeans(): void {
    this.#means.clear();
  }

  /** Undefined: no such row. */
  placeOf(key: string): number | undefined {
    return this.#places.get(key);
  }
  /** Where the row at this place begins; at `count`: where the list ends. */
  offsetAt(place: number): number {
    return this.#sums()[place]!;
  }
  /** The rows that reach into the stretch from `top` to `bottom`. */
  range(top: number, bottom: number): Range {
    if (this.#rows.length === 0) return { first: 0, last: -1 };
    return { first: this.#rowAt(top), last: this.#rowAt(Math.max(top, bottom)) };
  }
  /** What stands at `top`, to be found again after any change. */
  lineAt(top: number): Line {
    if (this.#rows.length === 0) return [];
    const here = this.#rowAt(top);
    const line: { key: string; at: number }[] = [];
    const add = (place: number): void => {
      const row = this.#rows[place];
      if (row !== undefined) line.push({ key: row.key, at: this.offsetAt(place) - top });
    };
    add(here);
    // Below first: what is below the line is what will be read next.
    for (let step = 1; step <= NEIGHBOURS; step++) {
      add(here + step);
      add(here - step);
    }
    return line;
  }
  /** Where that line is now. Null: nothing of what stood around it is left. */
  topOf(line: Line): number | null {
    for (const { key, at } of line) {
      const place = this.#places.get(key);
      if (place !== undefined) return this.offsetAt(place) - at;
    }
    return null;
  }

  /** The last row that begins at `top` or above it. */
  #rowAt(top: number): number {
    const sums = this.#sums();
    let low = 0;
    let high = this.#rows.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (sums[middle]! <= top) low = middle;
      else high = middle - 1;
    }
    return low;
  }
  #sums(): Float64Array {
    if (this.#offsets !== null) return this.#offsets;
    const sums = new Float64Array(this.#rows.length + 1);
    for (const [at, { key }] of this.#rows.entries())
      sums[at + 1] = sums[at]! + (this.#measured.get(key) ?? this.#guessed.get(key) ?? GUESS);
    this.#offsets = sums;
    return sums;
  }
  #learn(kind: string, height: number): void {
    const known = this.#means.get(kind) ?? { mean: height, count: 0 };
    const count = Math.min(known.count + 1, MEMORY);
    this.#means.set(kind, { mean: known.mean + (height - known.mean) / count, count });
  }
  #forget(): void {
    const most = Math.max(KEPT, KEPT_WINDOWS * this.#rows.length);
    for (const key of this.#measured.keys()) {
      if (this.#measured.size <= most) return;
      if (!this.#places.has(key)) this.#measured.delete(key);
    }
  }
}
