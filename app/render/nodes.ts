/** Pieces → nodes, and nodes made to show the next pieces: what stays the same stays the same node, selection and all. */
import { codeFrame, frameOf } from './frames.ts';
import { sameAttrs, type ElementPiece, type Piece } from './pieces.ts';

/** The node of one piece. */
export function nodeOf(piece: Piece): Node {
  if (typeof piece === 'string') return document.createTextNode(piece);
  if ('code' in piece) {
    const frame = codeFrame();
    frame.show(piece);
    return frame.root;
  }
  const element = document.createElement(piece.tag);
  for (const [name, value] of Object.entries(piece.attrs ?? {})) element.setAttribute(name, value);
  for (const part of piece.parts) element.append(nodeOf(part));
  return element;
}

/** `parent`, whose nodes show `before`, shows `after`. */
export function morph(parent: Element, before: readonly Piece[], after: readonly Piece[]): void {
  if (before === after) return;
  let node: Node | null = parent.firstChild;
  for (const [at, piece] of after.entries()) {
    if (at >= before.length) {
      parent.append(nodeOf(piece));
      continue;
    }
    const next: Node | null = node!.nextSibling;
    if (!change(node!, before[at]!, piece)) parent.replaceChild(nodeOf(piece), node!);
    node = next;
  }
  for (let count = before.length; count > after.length; count--) parent.lastChild!.remove();
}

/** False: it takes another node to show `after`. */
function change(node: Node, before: Piece, after: Piece): boolean {
  if (before === after) return true;
  if (typeof after === 'string') {
    if (typeof before !== 'string') return false;
    if (after.startsWith(before)) (node as Text).appendData(after.slice(before.length));
    else (node as Text).data = after;
    return true;
  }
  if (typeof before === 'string') return false;
  if ('code' in after) {
    if (!('code' in before)) return false;
    if (before.code !== after.code || before.lang !== after.lang || before.closed !== after.closed) frameOf(node)?.show(after);
    return true;
  }
  if ('code' in before || before.tag !== after.tag || !sameAttrs(before.attrs, after.attrs)) return false;
  morph(node as Element, before.parts, (after as ElementPiece).parts);
  return true;
}
