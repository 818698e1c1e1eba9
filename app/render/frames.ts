/** Frames around code: its language, a copy button, its own scrolling. Built from nodes and text alone. */
import { growthSince } from '#shared/chunks/grown.ts';
import { copyText } from './clipboard.ts';
import { highlight, type Segment } from './highlight.ts';
import { whenIdle } from './idle.ts';
import { Lines } from './lines.ts';
import type { CodePiece } from './pieces.ts';

export interface CodeFrame {
  readonly root: HTMLElement;
  /** Grows by what is new. Coloured once no more of it will come, when the page is idle. */
  show(piece: CodePiece): void;
}

const COPIED_MS = 1600;
const frames = new WeakMap<Node, CodeFrame>();

/** The frame whose root `node` is. */
export function frameOf(node: Node): CodeFrame | undefined {
  return frames.get(node);
}

/** An empty frame. */
export function codeFrame(): CodeFrame {
  const root = make('figure', 'code');
  const head = make('figcaption', 'code__head');
  const label = make('span', 'code__lang');
  const button = make('button', 'btn');
  const pre = make('pre', 'code__text');
  const code = make('code', '');
  const lines = new Lines(code);
  let shown: CodePiece = { code: '', lang: '', closed: false };
  let painted = false;
  button.type = 'button';
  button.dataset['kind'] = 'quiet';
  button.dataset['size'] = 's';
  button.textContent = 'Copy';
  button.setAttribute('aria-label', 'Copy code');
  button.addEventListener('click', () => {
    void copyText(shown.code).then((worked) => {
      button.textContent = worked ? 'Copied' : 'Select it to copy';
      window.setTimeout(() => (button.textContent = 'Copy'), COPIED_MS);
    });
  });
  pre.dir = 'ltr';
  pre.tabIndex = 0;
  pre.append(code);
  head.append(label, button);
  root.append(head, pre);

  function name(lang: string): void {
    label.textContent = lang === '' ? 'text' : lang;
    pre.setAttribute('aria-label', lang === '' ? 'Code' : `Code, ${lang}`);
  }
  function write(before: CodePiece, piece: CodePiece): void {
    const grown = painted ? null : growthSince(piece, before);
    if (grown !== null) lines.add(grown);
    else if (painted || !piece.code.startsWith(before.code)) {
      painted = false;
      lines.set(piece.code);
    } else lines.add(piece.code.slice(before.code.length));
  }
  /** Colour takes the place of the plain words, unless they were changed meanwhile or are being selected. */
  async function paint(piece: CodePiece): Promise<void> {
    const wanted = (): boolean => shown === piece && root.isConnected;
    const [segments] = (await highlight([piece.code], piece.lang, wanted)) ?? [];
    if (segments === undefined) return;
    const put = (): void => {
      if (!wanted()) return;
      if (isSelected(code)) whenIdle(put, wanted);
      else {
        painted = true;
        code.replaceChildren(...nodesOf(segments));
      }
    };
    whenIdle(put, wanted);
  }
  name('');
  const frame: CodeFrame = {
    root,
    show(piece) {
      const before = shown;
      shown = piece;
      if (piece.lang !== before.lang) name(piece.lang);
      if (piece.code.length !== before.code.length || piece.code !== before.code) write(before, piece);
      if (piece.closed && piece.lang !== '') void paint(piece);
    },
  };
  frames.set(root, frame);
  return frame;
}

/** Text nodes, in spans where they have a colour. */
function nodesOf(segments: readonly Segment[]): Node[] {
  return segments.map(({ text, look }) => {
    if (look === '') return document.createTextNode(text);
    const span = make('span', look);
    span.textContent = text;
    return span;
  });
}
function isSelected(node: Node): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.rangeCount > 0 && selection.getRangeAt(0).intersectsNode(node);
}
function make<K extends keyof HTMLElementTagNameMap>(tag: K, className: string): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (className !== '') element.className = className;
  return element;
}
