/**
 * A text of Markdown as one element that grows in place, outside the virtual DOM: a delta touches the blocks that it changes and
 * nothing else, however long the text is. A long text that comes at once is put up in slices, a slice a frame, from its top.
 */
import { growthSince } from '#shared/chunks/grown.ts';
import { Blocks, type Block } from './blocks.ts';
import { codeFrame, frameOf } from './frames.ts';
import { morph, nodeOf } from './nodes.ts';

/** Characters that are put up in one go, at first; then as many as frames have time for. */
const SLICE = 12_000;
const SLICES = { least: 6000, most: 48_000 };
/** Milliseconds from one frame to the next: at ease, and too long. */
const FRAMES = { easy: 20, late: 40 };
/** Blocks are laid out in parts: what grows costs its own part, however many there are. */
const PART_BLOCKS = 32;

export class Words {
  readonly root: HTMLElement;
  readonly #blocks = new Blocks();
  /** What is up, block by block. */
  readonly #shown: Block[] = [];
  readonly #boxes: HTMLElement[] = [];
  #text = '';
  #open = false;
  #source: object | null = null;
  /** Whose text the blocks are of. */
  #taken: object | null = null;
  /** Characters of the text that are up. */
  #upTo = 0;
  #frame = 0;
  #slice = SLICE;
  #lastFrame = 0;

  constructor(root: HTMLElement) {
    this.root = root;
  }
  /** Characters that were parsed so far. */
  get read(): number {
    return this.#blocks.read;
  }

  /** The text is `text` now. `open`: more of it is being written. `source`: whose text it is, which may know how it grew. */
  show(text: string, open: boolean, source: object | null = null): void {
    this.#text = text;
    this.#open = open;
    this.#source = source;
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
    const whole = rest <= this.#slice * 1.5;
    this.#upTo = whole ? this.#text.length : this.#upTo + this.#slice;
    if (whole) {
      const grown = this.#source !== null && this.#taken !== null ? growthSince(this.#source, this.#taken) : null;
      this.#draw(this.#blocks.take(this.#text, !this.#open, grown));
    } else this.#draw(this.#blocks.take(this.#text.slice(0, this.#upTo), false));
    this.#taken = whole ? this.#source : null;
    if (!whole) this.#frame = requestAnimationFrame((at) => this.#next(at));
    else this.#lastFrame = 0;
  }
  #next(at: number): void {
    const took = this.#lastFrame === 0 ? FRAMES.late : at - this.#lastFrame;
    this.#lastFrame = at;
    if (took <= FRAMES.easy) this.#slice = Math.min(SLICES.most, this.#slice * 2);
    else if (took > FRAMES.late) this.#slice = Math.max(SLICES.least, this.#slice / 2);
    this.#frame = 0;
    this.#put();
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
      if (box === undefined) this.#append(made, at);
      else box.replaceWith(made);
    }
    while (this.#shown.length > blocks.length) {
      this.#shown.pop();
      this.#boxes.pop()?.remove();
      if (this.#shown.length % PART_BLOCKS === 0) this.root.lastElementChild?.remove();
    }
  }
  #append(box: HTMLElement, at: number): void {
    if (at % PART_BLOCKS === 0) {
      const part = document.createElement('div');
      part.className = 'md__part';
      this.root.append(part);
    }
    this.root.lastElementChild!.append(box);
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
  box.toggleAttribute('data-head', isHead(block));
  for (const part of block.parts) box.append(nodeOf(part));
  return box;
}
/** False: another kind of block, which needs another box. */
function grow(box: Element, before: Block, after: Block): boolean {
  if (before.kind !== after.kind) return false;
  if (before.kind === 'words' && after.kind === 'words') {
    morph(box, before.parts, after.parts);
    if (isHead(before) !== isHead(after)) box.toggleAttribute('data-head', isHead(after));
  } else if (after.kind === 'code') frameOf(box.firstChild!)?.show(after);
  return true;
}
function isHead(block: Block): boolean {
  const first = block.kind === 'words' ? block.parts[0] : undefined;
  return typeof first === 'object' && 'tag' in first && first.tag === 'h3';
}
