/**
 * Markdown tokens → pieces: a tree of what is shown, with nothing in it but text and the few elements named here. This is
 * what keeps strangers' words harmless (law 18, B59): they only ever become text and checked addresses, and nothing on the way
 * from here to the page reads them as HTML. What a model writes as raw HTML is shown as the words it is.
 */
import type { Token, Tokens } from 'marked';
import { decodeEntities } from './entities.ts';

export type Tag =
  | 'p'
  | 'br'
  | 'hr'
  | 'strong'
  | 'em'
  | 'del'
  | 'code'
  | 'a'
  | 'ul'
  | 'ol'
  | 'li'
  | 'blockquote'
  | 'h3'
  | 'div'
  | 'table'
  | 'thead'
  | 'tbody'
  | 'tr'
  | 'th'
  | 'td';
export interface ElementPiece {
  readonly tag: Tag;
  readonly attrs: Readonly<Record<string, string>> | null;
  readonly parts: readonly Piece[];
}
export interface CodePiece {
  readonly code: string;
  readonly lang: string;
  /** No more of it will come. */
  readonly closed: boolean;
}
/** Each becomes exactly one node. */
export type Piece = string | ElementPiece | CodePiece;

/** First word of a fence's info string, lower case: `TS title="x"` → `ts`. */
export function langOf(info: string | undefined): string {
  return /^[^\s{,:]*/
    .exec(info ?? '')![0]
    .toLowerCase()
    .slice(0, 32);
}

/** Whether a fenced block's last line closes it. Indented code never closes itself. */
export function isClosed(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (fence === undefined) return false;
  const body = raw.endsWith('\n') ? raw.slice(0, -1) : raw;
  const at = body.lastIndexOf('\n');
  return at >= 0 && closesFence(fence, body.slice(at + 1));
}
/** Whether `line` ends the code that `fence` began. */
export function closesFence(fence: string, line: string): boolean {
  const marks = /^ {0,3}(`+|~+) *$/.exec(line)?.[1];
  return marks !== undefined && marks[0] === fence[0] && marks.length >= fence.length;
}

/** Pieces of one block. `done`: no more of it will come. */
export function piecesOf(token: Token, done: boolean): Piece[] {
  return blocks([token], done);
}

function blocks(tokens: readonly Token[], done: boolean): Piece[] {
  const out: Piece[] = [];
  for (const token of tokens) block(token as Tokens.Generic, done, out);
  return out;
}
function block(token: Tokens.Generic, done: boolean, out: Piece[]): void {
  switch (token.type) {
    case 'paragraph':
      out.push(el('p', inline(token.tokens)));
      break;
    case 'heading':
      // One level for all, below the page's own: where a model starts counting is its own business, and a level left out confuses ears.
      out.push(el('h3', inline(token.tokens), { 'data-depth': String(token['depth']) }));
      break;
    case 'code':
      out.push({ code: token['text'] as string, lang: langOf(token['lang'] as string | undefined), closed: done || isClosed(token.raw) });
      break;
    case 'hr':
      out.push(el('hr', []));
      break;
    case 'blockquote':
      out.push(el('blockquote', blocks(token.tokens ?? [], done)));
      break;
    case 'list':
      out.push(list(token as Tokens.List, done));
      break;
    case 'table':
      out.push(table(token as Tokens.Table));
      break;
    case 'html':
      out.push(el('p', lines(token.raw.replace(/\n+$/, ''))));
      break;
    case 'space':
    case 'def':
      break;
    default:
      // In a tight list, words stand without a paragraph of their own.
      inlineInto(token.tokens ?? [token], out);
  }
}

function list(token: Tokens.List, done: boolean): ElementPiece {
  const items = token.items.map((item) => el('li', blocks(item.tokens, done), item.task ? { 'data-task': '' } : null));
  const starts = token.ordered && token.start !== 1 && token.start !== '' ? { start: String(token.start) } : null;
  return el(token.ordered ? 'ol' : 'ul', items, starts);
}

/** A wide table scrolls in its own box, also by keyboard. */
function table(token: Tokens.Table): ElementPiece {
  const row = (cells: readonly Tokens.TableCell[], tag: 'th' | 'td'): ElementPiece =>
    el(
      'tr',
      cells.map((cell) => el(tag, inline(cell.tokens), cell.align === null ? null : { align: cell.align })),
    );
  const parts = [el('thead', [row(token.header, 'th')])];
  if (token.rows.length > 0)
    parts.push(
      el(
        'tbody',
        token.rows.map((cells) => row(cells, 'td')),
      ),
    );
  return el('div', [el('table', parts)], { class: 'md__table', tabindex: '0', role: 'group', 'aria-label': 'Table' });
}

function inline(tokens: readonly Token[] | undefined): Piece[] {
  const out: Piece[] = [];
  inlineInto(tokens ?? [], out);
  return out;
}
function inlineInto(tokens: readonly Token[], out: Piece[]): void {
  for (const token of tokens as readonly Tokens.Generic[]) {
    switch (token.type) {
      case 'strong':
      case 'em':
      case 'del':
        out.push(el(token.type, inline(token.tokens)));
        break;
      case 'codespan':
        out.push(el('code', [token['text'] as string]));
        break;
      case 'br':
        out.push(el('br', []));
        break;
      case 'link':
        link(token as Tokens.Link, out);
        break;
      case 'image':
        image(token as Tokens.Image, out);
        break;
      case 'checkbox':
        say(token['checked'] === true ? '☑ ' : '☐ ', out);
        break;
      case 'html':
        if (/^<br\s*\/?>$/i.test(token.raw)) out.push(el('br', []));
        else say(token.raw, out);
        break;
      case 'escape':
        say(token['text'] as string, out);
        break;
      default:
        if (token.tokens !== undefined) inlineInto(token.tokens, out);
        else say(token['escaped'] === true ? (token['text'] as string) : decodeEntities(token['text'] as string), out);
    }
  }
}

function link(token: Tokens.Link, out: Piece[]): void {
  const auto = (token as { autolink?: boolean }).autolink === true;
  const parts = auto ? [token.text] : inline(token.tokens);
  const attrs = linkAttrs(auto ? token.href : decodeEntities(token.href), token.title);
  out.push(el('a', parts, attrs));
}
/** A picture would be fetched unasked: it is a link that says so. */
function image(token: Tokens.Image, out: Piece[]): void {
  out.push(el('a', [token.text.trim() === '' ? 'picture' : decodeEntities(token.text)], linkAttrs(decodeEntities(token.href), null)));
}
/** Absolute and to the outside only: a relative address would be one of Cairn's own. It opens elsewhere and tells nobody where from. */
function linkAttrs(address: string, title: string | null | undefined): Record<string, string> | null {
  const href = encoded(address);
  const attrs: Record<string, string> = {};
  if (href !== null && /^(?:https?|mailto):/i.test(href)) {
    attrs['href'] = href;
    attrs['target'] = '_blank';
    attrs['rel'] = 'noopener noreferrer nofollow';
  }
  if (typeof title === 'string' && title !== '') attrs['title'] = decodeEntities(title);
  return Object.keys(attrs).length === 0 ? null : attrs;
}
/** Null: it holds half of a surrogate pair, so it is no address. */
function encoded(address: string): string | null {
  try {
    return encodeURI(address).replace(/%25/g, '%');
  } catch {
    return null;
  }
}

/** Lines of text, each on its own. */
function lines(text: string): Piece[] {
  const out: Piece[] = [];
  for (const [at, line] of text.split('\n').entries()) {
    if (at > 0) out.push(el('br', []));
    say(line, out);
  }
  return out;
}
/** Text next to text is one text. */
function say(text: string, out: Piece[]): void {
  if (text === '') return;
  const last = out.at(-1);
  if (typeof last === 'string') out[out.length - 1] = last + text;
  else out.push(text);
}
function el(tag: Tag, parts: readonly Piece[], attrs: Readonly<Record<string, string>> | null = null): ElementPiece {
  return { tag, attrs, parts };
}

/** Whether both show the same. */
export function samePieces(a: readonly Piece[], b: readonly Piece[]): boolean {
  return a.length === b.length && a.every((piece, at) => samePiece(piece, b[at]!));
}
export function samePiece(a: Piece, b: Piece): boolean {
  if (a === b) return true;
  if (typeof a === 'string' || typeof b === 'string') return false;
  if ('code' in a) return 'code' in b && a.lang === b.lang && a.closed === b.closed && a.code === b.code;
  return !('code' in b) && a.tag === b.tag && sameAttrs(a.attrs, b.attrs) && samePieces(a.parts, b.parts);
}
export function sameAttrs(a: ElementPiece['attrs'], b: ElementPiece['attrs']): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}
