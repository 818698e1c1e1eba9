/** What is told once. Words follow the look's table; ids keep the same thing from being told twice. */
import type { Command, OutboxRow } from '../own/port.ts';
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
  restarted: (): Notice => ({
    id: 'restarted',
    tone: 'plain',
    strong: 'The server restarted.',
    text: 'What it was at is taken up again, or says that it waits for you.',
  }),
  serverOld: (): Notice => ({
    id: 'server-old',
    tone: 'attn',
    strong: 'The server is older than this app.',
    text: 'Update it there and start it again. Reading goes on here, and what you write is held.',
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
  stopTooLate: (rowId: string): Notice => ({
    id: `stop/${rowId}`,
    tone: 'plain',
    strong: 'Nothing was stopped.',
    text: 'The turn you meant had ended already.',
  }),
} as const;

const STRONG: Partial<Record<OutboxRow['command']['kind'], string>> = {
  cancel: 'Not cancelled.',
  patch: 'The change was not taken.',
  delete: 'Not deleted.',
  stop: 'Not stopped.',
  resume: 'Not resumed.',
  decide: 'Too late to decide.',
};
/** What was done elsewhere meanwhile is no fault of anybody's. */
const MEANWHILE: Readonly<Record<string, string>> = {
  'already-promoted': 'The prompt is in the transcript already.',
  gone: 'The prompt was cancelled meanwhile.',
};
/** The prompt is pending no more, since another device was first. */
export function isMeanwhile(code: string): boolean {
  return code in MEANWHILE;
}
/** What the server refused, in its own words where there are none of ours. Inputs say so themselves, where they stand. */
export function refusalOf(row: OutboxRow, code: string, message: string): Notice | null {
  const { command } = row;
  const strong = command.kind === 'edit' ? editWords(command) : command.kind === 'create' ? createWords(command) : STRONG[command.kind];
  if (strong === undefined) return null;
  const meanwhile = command.kind === 'edit' || command.kind === 'cancel' ? MEANWHILE[code] : undefined;
  const tone = command.kind === 'decide' || meanwhile !== undefined ? 'plain' : 'bad';
  return { id: `refused/${row.id}`, tone, strong, text: meanwhile ?? message };
}
function createWords({ body }: Command & { kind: 'create' }): string {
  return body.origin === undefined ? 'The session was not made.' : 'The fork was not made.';
}
/** An edit of words is told where its words stand. */
function editWords(command: Command & { kind: 'edit' }): string | undefined {
  if (command.content !== undefined) return undefined;
  return command.delivery === undefined ? 'Not moved.' : `Not turned into ${command.delivery === 'steer' ? 'a steer' : 'a queued prompt'}.`;
}
