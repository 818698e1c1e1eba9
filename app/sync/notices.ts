/** What is told once. Words follow the look's table; ids keep the same thing from being told twice. */
import type { OutboxRow } from '../own/port.ts';
import type { Notice } from './views.ts';

export const NOTICES = {
  mirrorLost: (full: boolean): Notice => ({
    id: 'disk',
    tone: 'attn',
    strong: full ? 'This device is full.' : 'This device keeps no more history.',
    text: 'Reading goes on from the server. Held prompts and drafts are safe.',
  }),
  ownLost: (): Notice => ({
    id: 'own-disk',
    tone: 'attn',
    strong: 'Saving is off.',
    text: 'What you write is sent, but not kept on this device once the window closes.',
  }),
  restored: (): Notice => ({
    id: 'restored',
    tone: 'mist',
    strong: 'The server was restored.',
    text: 'This history was loaded again. Held prompts stayed.',
  }),
  revoked: (unsent: number): Notice => ({
    id: 'revoked',
    tone: 'attn',
    strong: 'This device was signed out elsewhere.',
    text: unsent === 0 ? 'Its copy is gone.' : `Its copy is gone; ${unsent} unsent ${unsent === 1 ? 'prompt is' : 'prompts are'} kept.`,
  }),
  signOutUntold: (): Notice => ({
    id: 'sign-out-untold',
    tone: 'attn',
    strong: 'The server could not be told.',
    text: 'This device is empty, but stays on the server’s list until you remove it there.',
  }),
  requeued: (inputId: string): Notice => ({
    id: `requeued/${inputId}`,
    tone: 'plain',
    strong: 'Queued.',
    text: 'Another turn was running than the one you wrote for, so the prompt waits for a turn of its own.',
  }),
} as const;

const STRONG: Partial<Record<OutboxRow['command']['kind'], string>> = {
  create: 'The session was not made.',
  edit: 'The edit was not taken.',
  cancel: 'Not cancelled.',
  patch: 'The change was not taken.',
  delete: 'Not deleted.',
  stop: 'Not stopped.',
  resume: 'Not resumed.',
  decide: 'Too late to decide.',
};
/** What the server refused, in its own words. Inputs say so themselves, where they stand. */
export function refusalOf(row: OutboxRow, message: string): Notice | null {
  const strong = STRONG[row.command.kind];
  return strong === undefined
    ? null
    : { id: `refused/${row.id}`, tone: row.command.kind === 'decide' ? 'plain' : 'bad', strong, text: message };
}
