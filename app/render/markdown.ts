/**
 * Text → Markdown tokens, also of text that is still being written: what its last line will be is not guessed at.
 */
import { Lexer, Tokenizer, type MarkedOptions, type Token, type Tokens, type TokensList } from 'marked';
import { isClosed } from './pieces.ts';

export type LinkTable = TokensList['links'];
export interface Lexed {
  readonly tokens: readonly Token[];
  /** Link definitions that the tokens were made with, those of the text before included. */
  readonly links: LinkTable;
  /** How much of the source the tokens are of: all, but for a last line that is held back. */
  readonly length: number;
}

/** Deeper than this, marks are words: no writer means them, and each level costs a reading of the rest and a part of the stack. */
const MOST_NESTED = 40;

class CairnTokenizer extends Tokenizer {
  #depth = 0;
  #within<T>(read: () => T | undefined): T | undefined {
    if (this.#depth >= MOST_NESTED) return undefined;
    this.#depth++;
    try {
      return read();
    } finally {
      this.#depth--;
    }
  }
  override blockquote(src: string): Tokens.Blockquote | undefined {
    return this.#within(() => super.blockquote(src));
  }
  override list(src: string): Tokens.List | undefined {
    return this.#within(() => super.list(src));
  }
  override emStrong(src: string, maskedSrc: string, prevChar?: string): Tokens.Em | Tokens.Strong | undefined {
    return this.#within(() => super.emStrong(src, maskedSrc, prevChar));
  }
  override del(...given: Parameters<Tokenizer['del']>): Tokens.Del | undefined {
    return this.#within(() => super.del(...given));
  }
  override link(src: string): Tokens.Link | Tokens.Image | undefined {
    return this.#within(() => super.link(src));
  }
  /**
   * A link definition ends at a blank line at the latest (CommonMark 4.7); marked would look for the end of its title beyond.
   * `[^1]: words` is a footnote's text, which stays where it is written.
   */
  override def(src: string): Tokens.Def | undefined {
    if (!/^ {0,3}\[(?!\^)/.test(src)) return undefined;
    const blank = /\n[ \t]*\n/.exec(src);
    return super.def(blank === null ? src : src.slice(0, blank.index + 1));
  }
}
const options: MarkedOptions = { gfm: true, breaks: false, pedantic: false, tokenizer: new CairnTokenizer() };

/**
 * Top-level tokens of `source`, whose line ends are normalised. `known`: link definitions of the text before it. `open`: more
 * will come, so a last line that may yet be a rule, an underline, a table's border, a bullet or the beginning of a fence is
 * held back, and a definition at the end does not link yet.
 */
export function lex(source: string, known: LinkTable, open: boolean): Lexed {
  const held = open ? heldFrom(source) : source.length;
  if (held === source.length) return lexWhole(source, known, open);
  const lexed = lexWhole(source.slice(0, held), known, open);
  return keepsLines(lexed.tokens) ? lexWhole(source, known, open) : lexed;
}

function lexWhole(source: string, known: LinkTable, open: boolean): Lexed {
  const lexer = new Lexer(options);
  const tokens = lexer.blockTokens(source, lexer.tokens);
  const links = source.includes(']:') ? linksOf(tokens, known, open) : known;
  lexer.tokens.links = links;
  for (const { src, tokens: into } of lexer.inlineQueue) {
    lexer.state.inRawBlock = false;
    lexer.inlineTokens(src, into);
  }
  return { tokens, links, length: source.length };
}

/** Marks alone, a list's number, or a fence with what stands behind it: `- `, `===`, `|--|`, `1.`, "```ts". */
const UNDECIDED =
  /^[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)*(?:[-+*_=#|:~` \t>]*|\d{1,9}[.)]?[ \t]*|`{3,}[^`\n]*|~{3,}[^\n]*|\|?[ \t]*:?-[-:| \t]*)$/;
function heldFrom(source: string): number {
  const start = source.lastIndexOf('\n') + 1;
  const length = source.length - start;
  return length > 0 && length < 200 && UNDECIDED.test(source.slice(start)) ? start : source.length;
}
/** Whether a further line is shown as it stands: the text ends in code or in raw HTML. */
function keepsLines(tokens: readonly Token[]): boolean {
  const last = tokens.findLast((token) => token.type !== 'space') as Tokens.Generic | undefined;
  if (last === undefined) return false;
  if (last.type === 'list') return keepsLines((last as Tokens.List).items.at(-1)?.tokens ?? []);
  if (last.type === 'blockquote') return keepsLines(last.tokens ?? []);
  return last.type === 'html' || (last.type === 'code' && !isClosed(last.raw));
}

/** The definitions in force, the first of each name. At the end of open text one may still grow: it does not link before it ended. */
function linksOf(tokens: readonly Token[], known: LinkTable, open: boolean): LinkTable {
  const links = Object.assign(Object.create(null) as LinkTable, known);
  const last = tokens.findLastIndex((token) => token.type !== 'space');
  for (const [at, token] of tokens.entries()) {
    if (open && at === last && at === tokens.length - 1) break;
    addLinks(token as Tokens.Generic, links);
  }
  return links;
}
/** Adds the definitions that stand in `token`. */
export function addLinks(token: Tokens.Generic, links: LinkTable): void {
  if (token.type === 'def') {
    const { tag, href, title } = token as Tokens.Def;
    links[tag] ??= { href, title };
  } else if (token.type === 'list')
    for (const item of (token as Tokens.List).items) for (const child of item.tokens) addLinks(child, links);
  else if (token.type === 'blockquote') for (const child of token.tokens ?? []) addLinks(child, links);
}
