/** The turns of a session, loaded downwards from the newest, one page at a time. */
import { onScopeDispose, ref, shallowRef, type Ref } from 'vue';
import type { TurnMark } from '#shared/protocol/summaries.ts';
import { useCommands } from '../../composables/commands.ts';

/**
 * `more`: there are earlier ones · `all`: these are all · `missing`: earlier ones exist and are not on this device ·
 * `refused`: the server said no.
 */
export type TurnListState = 'loading' | 'more' | 'all' | 'missing' | 'refused';
export interface TurnList {
  /** The newest first. */
  readonly turns: Readonly<Ref<readonly TurnMark[]>>;
  readonly state: Readonly<Ref<TurnListState>>;
  loadEarlier(): Promise<void>;
  /** Goes on loading until a screenful of turns holds these lower-case words, or there are no more. A later call ends an earlier one. */
  find(words: string): Promise<void>;
}

/** Matches after which a search stops loading: the reader sees no more at once. */
const SCREENFUL = 12;

export function useTurnList(sessionId: string): TurnList {
  const commands = useCommands();
  const turns = shallowRef<readonly TurnMark[]>([]);
  const state = ref<TurnListState>('more');
  let loading: Promise<void> | null = null;
  let search = 0;

  async function load(): Promise<void> {
    state.value = 'loading';
    const answer = await commands.turns(sessionId, turns.value.at(-1)?.seq ?? null);
    if (!answer.ok) {
      state.value = answer.reason === 'offline' ? 'missing' : 'refused';
      return;
    }
    const { value } = answer;
    const known = new Set(turns.value.map(({ seq }) => seq));
    const fresh = value.turns.filter(({ seq }) => !known.has(seq)).toReversed();
    turns.value = [...turns.value, ...fresh];
    // An answer that brings nothing new ends it, whatever it says: the next would be the same.
    state.value = value.missing ? 'missing' : value.earlier && fresh.length > 0 ? 'more' : 'all';
  }
  async function loadEarlier(): Promise<void> {
    if (loading === null && state.value === 'more') {
      loading = load().finally(() => {
        loading = null;
      });
    }
    await loading;
  }
  onScopeDispose(() => search++);

  return {
    turns,
    state,
    loadEarlier,
    async find(words) {
      const mine = ++search;
      if (words === '') return;
      const matches = (): number => turns.value.filter((turn) => turn.words.toLocaleLowerCase().includes(words)).length;
      while (mine === search && matches() < SCREENFUL && (state.value === 'more' || state.value === 'loading')) await loadEarlier();
    },
  };
}
