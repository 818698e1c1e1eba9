/**
 * Replacing one exact stretch of a text. Pure. A model is shown lines that end in LF, so it writes LF, whatever the file
 * has (B47): matching is blind to CRLF against LF, new lines take the ending of their place, and no unit outside what
 * really differs is touched.
 */
export type EditOutcome =
  | { ok: true; text: string; before: string; start: number; end: number; insert: string }
  | { ok: false; reason: 'empty' | 'same' | 'none' }
  | { ok: false; reason: 'many'; count: number };

/**
 * `before`, `start`, `end`, `insert` of a success describe the same edit on the text with LF endings, for a diff.
 * `old` must occur exactly once, overlaps counted.
 */
export function applyEdit(text: string, old: string, replacement: string): EditOutcome {
  const flat = flatten(text);
  const wanted = flatten(old).text;
  const wished = flatten(replacement).text;
  if (wanted === '') return { ok: false, reason: 'empty' };
  if (wanted === wished) return { ok: false, reason: 'same' };
  const at = flat.text.indexOf(wanted);
  if (at === -1) return { ok: false, reason: 'none' };
  const count = countOf(flat.text, wanted);
  if (count > 1) return { ok: false, reason: 'many', count };

  const prefix = sharedStart(wanted, wished);
  const suffix = sharedEnd(wanted, wished, Math.min(wanted.length, wished.length) - prefix);
  const start = at + prefix;
  const end = at + wanted.length - suffix;
  const insert = wished.slice(prefix, wished.length - suffix);
  const changed = text.slice(0, flat.place(start)) + withEndings(insert, flat, start, end) + text.slice(flat.place(end));
  return { ok: true, text: changed, before: flat.text, start, end, insert };
}

/** A text with LF endings, and the way back. */
interface Flat {
  text: string;
  /** Offset in the original of what is at `at` here. */
  place(at: number): number;
  /** The ending of the line that ends at the LF at `at` here. */
  endingAt(at: number): '\n' | '\r\n';
}

/** Only CR LF counts as an ending of its own; a CR alone is a character like any other. */
function flatten(text: string): Flat {
  const pairs: number[] = [];
  for (let at = text.indexOf('\r\n'); at !== -1; at = text.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return {
    text: pairs.length === 0 ? text : text.replaceAll('\r\n', '\n'),
    place: (at) => at + below(pairs, at),
    endingAt: (at) => (pairs[below(pairs, at)] === at ? '\r\n' : '\n'),
  };
}

/** How many of the ascending numbers are below `limit`. */
function below(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The k-th new line ends as the k-th line of its place did; further ones as the last of those, or as the line above. */
function withEndings(insert: string, flat: Flat, start: number, end: number): string {
  if (!insert.includes('\n')) return insert;
  const endings: ('\n' | '\r\n')[] = [];
  for (let at = flat.text.indexOf('\n', start); at !== -1; at = flat.text.indexOf('\n', at + 1)) {
    endings.push(flat.endingAt(at));
    // The line that the place ends in is its last.
    if (at >= end) break;
  }
  if (endings.length === 0) {
    const above = start === 0 ? -1 : flat.text.lastIndexOf('\n', start - 1);
    endings.push(above === -1 ? '\n' : flat.endingAt(above));
  }
  let line = 0;
  return insert.replaceAll('\n', () => endings[Math.min(line++, endings.length - 1)]!);
}

function countOf(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + 1)) count++;
  return count;
}

function sharedStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let shared = 0;
  while (shared < most && a.charCodeAt(shared) === b.charCodeAt(shared)) shared++;
  return shared;
}

function sharedEnd(a: string, b: string, most: number): number {
  let shared = 0;
  while (shared < most && a.charCodeAt(a.length - 1 - shared) === b.charCodeAt(b.length - 1 - shared)) shared++;
  return shared;
}
