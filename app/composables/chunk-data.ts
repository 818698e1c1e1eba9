/** A chunk's data, or its whole in place of a reference once it was fetched. */
import { computed, type ComputedRef } from 'vue';
import type { ViewChunk } from '#shared/chunks/view.ts';
import { isBlobRef, type BlobRef } from '#shared/protocol/records.ts';
import { useTranscript } from './transcript-context.ts';

export interface ChunkData {
  /** A `BlobRef` while only its beginning is here. */
  readonly data: ComputedRef<unknown>;
  /** What is still to be fetched; null: nothing. */
  readonly missing: ComputedRef<BlobRef | null>;
}

export function useChunkData(chunk: () => ViewChunk | null): ChunkData {
  const { whole } = useTranscript();
  const data = computed(() => {
    const held = chunk()?.data;
    return isBlobRef(held) ? (whole.get(held.blob.sha256) ?? held) : held;
  });
  return { data, missing: computed(() => (isBlobRef(data.value) ? data.value : null)) };
}
