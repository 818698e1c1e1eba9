/** The unified diff of one edit, worked out on the lines around it only: its cost does not grow with the file. */
import { formatPatch, structuredPatch } from 'diff';

const CONTEXT_LINES = 3;
/** Past this many changed lines a minimal diff costs more than it tells. */
const MAX_EDIT_LENGTH = 4000;

/** `before`: the text with LF endings; what lies from `start` to `end` becomes `insert`. Null: too much changed to show. */
export function diffOfEdit(path: string, before: string, start: number, end: number, insert: string): string | null {
  const from = linesBack(before, start, CONTEXT_LINES);
  const to = linesOn(before, end, CONTEXT_LINES);
  const oldLines = before.slice(from, to);
  const newLines = before.slice(from, start) + insert + before.slice(end, to);
  const patch = structuredPatch(`a/${path}`, `b/${path}`, oldLines, newLines, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDIT_LENGTH,
  });
  if (patch === undefined) return null;
  const above = countBreaks(before, from);
  for (const hunk of patch.hunks) {
    hunk.oldStart += above;
    hunk.newStart += above;
  }
  return formatPatch(patch).replace(/^(Index: .*\n)?=+\n/, '');
}

/** Where the line `lines` above the one at `at` begins. */
function linesBack(text: string, at: number, lines: number): number {
  let from = at;
  for (let line = 0; line <= lines && from > 0; line++) from = from === 1 ? 0 : text.lastIndexOf('\n', from - 2) + 1;
  return from;
}

/** Just past the line `lines` below the one at `at`. */
function linesOn(text: string, at: number, lines: number): number {
  let to = at;
  for (let line = 0; line <= lines; line++) {
    const next = text.indexOf('\n', to);
    if (next === -1) return text.length;
    to = next + 1;
  }
  return to;
}

function countBreaks(text: string, until: number): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1 && at < until; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
