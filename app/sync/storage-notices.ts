/** What is told of this device's storage while it is in trouble, and after. */
import type { Notice } from './views.ts';

export const STORAGE_NOTICES = {
  /** `byWindow`: it is another window that is in the way. */
  held: (byWindow: boolean): Notice => ({
    id: 'disk-held',
    tone: 'attn',
    strong: byWindow ? 'Another window holds this device’s storage.' : 'This device’s storage does not answer.',
    text: byWindow
      ? 'What you write is kept beside it and sent. Close or reload the other window.'
      : 'What you write is kept beside it and sent. It is tried again and again.',
  }),
  outdated: (): Notice => ({
    id: 'outdated',
    tone: 'attn',
    strong: 'A newer Cairn runs on this device.',
    text: 'This window goes on from the server, and what you write is kept. Reload to have the history back.',
    act: 'reload',
  }),
  /** In place of the notice `id`, which is no longer so. */
  again: (id: string, own: boolean): Notice => ({
    id,
    tone: 'plain',
    strong: own ? 'Saving is on again.' : 'History is kept again.',
    text: own ? 'What you wrote meanwhile is on this device now.' : 'What came meanwhile is on this device now.',
  }),
  deleted: (): Notice => ({
    id: 'emptied',
    tone: 'attn',
    strong: 'The copy on this device was deleted.',
    text: 'The history comes again from the server. What this window knew of unsent words is kept.',
  }),
  emptied: (): Notice => ({
    id: 'emptied',
    tone: 'attn',
    strong: 'The browser emptied this device’s copy.',
    text: 'The history comes again from the server. Prompts held here and drafts are gone, if there were any.',
  }),
} as const;
