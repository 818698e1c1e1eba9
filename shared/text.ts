/** Small, pure text helpers that both sides use. */

/** Length in bytes of the UTF-8 form; a lone surrogate counts as the three bytes it is replaced by. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) {
      bytes += 4;
      at++;
    } else bytes += 3;
  }
  return bytes;
}

/** At most `chars` UTF-16 units, never ending within a surrogate pair; says nothing about what was cut. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return text.slice(0, isHigh(text.charCodeAt(chars - 1)) && isLow(text.charCodeAt(chars)) ? chars - 1 : chars);
}

/** One line for a list, of at most `chars` (1 or more) UTF-16 units: white space folded, cut with an ellipsis. Reads no further than it must. */
export function oneLine(text: string, chars: number): string {
  let line = '';
  for (const [word] of text.matchAll(/\S+/g)) {
    line += line === '' ? word : ` ${word}`;
    if (line.length > chars) return `${cut(line, chars - 1)}…`;
  }
  return line;
}

/** True when nothing but white space is there: such a text block is never sent to a provider. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}

/** False for NaN, which `charCodeAt` answers past the end. */
function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}

/**
 * One line of Markdown without its marks, for a list: fences, headings, quotes, bullets, emphasis, code marks and link targets
 * are left out, words are kept. Where nothing but marks is there, the line as it is.
 */
export function plainLine(markdown: string, chars: number): string {
  const words = cut(markdown, chars * 8)
    .replace(/^[ \t]*(?:```|~~~)[^\n]*$/gm, ' ')
    .replace(/^[ \t]*(?:#{1,6}|>|[-*+]|\d+[.)])[ \t]+/gm, '')
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, '$1')
    .replace(/\*\*|~~|`+/g, '')
    .replace(/(^|[\s(])\*(\S(?:[^*\n]*\S)?)\*(?=$|[\s).,;:!?])/g, '$1$2');
  const line = oneLine(words, chars);
  return line === '' ? oneLine(markdown, chars) : line;
}
