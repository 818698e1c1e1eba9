/** Small, pure text helpers that both sides use. */

/** Length in bytes of the UTF-8 form. */
export function utf8Length(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && at + 1 < text.length) {
      bytes += 4;
      at++;
    } else bytes += 3;
  }
  return bytes;
}

/** At most `chars` UTF-16 units, never ending within a surrogate pair; says nothing about what was cut. */
export function cut(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const last = text.charCodeAt(chars - 1);
  return text.slice(0, last >= 0xd800 && last < 0xdc00 ? chars - 1 : chars);
}

/** One line for a list: white space folded, cut with an ellipsis. */
export function oneLine(text: string, chars: number): string {
  const line = cut(text, chars * 4)
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= chars ? line : `${cut(line, chars - 1)}…`;
}

/** True when nothing but white space is there: such a text block is never sent to a provider. */
export function isBlank(text: string): boolean {
  return text.trim() === '';
}
