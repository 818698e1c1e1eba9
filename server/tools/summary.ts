/**
 * One line about a call, for the approval card. What a person is asked to allow must be what they see: line breaks are
 * shown as a sign, and characters that are invisible or turn text around (U+202E and its kind) are spelled out.
 */
import { cut } from '#shared/text.ts';

const HIDDEN = /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;
const SUMMARY_CHARS = 2000;

export function summaryOf(value: unknown, missing: string): string {
  if (typeof value !== 'string' || value.trim() === '') return missing;
  const shown = cut(value.trim().toWellFormed(), SUMMARY_CHARS + 1)
    .replace(/\r\n|\n|\r/g, ' ⏎ ')
    .replaceAll('\t', ' ')
    .replace(HIDDEN, (char) => `\\u{${char.codePointAt(0)!.toString(16)}}`);
  return shown.length > SUMMARY_CHARS ? `${cut(shown, SUMMARY_CHARS)}…` : shown;
}
