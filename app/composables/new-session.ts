/** From first words to a session: one session and one input, however often Enter is pressed (I33). */
import { useRouter } from 'vue-router';
import type { Delivery } from '#shared/protocol/records.ts';
import type { NewSession } from '../sync/commands.ts';
import { useCommands } from './commands.ts';

/** Key under which the words of a session that is not made yet are kept. */
export const NEW_DRAFT = 'new';

export function useNewSession(): (draft: NewSession, text: string, delivery: Delivery) => Promise<void> {
  const commands = useCommands();
  const router = useRouter();
  let busy = false;
  /** Made, but its first words could not be kept: the next try uses it. */
  let made: string | null = null;
  return async (draft, text, delivery) => {
    if (busy) return;
    busy = true;
    try {
      made ??= await commands.createSession(draft);
      await commands.send(made, [{ type: 'text', text }], delivery);
      commands.saveDraft(NEW_DRAFT, '');
      const id = made;
      made = null;
      await router.replace(`/s/${id}`);
    } finally {
      busy = false;
    }
  };
}
