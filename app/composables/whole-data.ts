/**
 * Chunk data that is kept by reference, whole: as sync has it here already, or fetched. What is on the page is held; of the
 * rest a few stay.
 */
import type { BlobRef } from '#shared/protocol/records.ts';
import { useTranscriptStore } from '../stores/transcript.ts';
import { useCommands } from './commands.ts';
import { few } from './few.ts';

export interface Whole {
  /** The data, if it is here. */
  get(sha256: string): unknown;
  /** Null: never asked for, or here. `message`: why it could not be had. */
  state(sha256: string): { readonly loading: boolean; readonly message: string } | null;
  load(ref: BlobRef): Promise<void>;
  /** It is on the page until the answer is called: meanwhile it does not shrink back to its beginning. */
  hold(sha256: string): () => void;
}

const KEPT = 8;

export function useWhole(): Whole {
  const commands = useCommands();
  const store = useTranscriptStore();
  const found = few<string, unknown>();
  const states = few<string, { loading: boolean; message: string }>();
  const held = new Map<string, number>();
  const get = (sha256: string): unknown => store.wholes.get(sha256) ?? found.get(sha256);

  function letGo(): void {
    let spare = found.keys().filter((sha256) => !held.has(sha256)).length - KEPT;
    for (const sha256 of found.keys()) {
      if (spare <= 0) return;
      if (held.has(sha256)) continue;
      found.delete(sha256);
      spare--;
    }
  }
  return {
    get,
    state: (sha256) => states.get(sha256) ?? null,
    async load({ blob }) {
      if (get(blob.sha256) !== undefined || states.get(blob.sha256)?.loading === true) return;
      states.set(blob.sha256, { loading: true, message: '' });
      const answer = await commands.blob(blob.sha256);
      if (!answer.ok) {
        const message = answer.reason === 'offline' ? 'It is not on this device. Try again when the link is back.' : answer.message;
        states.set(blob.sha256, { loading: false, message });
        return;
      }
      states.delete(blob.sha256);
      found.set(blob.sha256, answer.value);
      letGo();
    },
    hold(sha256) {
      held.set(sha256, (held.get(sha256) ?? 0) + 1);
      return () => {
        const count = held.get(sha256)! - 1;
        if (count > 0) held.set(sha256, count);
        else held.delete(sha256);
        letGo();
      };
    },
  };
}
