/**
 * How long things took, where this device saw them begin and end. Chunks carry no start time, and the server's clock is not
 * this one: what was not seen has no duration on screen.
 */
import { watch } from 'vue';
import { sameKey } from '#shared/chunks/fold.ts';
import { useTranscriptStore } from '../stores/transcript.ts';
import { few } from './few.ts';
import { clockNow } from './now.ts';

export interface Span {
  /** This device's clock, ms. */
  readonly from: number;
  /** Null: not over. */
  readonly to: number | null;
}
export interface Witness {
  begin(id: string): void;
  end(id: string): void;
  span(id: string): Span | undefined;
}

const KEPT = 512;

export function useWitness(): Witness {
  const store = useTranscriptStore();
  const spans = few<string, Span>();
  const witness: Witness = {
    begin(id) {
      if (spans.has(id)) return;
      spans.set(id, { from: clockNow(), to: null });
      for (const old of spans.keys()) if (spans.size > KEPT) spans.delete(old);
    },
    end(id) {
      const span = spans.get(id);
      if (span?.to === null) spans.set(id, { from: span.from, to: clockNow() });
    },
    span: (id) => spans.get(id),
  };
  // A chunk that was not yet in a fold seen before has begun since; one that is closed, or gone from the fold, is over.
  watch(
    () => store.live,
    (live, before) => {
      for (const chunk of before?.chunks ?? []) {
        if (live?.chunks.find((next) => next.id === chunk.id)?.open !== true) witness.end(chunk.id);
      }
      if (live === null || before === null || !sameKey(live, before)) return;
      for (const chunk of live.chunks) {
        if (chunk.open && !before.chunks.some((old) => old.id === chunk.id)) witness.begin(chunk.id);
      }
    },
    { flush: 'sync' },
  );
  return witness;
}
