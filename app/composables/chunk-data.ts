/** A chunk's data, or its whole in place of a reference once that is here. */
import { computed, watch, type ComputedRef } from 'vue';
import type { ViewChunk } from '#shared/chunks/view.ts';
import { isBlobRef, type BlobRef } from '#shared/protocol/records.ts';
import { useTranscript } from './transcript-context.ts';

export interface ChunkData {
  /** A `BlobRef` while only its beginning is here. */
  readonly data: ComputedRef<unknown>;
  /** What is still to be fetched; null: nothing. */
  readonly missing: ComputedRef<BlobRef | null>;
}

/** Words up to this size are fetched unasked when their row is on the page: they are what the reader came for. */
const UNASKED_BYTES = 1024 * 1024;
const WORDS = new Set(['text', 'prompt']);

export function useChunkData(chunk: () => ViewChunk | null): ChunkData {
  const { whole } = useTranscript();
  const reference = computed(() => {
    const held = chunk()?.data;
    return isBlobRef(held) ? held : null;
  });
  watch(
    () => reference.value?.blob.sha256,
    (sha256, _before, onCleanup) => {
      if (sha256 === undefined) return;
      onCleanup(whole.hold(sha256));
      const ref = reference.value!;
      if (WORDS.has(chunk()!.type) && ref.blob.size <= UNASKED_BYTES) void whole.load(ref);
    },
    { immediate: true },
  );
  const data = computed(() => (reference.value === null ? chunk()?.data : (whole.get(reference.value.blob.sha256) ?? reference.value)));
  return { data, missing: computed(() => (isBlobRef(data.value) ? data.value : null)) };
}
