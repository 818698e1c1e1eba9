/**
 * Markdown tokens → HTML text. This text is not trusted: `sanitize.ts` is the last step before the DOM. What a model writes
 * as raw HTML is shown as the words it is, so that nothing it said vanishes and nothing it said is markup.
 */
import { Lexer, Parser, Renderer, Tokenizer, type MarkedOptions, type Token, type Tokens, type TokensList } from 'marked';

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text as HTML text, attribute values included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (char) => ESCAPES[char]!);
}

/** First word of a fence's info string, lower case: `TS title="x"` → `ts`. */
export function langOf(info: string | undefined): string {
  return /^[^\s{,:]*/
    .exec(info ?? '')![0]
    .toLowerCase()
    .slice(0, 32);
}

class PlainRenderer extends Renderer {
  override html(token: Tokens.HTML | Tokens.Tag): string {
    if (/^<br\s*\/?>$/i.test(token.raw)) return '<br>';
    const text = escapeHtml(token.raw.replace(/\n+$/, ''));
    return 'block' in token && token.block ? `<p>${text.replaceAll('\n', '<br>')}</p>\n` : escapeHtml(token.raw);
  }
  override code(token: Tokens.Code): string {
    const lang = langOf(token.lang);
    return `<pre><code${lang === '' ? '' : ` data-lang="${escapeHtml(lang)}"`}>${escapeHtml(token.text)}</code></pre>\n`;
  }
  /** One level for all, below the page's own: where a model starts counting is its own business, and a level left out confuses ears. */
  override heading(token: Tokens.Heading): string {
    return `<h3 data-depth="${token.depth}">${this.parser.parseInline(token.tokens)}</h3>\n`;
  }
  /** A picture would be fetched unasked: it is a link that says so. */
  override image(token: Tokens.Image): string {
    const words = token.text.trim() === '' ? 'picture' : token.text;
    return `<a href="${escapeHtml(token.href)}">${escapeHtml(words)}</a>`;
  }
  override listitem(item: Tokens.ListItem): string {
    const html = super.listitem(item);
    return item.task ? html.replace(/^<li>/, '<li data-task="">') : html;
  }
  override checkbox(token: Tokens.Checkbox): string {
    return token.checked ? '☑ ' : '☐ ';
  }
}

/** A link definition ends at a blank line at the latest (CommonMark 4.7); marked would look for the end of its title beyond. */
class BoundedTokenizer extends Tokenizer {
  override def(src: string): Tokens.Def | undefined {
    if (!/^ {0,3}\[/.test(src)) return undefined;
    const blank = /\n[ \t]*\n/.exec(src);
    return super.def(blank === null ? src : src.slice(0, blank.index + 1));
  }
}

const options: MarkedOptions = {
  gfm: true,
  breaks: false,
  pedantic: false,
  renderer: new PlainRenderer(),
  tokenizer: new BoundedTokenizer(),
};
const parser = new Parser(options);

export type LinkTable = TokensList['links'];

/** Top-level tokens of `source`, line ends normalised. `known`: link definitions of the text before it. */
export function lex(source: string, known: LinkTable): TokensList {
  const lexer = new Lexer(options);
  Object.assign(lexer.tokens.links, known);
  return lexer.lex(source);
}

/** HTML text of one top-level token. */
export function htmlOf(token: Token): string {
  return parser.parse([token]);
}
