/**
 * The reader's line in the page: the word, block or row at the top of the view, or what has the focus or the selection. It is
 * remembered by its nodes, so that any change above it (also within the same row) is seen as what it is: a move of the line.
 */
interface Mark {
  readonly node: Element | Text;
  /** Of a text: the character. */
  readonly character: number;
  /** Where it stands in the list. */
  at: number;
}

/** Up to so many children are looked through one by one; more are in order from top to bottom. */
const FEW = 24;
/** Rows to each side that stand in when the line's own nodes are gone. */
const NEIGHBOURS = 8;

export class ReaderLine {
  #marks: Mark[] = [];

  /** Remembers what stands at the top of the view now, which is at `place` of the list. `rows`: those in the page, in order. */
  pick(box: HTMLElement, place: number, rows: readonly HTMLElement[]): void {
    const view = box.getBoundingClientRect();
    const marks: Mark[] = [];
    const add = (node: Element | Text, character = 0): void => {
      const top = topOf(node, character);
      if (top !== null) marks.push({ node, character, at: top - view.top + place });
    };
    const chosen = chosenIn(box, view);
    if (chosen !== null) add(chosen.node, chosen.character);
    const here = firstBelow(rows, view.top + 1);
    const row = rows[here];
    if (row !== undefined) {
      for (const { node, character } of wordsAt(row, view.top + 1, rows[here + 1] ?? null)) add(node, character);
      for (let step = 1; step <= NEIGHBOURS; step++) {
        for (const next of [rows[here + step], rows[here - step]]) if (next !== undefined) add(next);
      }
    }
    this.#marks = marks;
  }
  /** Nothing is remembered. */
  clear(): void {
    this.#marks = [];
  }
  /** How far the line has moved within the list since it was remembered. Null: none of it is in the page any more. */
  drift(box: HTMLElement, place: number): number | null {
    const origin = box.getBoundingClientRect().top - place;
    for (const { node, character, at } of this.#marks) {
      const top = node.isConnected ? topOf(node, character) : null;
      if (top !== null) return top - origin - at;
    }
    return null;
  }
  /** The move was made up for, all but `rest`. */
  keep(box: HTMLElement, place: number, rest: number): void {
    const origin = box.getBoundingClientRect().top - place;
    this.#marks = this.#marks.filter((mark) => {
      const top = mark.node.isConnected ? topOf(mark.node, mark.character) : null;
      if (top !== null) mark.at = top - origin - rest;
      return top !== null;
    });
  }
}

/** Screen position of a node's upper edge. Null: it takes no place on screen. */
function topOf(node: Element | Text, character: number): number | null {
  if (node instanceof Element) return node.getClientRects().length === 0 ? null : node.getBoundingClientRect().top;
  return rectOf(node, character)?.top ?? null;
}
function rectOf(text: Text, character: number): DOMRect | null {
  if (character >= text.length) return null;
  const range = document.createRange();
  range.setStart(text, character);
  range.setEnd(text, character + 1);
  // A blank at the end of a line has no box of its own.
  return range.getClientRects().length === 0 ? null : range.getBoundingClientRect();
}

/** The focus or the selection, where it is in view: the reader's eyes are there. */
function chosenIn(box: HTMLElement, view: DOMRect): { node: Element | Text; character: number } | null {
  const isSeen = (top: number | null): boolean => top !== null && top >= view.top && top < view.bottom;
  const selection = document.getSelection();
  const start = selection !== null && !selection.isCollapsed ? selection.getRangeAt(0) : null;
  if (start !== null && start.startContainer instanceof Text && box.contains(start.startContainer)) {
    const { startContainer: node, startOffset: character } = start;
    if (isSeen(topOf(node, character))) return { node, character };
  }
  const focused = document.activeElement;
  if (focused !== null && focused !== box && box.contains(focused) && isSeen(topOf(focused, 0))) return { node: focused, character: 0 };
  return null;
}

/** The first of these boxes, which stand one below the other, that reaches below `line`. */
function firstBelow(boxes: ArrayLike<Element>, line: number): number {
  let low = 0;
  let high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (boxes[middle]!.getBoundingClientRect().bottom > line) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * What stands at `line` within a row: the smallest thing that begins there, or a character of it; then what is around it.
 * `after`: what begins next where only the row's end reaches across the line.
 */
function wordsAt(row: HTMLElement, line: number, after: HTMLElement | null): { node: Element | Text; character: number }[] {
  const path: Element[] = [row];
  for (let at: Element = row; at.getBoundingClientRect().top < line && !isClosed(at);) {
    const child = childBelow(at, line);
    if (child === null) break;
    path.push(child);
    at = child;
  }
  const smallest = path.at(-1)!;
  const found: { node: Element | Text; character: number }[] = [];
  if (smallest.getBoundingClientRect().top < line) {
    // It reaches across the line: hold a character of it, else what begins next.
    const text = isClosed(smallest) ? null : characterBelow(smallest, line);
    const next = text === null ? (nextOf(smallest, row) ?? after) : null;
    if (text !== null) found.push(text);
    if (next !== null) found.push({ node: next, character: 0 });
  }
  for (const node of path.toReversed()) found.push({ node, character: 0 });
  return found;
}
/** What moves by itself is held from outside: a box that scrolls, and what is being set down in front of the reader's eyes. */
function isClosed(element: Element): boolean {
  if (element.scrollHeight > element.clientHeight + 1 && element.clientHeight > 0 && scrolls(element)) return true;
  return element instanceof HTMLElement && element.dataset['settled'] !== undefined;
}
function scrolls(element: Element): boolean {
  const { overflowY } = getComputedStyle(element);
  return overflowY === 'auto' || overflowY === 'scroll';
}
function childBelow(element: Element, line: number): Element | null {
  const { children } = element;
  for (let at = children.length > FEW ? firstBelow(children, line) : 0; at < children.length; at++) {
    const child = children[at]!;
    const { bottom, height } = child.getBoundingClientRect();
    if (height > 0 && bottom > line && getComputedStyle(child).position !== 'absolute') return child;
  }
  return null;
}
function characterBelow(element: Element, line: number): { node: Text; character: number } | null {
  for (const node of element.childNodes) {
    if (!(node instanceof Text) || node.length === 0) continue;
    let low = 0;
    let high = node.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const rect = rectOf(node, middle);
      if (rect !== null && rect.top >= line) high = middle;
      else low = middle + 1;
    }
    const rect = rectOf(node, low);
    if (rect !== null && rect.bottom > line) return { node, character: low };
  }
  return null;
}
/** What comes after an element within its row. */
function nextOf(element: Element, row: Element): Element | null {
  for (let at: Element | null = element; at !== null && at !== row; at = at.parentElement) {
    for (let next = at.nextElementSibling; next !== null; next = next.nextElementSibling) {
      if (next.getBoundingClientRect().height > 0 && getComputedStyle(next).position !== 'absolute') return next;
    }
  }
  return null;
}
