/** What is told of this browser: once, and not again in any window of this device once it was put away. */
import { computed, onMounted, shallowRef, type ComputedRef } from 'vue';
import { useLinkStore } from '../stores/link.ts';
import { useCommands } from './commands.ts';
import { hintOf, useSurroundings, type Hint } from './surroundings.ts';

export function useHint(): { hint: ComputedRef<Hint | null>; putAway: () => void } {
  const commands = useCommands();
  const store = useLinkStore();
  const surroundings = useSurroundings();
  /** Null: not read yet, so nothing is told that may have been put away. */
  const away = shallowRef<readonly string[] | null>(null);
  onMounted(async () => (away.value = await commands.hintsAway()));
  const hint = computed(() => {
    const { kind, prompts } = store.link;
    const signedIn = kind === 'live' || kind === 'catching-up' || kind === 'offline';
    return away.value === null ? null : hintOf(surroundings, { signedIn, prompts, away: away.value });
  });
  return {
    hint,
    putAway() {
      if (hint.value === null || away.value === null) return;
      away.value = [...away.value, hint.value];
      void commands.putHintAway(away.value.at(-1)!);
    },
  };
}
