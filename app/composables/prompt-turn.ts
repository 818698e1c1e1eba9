/** A prompt of the transcript and the turn it belongs to: what a fork before that turn would say again. Pure. */
import type { ViewChunk } from '#shared/chunks/view.ts';
import type { ContentPart, TextPart } from '#shared/protocol/content.ts';

/** A prompt that is in the log. */
export type SealedPrompt = ViewChunk & { readonly seq: number; readonly createdAt: number };
export function isSealed(chunk: ViewChunk): chunk is SealedPrompt {
  return chunk.seq !== undefined && chunk.createdAt !== undefined;
}

/** The prompts that opened the turn of this one, in order; null: it joined a turn that ran already. `chunks`: the window. */
export function openingOf(chunks: readonly SealedPrompt[], prompt: SealedPrompt): SealedPrompt[] | null {
  const at = chunks.findIndex(({ id }) => id === prompt.id);
  const found = chunks[at];
  // a turn opens with all that waits by then; what joins it comes after its first step
  if (found === undefined || found.step !== 0) return null;
  const isOfIt = (chunk: SealedPrompt | undefined): boolean =>
    chunk !== undefined && chunk.type === 'prompt' && chunk.turnId === found.turnId && chunk.step === 0;
  let from = at;
  while (isOfIt(chunks[from - 1])) from--;
  let to = at;
  while (isOfIt(chunks[to + 1])) to++;
  return chunks.slice(from, to + 1);
}

/** Parts that are no text stay as they are. */
export function withWords(content: readonly ContentPart[], text: string): ContentPart[] {
  const words: TextPart = { type: 'text', text };
  return [words, ...content.filter((part) => part.type !== 'text')];
}
