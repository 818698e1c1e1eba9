/** How long the turn in flight has gone on, from the server's own times plus what passed here since: no two clocks are compared. */
import { computed, ref, watch, type ComputedRef, type Ref } from 'vue';
import { useTranscriptStore } from '../stores/transcript.ts';
import { durationWords } from './time-words.ts';

/** `step 4, 2 m 10 s` of the open session's turn; null while none runs. `now` ticks by the second. */
export function useTurnWords(turnId: () => string | null, now: Readonly<Ref<number>>): ComputedRef<string | null> {
  const transcript = useTranscriptStore();
  const sealed = computed(() => transcript.chunks.filter((chunk) => chunk.turnId === turnId()));
  const step = computed(() => Math.max(transcript.live?.turnId === turnId() ? transcript.live.step : 0, sealed.value.at(-1)?.step ?? 0));
  const span = computed(() => (sealed.value.at(-1)?.createdAt ?? 0) - (sealed.value[0]?.createdAt ?? 0));
  const arrivedAt = ref(now.value);
  watch([turnId, () => sealed.value.at(-1)?.seq], () => (arrivedAt.value = now.value));
  return computed(() => {
    if (turnId() === null) return null;
    return `step ${step.value + 1}, ${durationWords(span.value + Math.max(0, now.value - arrivedAt.value))}`;
  });
}
