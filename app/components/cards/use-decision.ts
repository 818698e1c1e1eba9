/** Answering an approval: once, held here until the server has it. */
import { computed, type ComputedRef } from 'vue';
import type { Approval } from '#shared/protocol/summaries.ts';
import { useCommands } from '../../composables/commands.ts';
import { isLinkDown } from '../../composables/link-words.ts';
import { useTranscript } from '../../composables/transcript-context.ts';
import { useLinkStore } from '../../stores/link.ts';
import type { Decision } from '../../sync/views.ts';

export interface Deciding {
  /** What was answered here and is not decided by the server yet. */
  readonly given: ComputedRef<Decision | null>;
  readonly words: ComputedRef<{ strong: string; rest: string; held: boolean }>;
  decide(decision: 'allow' | 'deny', remember: boolean): Promise<void>;
}

export function useDecision(approval: () => Approval): Deciding {
  const commands = useCommands();
  const link = useLinkStore();
  const { decisions } = useTranscript();
  const given = computed(() => decisions.get(approval().id) ?? null);
  return {
    given,
    words: computed(() => {
      const word = given.value?.decision === 'deny' ? 'no' : 'yes';
      const heard = given.value?.heard === true;
      const held = !heard && isLinkDown(link.link);
      if (heard) return { strong: `Your ${word} is with the server.`, rest: 'First answer wins', held };
      return held
        ? { strong: `Your ${word} is held here.`, rest: 'First answer wins', held }
        : { strong: `Sending your ${word}.`, rest: 'First answer wins', held };
    }),
    async decide(decision, remember) {
      const { id, sessionId } = approval();
      if (decisions.has(id)) return;
      decisions.set(id, { decision, remember });
      try {
        await commands.decide(sessionId, id, decision, remember);
      } catch (error) {
        // It is on neither side: the question stands as it did.
        decisions.delete(id);
        throw error;
      }
    },
  };
}
