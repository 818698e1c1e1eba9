/** Chunk data that is kept by reference, fetched whole when the reader asks for it. A few at a time stay here. */
import { shallowReactive } from 'vue';
import type { BlobRef } from '#shared/protocol/records.ts';
import { useCommands } from './commands.ts';

export interface Whole {
  /** The data, once it was fetched. */
  get(sha256: string): unknown;
  /** Null: never asked for, or here. `message`: why it could not be had. */
  state(sha256: string): { readonly loading: boolean; readonly message: string } | null;
  load(ref: BlobRef): Promise<void>;
}

const KEPT = 8;

export function useWhole(): Whole {
  const commands = useCommands();
  const found = shallowReactive(new Map<string, unknown>());
  const states = shallowReactive(new Map<string, { loading: boolean; message: string }>());
  return {
    get: (sha256) => found.get(sha256),
    state: (sha256) => states.get(sha256) ?? null,
    async load({ blob }) {
      if (found.has(blob.sha256) || states.get(blob.sha256)?.loading === true) return;
      states.set(blob.sha256, { loading: true, message: '' });
      const answer = await commands.blob(blob.sha256);
      if (!answer.ok) {
        const message = answer.reason === 'offline' ? 'It is not on this device. Try again when the link is back.' : answer.message;
        states.set(blob.sha256, { loading: false, message });
        return;
      }
      states.delete(blob.sha256);
      found.set(blob.sha256, answer.value);
      for (const old of found.keys()) if (found.size > KEPT) found.delete(old);
    },
  };
}
