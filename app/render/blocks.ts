/**
 * Markdown that is still being written → blocks that a reader's eyes can rest on.
 *
 * Only the end of the text is read again: what no later text can change is settled, and its blocks are the same objects from
 * then on (but for links that are defined further down). At every prefix the blocks equal those of the same text read at once.
 * A delta costs what is open, however much is settled.
 */
import type { Token, Tokens } from 'marked';
import { noteGrowth } from '#shared/chunks/grown.ts';
import { Growth } from './growth.ts';
import { addLinks, lex, type LinkTable } from './markdown.ts';
import { closesFence, isClosed, piecesOf, samePiece, samePieces, type CodePiece, type Piece } from './pieces.ts';

export interface WordsBlock {
  readonly kind: 'words';
  readonly parts: readonly Piece[];
}
export interface CodeBlock extends CodePiece {
  readonly kind: 'code';
}
export type Block = WordsBlock | CodeBlock;

/** Code at the end of the text whose end is not here. Its text is only ever added to: reading it would cost its whole length. */
interface OpenCode {
  readonly marks: string;
  readonly lang: string;
  /** As the lexer cuts it: without a line end that nothing follows yet. */
  text: string;
  /** That line end. */
  rest: '' | '\n';
  /** What stands behind the last line end. */
  line: string;
}

export class Blocks {
  readonly #blocks: Block[] = [];
  readonly #growth = new Growth();
  #final = false;
  /** Blocks that no later text changes. */
  #settled = 0;
  /** The text behind them, its line ends normalised. */
  #tail = '';
  /** It ended in the first of the two characters of a line end, perhaps. */
  #cut = false;
  #settledLinks: LinkTable = Object.create(null) as LinkTable;
  #links: LinkTable = this.#settledLinks;
  /** Sources of settled blocks in which a link may come to stand, by place. */
  readonly #mayLink = new Map<number, string>();
  #code: OpenCode | null = null;
  #read = 0;

  get all(): readonly Block[] {
    return this.#blocks;
  }
  get settled(): number {
    return this.#settled;
  }
  /** Characters that were read so far, again and again where it had to be. */
  get read(): number {
    return this.#read;
  }

  /**
   * The text is `text` now. `final`: it is whole. Answers the place of the first block that is another object than before, or
   * the number of blocks. A text that does not go on from the last one is read from its beginning. `grown`: what it has more
   * than the last one, where that is known.
   */
  take(text: string, final: boolean, grown: string | null = null): number {
    const before = this.#growth.text;
    if (text === before && final === this.#final) return this.#blocks.length;
    const goesOn = this.#growth.take(text, final, grown !== null);
    const ended = this.#final;
    this.#final = final;
    if (!goesOn) {
      this.#forget();
      this.#tail = normal(text, false);
      this.#cut = text.endsWith('\r');
      return this.#advance();
    }
    const more = grown ?? text.slice(before.length);
    const added = normal(more, this.#cut);
    if (more !== '') this.#cut = more.endsWith('\r');
    if (this.#code !== null && !final && !ended) return this.#grow(this.#code, added);
    this.#code = null;
    this.#tail += added;
    return this.#advance();
  }

  #forget(): void {
    this.#settled = 0;
    this.#settledLinks = Object.create(null) as LinkTable;
    this.#links = this.#settledLinks;
    this.#mayLink.clear();
    this.#code = null;
  }

  // ---------- the end of the text ----------
  #advance(): number {
    const open = !this.#final;
    this.#read += this.#tail.length;
    const { tokens, links, length } = lex(this.#tail, this.#settledLinks, open);
    let first = this.#relink(links);
    if (first === null) {
      // A settled block would be cut in another way with these links: all of it is read again.
      this.#forget();
      this.#tail = normal(this.#growth.text, false);
      return this.#advance();
    }
    const settles = open ? settledTokens(tokens, length) : 0;
    let place = this.#settled;
    let settledLength = 0;
    const own = settles > 0 && links !== this.#settledLinks ? Object.assign(Object.create(null) as LinkTable, this.#settledLinks) : null;
    for (const [at, token] of tokens.entries()) {
      if (token.type !== 'space' && token.type !== 'def') {
        const made = blockOf(token, !open || at < tokens.length - 1);
        const old = this.#blocks[place];
        if (old === undefined || !sameBlock(old, made)) {
          this.#blocks[place] = made;
          first = Math.min(first, place);
        }
        if (at < settles && made.kind === 'words' && token.raw.includes('[')) this.#mayLink.set(place, token.raw);
        place++;
      }
      if (at < settles) {
        settledLength += token.raw.length;
        this.#settled = place;
        if (own !== null) addLinks(token as Tokens.Generic, own);
      }
    }
    if (this.#blocks.length > place) {
      this.#blocks.length = place;
      first = Math.min(first, place);
    }
    if (own !== null) this.#settledLinks = own;
    if (settledLength > 0) this.#tail = this.#tail.slice(settledLength);
    if (open && settles === tokens.length - 1 && length === settledLength + tokens.at(-1)!.raw.length) this.#enterCode(tokens.at(-1)!);
    return first;
  }

  // ---------- open code: only what is new is looked at ----------
  #enterCode(token: Token): void {
    const head = openFence(token);
    if (head === null || head.indented) return;
    const body = this.#tail.slice(head.length);
    const { lang, code: text } = this.#blocks[this.#settled] as CodeBlock;
    const rest = body.length > text.length ? '\n' : '';
    this.#code = { marks: head.marks, lang, text, rest, line: body.slice(body.lastIndexOf('\n') + 1) };
  }
  #grow(code: OpenCode, added: string): number {
    if (added === '') return this.#blocks.length;
    this.#read += added.length;
    this.#tail += added;
    const lines = (code.line + added).split('\n');
    if (lines.some((line) => closesFence(code.marks, line))) {
      this.#code = null;
      return this.#advance();
    }
    const lineWas = code.line;
    code.line = lines.at(-1)!;
    const rest = code.rest + added;
    // One line end is cut off, two are not: so says the lexer.
    const blank = rest === '\n' ? lineWas === '' : rest.endsWith('\n\n');
    code.rest = rest.endsWith('\n') && !blank ? '\n' : '';
    const more = code.rest === '' ? rest : rest.slice(0, -1);
    if (more === '') return this.#blocks.length;
    code.text += more;
    const next: CodeBlock = { kind: 'code', code: code.text, lang: code.lang, closed: false };
    this.#blocks[this.#settled] = noteGrowth(next, this.#blocks[this.#settled]!, more);
    return this.#settled;
  }

