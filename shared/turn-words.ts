/** What a turn is called in the list for jumping: the server's word for it, and this device's own where it follows the log. */
import { wordsOf, type ContentPart } from './protocol/content.ts';
import { oneLine } from './text.ts';

const TURN_WORDS = 120;

/** By the prompt that opened it. */
export function turnWords(content: readonly ContentPart[]): string {
  return oneLine(wordsOf(content), TURN_WORDS);
}
