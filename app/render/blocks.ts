/**
 * Markdown that is still being written → blocks that a reader's eyes can rest on.
 *
 * Only the end of the text is parsed again: a top-level token is settled once a blank line and then a whole line of a later one
 * follow it, since a line that still grows may yet join what is before it (an opening fence becomes inline code, `1` a list
 * item, a table's rule plain words). At every prefix the blocks equal those of the same text parsed at once, and a block that
 * did not change is the same object.
 */
import type { Token, TokensList } from 'marked';
import { htmlOf, langOf, lex, type LinkTable } from './markdown.ts';

export interface HtmlBlock {
  readonly kind: 'html';
  /** Not clean yet: only `sanitize` may turn it into DOM. */
  readonly html: string;
}
export interface CodeBlock {
  readonly kind: 'code';
  readonly lang: string;
  readonly text: string;
  /** No more of it will come. */
  readonly closed: boolean;
}
export type Block = HtmlBlock | CodeBlock;

export interface Parsed {
  readonly source: string;
  readonly final: boolean;
  readonly blocks: readonly Block[];
  /** Everything before this offset is settled: so many blocks, and these link definitions. */
  readonly settledAt: number;
  readonly settledBlocks: number;
  readonly settledLinks: LinkTable;
  /** All definitions that the blocks were made with. */
  readonly links: LinkTable;
}

/**
 * Blocks of `text`. `final`: it is whole, so an open fence counts as closed. `before`: the answer for an earlier text; if this
 * one does not go on from it, everything is parsed anew, and equal blocks at the same place are still the same objects.
 */
export function parseBlocks(text: string, final: boolean, before: Parsed | null): Parsed {
  const source = text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
  if (before !== null && before.source === source && before.final === final) return before;
  if (before !== null && before.settledAt > 0 && source.startsWith(before.source)) {
    const tokens = lex(source.slice(before.settledAt), before.settledLinks);
    if (sameLinks(tokens.links, before.links)) return advance(source, final, tokens, before, before.settledAt);
  }
  return advance(source, final, lex(source, {}), before, 0);
}

function advance(source: string, final: boolean, tokens: TokensList, before: Parsed | null, from: number): Parsed {
  const kept = from === 0 ? 0 : before!.settledBlocks;
  const blocks: Block[] = from === 0 ? [] : before!.blocks.slice(0, kept);
  const links: LinkTable = from === 0 ? {} : { ...before!.settledLinks };
  const settles = settledTokens(tokens, source.length - from);
  let settledAt = from;
  let settledBlocks = kept;
  for (const [at, token] of tokens.entries()) {
    if (token.type !== 'space' && token.type !== 'def') {
      const made = blockOf(token, final || at < tokens.length - 1);
      const old = before?.blocks[blocks.length];
      blocks.push(old !== undefined && sameBlock(old, made) ? old : made);
    }
    if (at < settles) {
      settledAt += token.raw.length;
      settledBlocks = blocks.length;
      if (token.type === 'def') {
        const tag = token['tag'] as string;
        links[tag] ??= tokens.links[tag]!;
      }
    }
  }
  return { source, final, blocks, settledAt, settledBlocks, settledLinks: links, links: { ...tokens.links } };
}

/** How many leading tokens no later text can change. */
function settledTokens(tokens: readonly Token[], length: number): number {
  let total = 0;
  for (const token of tokens) total += token.raw.length;
  if (total !== length) return 0;
  let last = lastOf(tokens, tokens.length);
  // The last line still grows: if it is all there is of the last token, that token may turn out to be part of the one before.
  if (last >= 0 && !tokens[last]!.raw.includes('\n') && last === tokens.length - 1) last = lastOf(tokens, last);
  // With no blank line between, the next line may still redraw the border (a table's rule, a definition's title).
  while (last > 0 && !blankBefore(tokens, last)) last--;
  return Math.max(0, last);
}
function blankBefore(tokens: readonly Token[], at: number): boolean {
  return tokens[at - 1]!.type === 'space' && /\n[ \t]*\n[ \t]*$/.test((tokens[at - 2]?.raw ?? '') + tokens[at - 1]!.raw);
}
function lastOf(tokens: readonly Token[], end: number): number {
  let at = end - 1;
  while (at >= 0 && tokens[at]!.type === 'space') at--;
  return at;
}

function blockOf(token: Token, done: boolean): Block {
  if (token.type !== 'code') return { kind: 'html', html: htmlOf(token) };
  return {
    kind: 'code',
    lang: langOf(token['lang'] as string | undefined),
    text: token['text'] as string,
    closed: done || isClosed(token.raw),
  };
}
/** Whether a fenced block's last line closes it. Indented code never closes itself. */
function isClosed(raw: string): boolean {
  const fence = /^ {0,3}(`{3,}|~{3,})/.exec(raw)?.[1];
  if (fence === undefined) return false;
  const last = raw.trimEnd().split('\n').slice(1).at(-1)?.trim() ?? '';
  return last.length >= fence.length && last === fence[0]!.repeat(last.length);
}

function sameBlock(a: Block, b: Block): boolean {
  if (a.kind === 'html') return b.kind === 'html' && a.html === b.html;
  return b.kind === 'code' && a.lang === b.lang && a.text === b.text && a.closed === b.closed;
}
function sameLinks(a: LinkTable, b: LinkTable): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => b[key] !== undefined && a[key]!.href === b[key].href && a[key]!.title === b[key].title)
  );
}
