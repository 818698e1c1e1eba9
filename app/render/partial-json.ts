/**
 * What can be read of JSON text that was cut anywhere: for showing arguments while they stream and previews of large data.
 * Display only. Nothing that is run is ever read with this (B27).
 */

/** The value of the whole text, or as much as its beginning says; undefined if not even that. `whole`: nothing was cut. */
export function readPartial(text: string): { value: unknown; whole: boolean } {
  try {
    return { value: JSON.parse(text) as unknown, whole: true };
  } catch {
    return { value: new Reader(text).value(0), whole: false };
  }
}
/** The object that the text holds or begins, else an empty one. */
export function readPartialObject(text: string): Record<string, unknown> {
  const { value } = readPartial(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

const MAX_DEPTH = 64;
const ESCAPED: Record<string, string> = { '"': '"', '\\': '\\', '/': '/', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

class Reader {
  readonly #text: string;
  #at = 0;
  constructor(text: string) {
    this.#text = text;
  }
  value(depth: number): unknown {
    this.#space();
    const char = this.#text[this.#at];
    if (char === undefined || depth > MAX_DEPTH) return undefined;
    if (char === '{') return this.#object(depth);
    if (char === '[') return this.#array(depth);
    if (char === '"') return this.#string();
    const word = /[^\s,\]}]*/y;
    word.lastIndex = this.#at;
    const token = word.exec(this.#text)![0];
    this.#at += token.length;
    // A number or word that ends the text may go on: it is not known yet.
    if (this.#at >= this.#text.length) return undefined;
    try {
      return JSON.parse(token) as unknown;
    } catch {
      return undefined;
    }
  }
  #object(depth: number): Record<string, unknown> {
    const found: Record<string, unknown> = {};
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') break;
      const key = this.#string();
      this.#space();
      if (this.#text[this.#at] !== ':') break;
      this.#at++;
      const value = this.value(depth + 1);
      if (value === undefined) break;
      Object.defineProperty(found, key, { value, enumerable: true, configurable: true, writable: true });
      this.#space();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    if (this.#text[this.#at] === '}') this.#at++;
    return found;
  }
  #array(depth: number): unknown[] {
    const found: unknown[] = [];
    this.#at++;
    for (;;) {
      this.#space();
      if (this.#text[this.#at] === ']') break;
      const value = this.value(depth + 1);
      if (value === undefined) break;
      found.push(value);
      this.#space();
      if (this.#text[this.#at] !== ',') break;
      this.#at++;
    }
    if (this.#text[this.#at] === ']') this.#at++;
    return found;
  }
  #string(): string {
    let out = '';
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at]!;
      if (char === '"') {
        this.#at++;
        break;
      }
      if (char !== '\\') {
        out += char;
        continue;
      }
      const next = this.#text[++this.#at];
      if (next === 'u') {
        const digits = this.#text.slice(this.#at + 1, this.#at + 5);
        if (/^[0-9a-fA-F]{4}$/.test(digits)) out += String.fromCharCode(Number.parseInt(digits, 16));
        this.#at += digits.length;
      } else if (next !== undefined) out += ESCAPED[next] ?? next;
    }
    // A surrogate whose other half was cut off would show as a broken character.
    return out.replace(/[\ud800-\udbff]$/, '');
  }
  #space(): void {
    while (this.#at < this.#text.length && ' \n\r\t'.includes(this.#text[this.#at]!)) this.#at++;
  }
}
