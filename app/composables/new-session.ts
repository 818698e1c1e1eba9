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
  /** Of the session to come: a try that failed halfway is taken up by the next, not begun again. */
  let id: string | null = null;
  let made = false;
  return async (draft, text, delivery) => {
    if (busy) return;
    busy = true;
    try {
      id ??= commands.newId();
      if (!made) await commands.createSession(draft, id);
      made = true;
      await commands.send(id, [{ type: 'text', text }], delivery);
      commands.saveDraft(NEW_DRAFT, '');
      const address = `/s/${id}`;
      id = null;
      made = false;
      await router.replace(address);
    } finally {
      busy = false;
    }
  };
}
