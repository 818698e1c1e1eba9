/** Diffs as lines to show: computed from two texts, or read from a unified diff, with the words that changed within a line. */
import { diffLines, diffWordsWithSpace } from 'diff';
import { linesOf } from './terminal.ts';

export type DiffKind = 'same' | 'add' | 'del' | 'hunk';
export interface Span {
  readonly from: number;
  readonly to: number;
}
export interface DiffLine {
  readonly kind: DiffKind;
  /** Line number in the new file, of a removed line in the old; null: not known. */
  readonly n: number | null;
  readonly text: string;
  /** What changed within the line, in order; empty: all of it, or nothing. */
  readonly marks: readonly Span[];
}

/** Longest texts that are compared, and most lines that may differ; beyond, all of the old is shown as removed and all of the new as added. */
const MAX_COMPARED = 200_000;
const MAX_EDITS = 1500;
const MAX_MARKED_LINE = 400;
/** Pairs of lines whose words are compared. */
const MAX_MARKED_PAIRS = 120;

/** The lines that turn `before` into `after`. Not numbered: a stretch of a file does not say where it stands. */
export function diffOf(before: string, after: string): DiffLine[] {
  const lines: DiffLine[] = [];
  const push = (kind: DiffKind, text: string): void => {
    for (const line of linesOf(text)) lines.push({ kind, n: null, text: line, marks: [] });
  };
  const parts = before.length + after.length > MAX_COMPARED ? undefined : diffLines(before, after, { maxEditLength: MAX_EDITS });
  if (parts === undefined) {
    push('del', before);
    push('add', after);
    return lines;
  }
  for (const part of parts) push(part.added ? 'add' : part.removed ? 'del' : 'same', part.value);
  return withMarks(lines);
}

/** A new file: every line added. */
export function addedLines(content: string): DiffLine[] {
  return linesOf(content).map((text, at) => ({ kind: 'add', n: at + 1, text, marks: [] }));
}

/** Lines of a unified diff; null: that is not what the text is. */
export function readUnified(text: string): DiffLine[] | null {
  const lines: DiffLine[] = [];
  let oldAt = 0;
  let newAt = 0;
  let inHunk = false;
  for (const line of linesOf(text)) {
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (hunk !== null) {
      inHunk = true;
      oldAt = Number(hunk[1]);
      newAt = Number(hunk[2]);
      lines.push({ kind: 'hunk', n: newAt, text: line, marks: [] });
    } else if (!inHunk) continue;
    else if (line.startsWith('+')) lines.push({ kind: 'add', n: newAt++, text: line.slice(1), marks: [] });
    else if (line.startsWith('-')) lines.push({ kind: 'del', n: oldAt++, text: line.slice(1), marks: [] });
    else if (line.startsWith(' ') || line === '') {
      lines.push({ kind: 'same', n: newAt++, text: line.slice(1), marks: [] });
      oldAt++;
    }
  }
  return inHunk ? withMarks(lines) : null;
}

/** How many lines were added and removed. */
export function countsOf(lines: readonly DiffLine[]): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of lines) {
    if (line.kind === 'add') added++;
    else if (line.kind === 'del') removed++;
  }
  return { added, removed };
}

/** Marks words in removed lines that are followed by as many added ones, pair by pair. */
function withMarks(lines: readonly DiffLine[]): DiffLine[] {
  const marked = [...lines];
  let pairs = 0;
  for (let at = 0; at < lines.length;) {
    const removed = runOf(lines, at, 'del');
    const added = runOf(lines, at + removed, 'add');
    if (removed > 0 && removed === added && pairs < MAX_MARKED_PAIRS) {
      pairs += removed;
      for (let pair = 0; pair < removed; pair++) markPair(marked, at + pair, at + removed + pair);
    }
    at += Math.max(1, removed + added);
  }
  return marked;
}
function runOf(lines: readonly DiffLine[], from: number, kind: DiffKind): number {
  let at = from;
  while (lines[at]?.kind === kind) at++;
  return at - from;
}
function markPair(lines: DiffLine[], del: number, add: number): void {
  const before = lines[del]!.text;
  const after = lines[add]!.text;
  if (before.length > MAX_MARKED_LINE || after.length > MAX_MARKED_LINE) return;
  const gone: Span[] = [];
  const come: Span[] = [];
  let oldAt = 0;
  let newAt = 0;
  let kept = 0;
  for (const part of diffWordsWithSpace(before, after)) {
    const { length } = part.value;
    if (part.removed) gone.push({ from: oldAt, to: oldAt + length });
    else if (part.added) come.push({ from: newAt, to: newAt + length });
    else kept += part.value.trim().length;
    if (!part.added) oldAt += length;
    if (!part.removed) newAt += length;
  }
  // Lines with little in common are two lines, not one that changed.
  if (kept * 2 < Math.max(before.trim().length, after.trim().length)) return;
  lines[del] = { ...lines[del]!, marks: joined(gone) };
  lines[add] = { ...lines[add]!, marks: joined(come) };
}
/** Marks with next to nothing between them read better as one. */
function joined(marks: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const mark of marks) {
    const last = found.at(-1);
    if (last !== undefined && mark.from - last.to <= 2) found[found.length - 1] = { from: last.from, to: mark.to };
    else found.push(mark);
  }
  return found;
}
