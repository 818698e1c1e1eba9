/** Forks from a prompt of the open transcript: made once for each wish, opened, and told. */
import { useRouter } from 'vue-router';
import type { ContentPart } from '#shared/protocol/content.ts';
import { isBlobRef } from '#shared/protocol/records.ts';
import { forkTitle } from '#shared/fork-title.ts';
import type { NewFork } from '../sync/commands.ts';
import { useLinkStore } from '../stores/link.ts';
import { useTranscriptStore } from '../stores/transcript.ts';
import { useCommands } from './commands.ts';
import { isLinkDown } from './link-words.ts';
import { openingOf, withWords, type SealedPrompt } from './prompt-turn.ts';
import { useToasts } from './toasts.ts';
import { useTranscript } from './transcript-context.ts';

const NO_END = 'Where this turn ends is not on this device. It needs the link.';
const NO_WORDS = 'The whole words are not on this device. They need the link.';
const NO_DISK = 'Not kept: this device would not save it.';

export interface Forks {
  /** Everything up to and including the turn of this prompt. Answers why not; null: it was made. */
  fromHere(prompt: SealedPrompt): Promise<string | null>;
  /** From before the turn of this prompt, which is said again; with other words, if there are any. */
  again(prompt: SealedPrompt, words: string | null): Promise<string | null>;
  /** All of a prompt, also what is kept by reference; null: it could not be had. */
  contentOf(prompt: SealedPrompt): Promise<readonly ContentPart[] | null>;
}

export function useForks(): Forks {
  const commands = useCommands();
  const toasts = useToasts();
  const router = useRouter();
  const link = useLinkStore();
  const store = useTranscriptStore();
  const { summary } = useTranscript();
  /** Of the wish under way, made once: pressed twice it is still one fork (I33). */
  let ids: { fork: string; prompt: string } | null = null;
  let busy = false;

  function forkAt(seq: number): NewFork | null {
    if (summary.value === null) return null;
    const { id, title, workspace, mode, model, effort } = summary.value;
    return { title: forkTitle(title), workspace, mode, model, effort, origin: { sessionId: id, seq } };
  }
  async function make(seq: number, content: ContentPart[] | null): Promise<string | null> {
    const fork = forkAt(seq);
    if (fork === null) return 'This session is gone.';
    ids ??= { fork: commands.newId(), prompt: commands.newId() };
    const made = ids;
    try {
      await commands.forkSession(fork, content === null ? null : { id: made.prompt, content }, made.fork);
    } catch (error) {
      return `${NO_DISK} (${error instanceof Error ? error.message : String(error)})`;
    }
    ids = null;
    const back = { name: 'Original', run: () => void router.push(`/s/${fork.origin.sessionId}`) };
    toasts.say(
      isLinkDown(link.link) ? 'Fork held on this device. The original stays as it is' : 'Forked. The original stays as it is',
      back,
    );
    await router.push(`/s/${made.fork}`);
    return null;
  }
  /** A second press before the disk has answered is the same wish. */
  async function once(wish: () => Promise<string | null>): Promise<string | null> {
    if (busy) return null;
    busy = true;
    try {
      return await wish();
    } finally {
      busy = false;
    }
  }

  async function contentOf({ data }: SealedPrompt): Promise<readonly ContentPart[] | null> {
    if (!isBlobRef(data)) return (data as { content: ContentPart[] }).content;
    const whole = await commands.blob(data.blob.sha256);
    return whole.ok ? (whole.value as { content: ContentPart[] }).content : null;
  }
  async function sayAgain(prompt: SealedPrompt, words: string | null): Promise<string | null> {
    // what opened the turn may begin above the window
    if (!store.atStart && openingOf(store.chunks, prompt)?.[0]?.id === store.chunks[0]?.id) await commands.loadOlder();
    const opening = openingOf(store.chunks, prompt) ?? [prompt];
    const content: ContentPart[] = [];
    for (const one of opening) {
      const said = await contentOf(one);
      if (said === null) return NO_WORDS;
      content.push(...(words !== null && one.id === prompt.id ? withWords(said, words) : said));
    }
    return make(opening[0]!.seq - 1, content);
  }

  return {
    contentOf,
    fromHere: (prompt) =>
      once(async () => {
        const end = summary.value === null ? null : await commands.turnEnd(summary.value.id, prompt.seq);
        return end === null ? NO_END : make(end, null);
      }),
    again: (prompt, words) => once(() => sayAgain(prompt, words)),
  };
}
