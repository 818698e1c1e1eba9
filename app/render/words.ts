/**
 * A text of Markdown as one element that grows in place, outside the virtual DOM: a delta touches the blocks that it changes and
 * nothing else, however long the text is. A long text that comes at once is put up in slices, a slice a frame, from its top.
 */
import { Blocks, type Block } from './blocks.ts';
import { codeFrame, frameOf } from './frames.ts';
import { morph, nodeOf } from './nodes.ts';

/** Characters that are put up in one go. */
const SLICE = 12_000;

export class Words {
  readonly root: HTMLElement;
  readonly #blocks = new Blocks();
  /** What is up, block by block. */
  readonly #shown: Block[] = [];
  readonly #boxes: HTMLElement[] = [];
  #text = '';
  #open = false;
  /** Characters of the text that are up. */
  #upTo = 0;
  #frame = 0;

  constructor(root: HTMLElement) {
    this.root = root;
  }
  /** Characters that were parsed so far. */
  get read(): number {
    return this.#blocks.read;
  }

  /** The text is `text` now. `open`: more of it is being written. */
  show(text: string, open: boolean): void {
    this.#text = text;
    this.#open = open;
    if (this.#upTo > text.length) this.#upTo = 0;
    if (this.#frame === 0) this.#put();
  }
  /** It is no longer on the page. */
  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
  }
  /** It is on the page again. */
  resume(): void {
    if (this.#frame === 0 && this.#upTo < this.#text.length) this.#put();
  }

  #put(): void {
    const rest = this.#text.length - this.#upTo;
    const whole = rest <= SLICE * 1.5;
    this.#upTo = whole ? this.#text.length : this.#upTo + SLICE;
    const first = whole ? this.#blocks.take(this.#text, !this.#open) : this.#blocks.take(this.#text.slice(0, this.#upTo), false);
    this.#draw(first);
    if (!whole) {
      this.#frame = requestAnimationFrame(() => {
        this.#frame = 0;
        this.#put();
      });
    }
  }
  #draw(first: number): void {
    const blocks = this.#blocks.all;
    for (let at = first; at < blocks.length; at++) {
      const block = blocks[at]!;
      const shown = this.#shown[at];
      if (shown === block) continue;
      const box = this.#boxes[at];
      this.#shown[at] = block;
      if (shown !== undefined && box !== undefined && grow(box, shown, block)) continue;
      const made = boxOf(block);
      this.#boxes[at] = made;
      if (box === undefined) this.root.append(made);
      else box.replaceWith(made);
    }
    while (this.#shown.length > blocks.length) {
      this.#shown.pop();
      this.#boxes.pop()?.remove();
    }
  }
}

function boxOf(block: Block): HTMLElement {
  const box = document.createElement('div');
  box.className = 'md__block';
  if (block.kind === 'code') {
    const frame = codeFrame();
    frame.show(block);
    box.append(frame.root);
    return box;
  }
  box.dir = 'auto';
  for (const part of block.parts) box.append(nodeOf(part));
  return box;
}
/** False: another kind of block, which needs another box. */
function grow(box: Element, before: Block, after: Block): boolean {
  if (before.kind !== after.kind) return false;
  if (before.kind === 'words' && after.kind === 'words') morph(box, before.parts, after.parts);
  else if (after.kind === 'code') frameOf(box.firstChild!)?.show(after);
  return true;
}