  // ---------- links that are defined later ----------
  /** Settled blocks get the links that are in force now. Null: not to be done block by block. */
  #relink(links: LinkTable): number | null {
    const before = this.#links;
    let first = this.#blocks.length;
    if (links === before) return first;
    this.#links = links;
    const changed = [...new Set([...Object.keys(before), ...Object.keys(links)])].filter(
      (tag) => before[tag]?.href !== links[tag]?.href || before[tag]?.title !== links[tag]?.title,
    );
    if (changed.length === 0) return first;
    for (const [place, source] of this.#mayLink) {
      const label = normalLabel(source);
      // Within quotes and lists a label may be broken by the marks of its lines.
      if (!/^[ \t]*(?:[>*+-]|\d+[.)])/.test(source) && !changed.some((tag) => label.includes(tag))) continue;
      this.#read += source.length;
      const tokens = lex(source, links, false).tokens.filter((token) => token.type !== 'space' && token.type !== 'def');
      if (tokens.length !== 1) return null;
      const made = blockOf(tokens[0]!, true);
      if (sameBlock(this.#blocks[place]!, made)) continue;
      this.#blocks[place] = made;
      first = Math.min(first, place);
    }
    return first;
  }
}

/** The blocks of a text at once. */
export function blocksOf(text: string, final: boolean): readonly Block[] {
  const blocks = new Blocks();
  blocks.take(text, final);
  return blocks.all;
}

/** One kind of line end. `cut`: the text before ended in the first character of one. */
function normal(text: string, cut: boolean): string {
  const rest = cut && text.startsWith('\n') ? text.slice(1) : text;
  return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
}
/** As marked makes a definition's name of its label. */
function normalLabel(text: string): string {
  return text.trim().replace(/\s+/g, ' ').toLowerCase().toUpperCase().toLowerCase();
}

// ---------- what is settled ----------
/** How many leading tokens no later text can change. */
function settledTokens(tokens: readonly Token[], length: number): number {
  let total = 0;
  for (const token of tokens) total += token.raw.length;
  if (total !== length) return 0;
  return Math.max(byNextBlock(tokens), byBorder(tokens));
}
/** A block is settled once a blank line and then a whole line of a later one follow: until then that line may join it. */
function byNextBlock(tokens: readonly Token[]): number {
  let last = lastOf(tokens, tokens.length);
  // The last line still grows: if it is all there is of the last token, that token may turn out to be part of the one before.
  if (last >= 0 && !tokens[last]!.raw.includes('\n') && last === tokens.length - 1) last = lastOf(tokens, last);
  // With no blank line between, the next line may still redraw the border (a table's rule, a definition's title).
  while (last > 0 && !blankAfter(tokens, last - 1)) last--;
  return Math.max(0, last);
}
/** Some blocks end for good by themselves: code at its closing fence, a paragraph, a table or a heading at a blank line. */
function byBorder(tokens: readonly Token[]): number {
  for (let at = tokens.length - 1; at >= 0; at--) {
    const token = tokens[at]!;
    const fence = openFence(token);
    if (fence !== null) {
      // Whatever comes is code, until the fence is closed: nothing before it can change any more.
      if (!isClosed(token.raw)) return at;
      if (at < tokens.length - 1 || token.raw.endsWith('\n')) return at + 1;
    } else if (HARD.has(token.type) && at < tokens.length - 1 && blankAfter(tokens, at + 1)) return at + 1;
  }
  return 0;
}
const HARD = new Set(['paragraph', 'heading', 'table', 'hr']);

/** Whether the space token at `at` holds a blank line, together with the end of what is before it. */
function blankAfter(tokens: readonly Token[], at: number): boolean {
  return tokens[at]?.type === 'space' && /\n[ \t]*\n[ \t]*$/.test((tokens[at - 1]?.raw ?? '') + tokens[at]!.raw);
}
function lastOf(tokens: readonly Token[], end: number): number {
  let at = end - 1;
  while (at >= 0 && tokens[at]!.type === 'space') at--;
  return at;
}

// ---------- code ----------
/** The opening line of fenced code, once it is whole. */
function openFence(token: Token): { marks: string; length: number; indented: boolean } | null {
  if (token.type !== 'code') return null;
  const found = /^( {0,3})(`{3,}|~{3,})[^\n]*\n/.exec(token.raw);
  return found === null ? null : { marks: found[2]!, length: found[0].length, indented: found[1] !== '' };
}
function blockOf(token: Token, done: boolean): Block {
  const parts = piecesOf(token, done);
  const only = parts[0];
  return parts.length === 1 && typeof only === 'object' && 'code' in only ? { kind: 'code', ...only } : { kind: 'words', parts };
}
function sameBlock(a: Block, b: Block): boolean {
  if (a.kind === 'words') return b.kind === 'words' && samePieces(a.parts, b.parts);
  return b.kind === 'code' && samePiece(a, b);
}
